// Tries a toolchain the way the service uses it: a small plugin, compiled in the sandbox.
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
  std::string fingerprint;                // "" where it can't be told
  std::vector<IncludeFolder> includes;    // in the order in which they are searched
  std::chrono::milliseconds duration{0};  // of the compile
  std::string problem;                    // what is wrong, and the way out
};

// `line` is one of domain::toolchain_lines(). What is wrong with the toolchain is never thrown.
ToolchainCheck check_toolchain(const Toolchains& toolchains, const Compiler& compiler,
                               std::string_view line);

}  // namespace goldsmith::compile
