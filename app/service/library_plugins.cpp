#include "app/service/library_plugins.hpp"

#include <algorithm>

namespace goldsmith::service {
namespace {

bool registers(const db::LibraryPlugin& plugin, LibraryPlugins::Kind kind, const std::string& name,
               const std::string& line, const std::string& fingerprint) {
  const auto* verdict = domain::find_verdict(plugin.verdicts, line, fingerprint);
  if (verdict == nullptr || !verdict->findings || !verdict->findings->needs) return false;
  const domain::PluginNeeds& needs = *verdict->findings->needs;
  if (kind == LibraryPlugins::Kind::library) {
    return std::find(needs.registers.begin(), needs.registers.end(), name) != needs.registers.end();
  }
  return needs.natives &&
         std::binary_search(needs.natives->offers.begin(), needs.natives->offers.end(), name);
}

}  // namespace

const db::LibraryPlugin* LibraryPlugins::find(Kind kind, const std::string& name,
                                              const std::string& line, std::uint64_t epoch) {
  const auto toolchain = toolchains_.fingerprints().find(line);
  if (toolchain == toolchains_.fingerprints().end()) return nullptr;
  const Basis basis{epoch, verdicts_()};
  if (basis_ != basis) {
    known_ = plugins_.library_plugins();
    basis_ = basis;
  }
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const auto& plugin) {
    return registers(plugin, kind, name, line, toolchain->second);
  });
  return found == known_.end() ? nullptr : &*found;
}

}  // namespace goldsmith::service
