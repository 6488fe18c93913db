#include "app/service/library_plugins.hpp"

#include <algorithm>

namespace goldsmith::service {
namespace {

bool registers(const db::LibraryPlugin& plugin, const std::string& library, const std::string& line,
               const std::string& fingerprint) {
  const auto* verdict = domain::find_verdict(plugin.verdicts, line, fingerprint);
  if (verdict == nullptr || !verdict->findings || !verdict->findings->needs) return false;
  const std::vector<std::string>& names = verdict->findings->needs->registers;
  return std::find(names.begin(), names.end(), library) != names.end();
}

}  // namespace

const db::LibraryPlugin* LibraryPlugins::find(const std::string& library, const std::string& line,
                                              std::uint64_t epoch) {
  const auto toolchain = toolchains_.fingerprints().find(line);
  if (toolchain == toolchains_.fingerprints().end()) return nullptr;
  const Basis basis{epoch, verdicts_()};
  if (basis_ != basis) {
    known_ = plugins_.library_plugins();
    basis_ = basis;
  }
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const auto& plugin) {
    return registers(plugin, library, line, toolchain->second);
  });
  return found == known_.end() ? nullptr : &*found;
}

}  // namespace goldsmith::service
