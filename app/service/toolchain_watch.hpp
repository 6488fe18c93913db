// When what was compiled may be stale: the compilers and their includes are files that the operator
// replaces without telling the service.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "app/compile/toolchain.hpp"
#include "app/sys/clock.hpp"

namespace goldsmith::service {

class ToolchainWatch {
 public:
  ToolchainWatch(const compile::Toolchains& toolchains, const sys::Clock& clock)
      : toolchains_(toolchains), clock_(clock) {}

  // A number that moves when an installed toolchain changed. Looks at the files every two seconds
  // at most.
  std::uint64_t generation();

  // The fingerprint of a toolchain as of two seconds ago at most, for look-ups: what is kept under a
  // fingerprint needs that of compile::Toolchains, which looks at every file. Throws sys::FileError.
  std::string fingerprint(const compile::Toolchain& toolchain);

 private:
  const compile::Toolchains& toolchains_;
  const sys::Clock& clock_;
  std::chrono::system_clock::time_point checked_{};
  std::map<std::string, std::string> seen_;  // fingerprints of the installed lines
  std::uint64_t generation_ = 0;
};

}  // namespace goldsmith::service
