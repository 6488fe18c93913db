#include "app/service/toolchain_watch.hpp"

#include "app/sys/file.hpp"

namespace goldsmith::service {
namespace {

constexpr std::chrono::seconds kAge{2};

// Of every installed line. A file that disappears while they are read is a change.
std::string fingerprints(const compile::Toolchains& toolchains) {
  std::string all;
  for (const compile::Toolchain& toolchain : toolchains.installed()) {
    try {
      all += toolchain.line + " " + toolchains.fingerprint(toolchain) + "\n";
    } catch (const sys::FileError& error) {
      all += toolchain.line + " " + error.what() + "\n";
    }
  }
  return all;
}

}  // namespace

std::uint64_t ToolchainWatch::generation() {
  const auto now = clock_.now();
  if (now - checked_ < kAge && now >= checked_) return generation_;
  checked_ = now;
  std::string current = fingerprints(toolchains_);
  if (current != seen_) {
    seen_ = std::move(current);
    ++generation_;
  }
  return generation_;
}

}  // namespace goldsmith::service
