// Tests a toolchain as the service uses it: compiles a small plugin in the sandbox.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "app/compile/compiler.hpp"
#include "app/compile/toolchain.hpp"

namespace goldsmith::compile {

struct ToolchainCheck {
  enum class State { works, broken, not_installed };

  Toolchain toolchain;
  State state = State::not_installed;
  std::string banner;                     // the first line that the compiler prints
  std::string fingerprint;                // "" if unknown
  std::vector<IncludeFolder> includes;    // in the order in which they are searched
  std::chrono::milliseconds duration{0};  // of the compile
  std::string problem;                    // what is wrong, and the way out
};

// `line` is one of domain::toolchain_lines(). Never throws for a defect of the toolchain.
ToolchainCheck check_toolchain(const Toolchains& toolchains, const Compiler& compiler,
                               std::string_view line);

}  // namespace goldsmith::compile
