// Notices changed toolchains, with which compiled plugins become stale: the operator replaces
// compilers and includes without telling the service.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/compile/toolchain.hpp"

namespace goldsmith::service {

class ToolchainWatch {
 public:
  explicit ToolchainWatch(const compile::Toolchains& toolchains) : toolchains_(toolchains) {}

  // A number that moves when an installed toolchain changed. Looks at each of their files, some
  // hundred: once a request is enough.
  std::uint64_t generation();

  // generation(), but looks at the files at most once a second. `now`: seconds since the epoch.
  std::uint64_t recent_generation(std::int64_t now);

  // The fingerprints of the installed lines, as of the last call of either.
  const std::map<std::string, std::string>& fingerprints() const { return seen_; }

  // The fingerprint of a toolchain as of the last call of generation(), for the many look-ups of
  // one request: what is kept under a fingerprint needs that of compile::Toolchains, which looks at
  // every file. Throws sys::FileError.
  std::string fingerprint(const compile::Toolchain& toolchain) const;

 private:
  const compile::Toolchains& toolchains_;
  std::map<std::string, std::string> seen_;  // fingerprints of the installed lines
  std::uint64_t generation_ = 0;
  std::int64_t looked_at_ = -1;  // second of the last look
};

}  // namespace goldsmith::service
