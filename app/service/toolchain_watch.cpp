#include "app/service/toolchain_watch.hpp"

#include "app/sys/file.hpp"

namespace goldsmith::service {
namespace {

// The fingerprint of every installed line whose files can be read.
std::map<std::string, std::string> fingerprints_of(const compile::Toolchains& toolchains) {
  std::map<std::string, std::string> all;
  for (const compile::Toolchain& toolchain : toolchains.installed()) {
    try {
      all.emplace(toolchain.line, toolchains.fingerprint(toolchain));
    } catch (const sys::FileError&) {
      continue;
    }
  }
  return all;
}

}  // namespace

std::uint64_t ToolchainWatch::generation() {
  auto current = fingerprints_of(toolchains_);
  if (current != seen_) {
    seen_ = std::move(current);
    ++generation_;
  }
  return generation_;
}

std::uint64_t ToolchainWatch::recent_generation(std::int64_t now) {
  if (now == looked_at_) return generation_;
  looked_at_ = now;
  return generation();
}

std::string ToolchainWatch::fingerprint(const compile::Toolchain& toolchain) const {
  const auto seen = seen_.find(toolchain.line);
  return seen != seen_.end() ? seen->second : toolchains_.fingerprint(toolchain);
}

}  // namespace goldsmith::service
