// What a compiler's end means. No line of compilers tells success by its exit code alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/sys/config.hpp"
#include "app/sys/process.hpp"

namespace goldsmith::compile {

// Why the compiler itself did not work: not started, no sandbox, a library missing.
std::optional<std::string> broken_compiler(const sys::ProcessOutcome& outcome);

// How a compiler was ended by something else than itself (decision P6).
struct Stop {
  std::string sentence;   // which limit or signal; "" when it ended by itself
  bool by_limit = false;  // or by what may have been one: another run may pass
};

// `has_errors`: it had reported errors before that, so that a crash needs no guess.
Stop stop_of(const sys::ProcessOutcome& outcome, const sys::CompileConfig& limits, bool has_errors);

}  // namespace goldsmith::compile
