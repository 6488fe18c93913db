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

// The sentence that tells which limit or signal ended the compiler; "" when it ended by itself
// (decision P6). `has_errors`: it had reported errors before that, so that a crash needs no guess.
std::string stopped_by(const sys::ProcessOutcome& outcome, const sys::CompileConfig& limits,
                       bool has_errors);

}  // namespace goldsmith::compile
