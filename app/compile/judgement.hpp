// The meaning of how a compiler ended. No compiler line reports success by its exit code alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/sys/config.hpp"
#include "app/sys/process.hpp"

namespace goldsmith::compile {

// Why the end says nothing about the source: the compiler was not started, has no sandbox or lacks
// a library; it did not end within the wall clock, which a busy host can cause; or it was killed
// from outside (decision P13).
std::optional<std::string> broken_compiler(const sys::ProcessOutcome& outcome,
                                           const sys::CompileConfig& limits);

// How a compiler ended that did not end by itself (decision P6).
struct Stop {
  std::string sentence;   // which limit or signal; "" if it ended by itself
  bool by_limit = false;  // or by what may have been one: another run may pass
};

// `diagnostics`: what it had reported before that. After errors a crash needs no guess.
Stop stop_of(const sys::ProcessOutcome& outcome, std::string_view diagnostics,
             const sys::CompileConfig& limits);

}  // namespace goldsmith::compile
