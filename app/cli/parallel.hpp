// Work that several threads share.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "app/cli/output.hpp"

namespace goldsmith::cli {

// Calls `work(thread, i)` for each i below `count`, in so many threads that take the next i each;
// shows on `progress` how many are done, with `what` they are. An exception, or an interruption
// (base::check_interruption), ends all of them and is thrown here.
void in_threads(std::size_t threads, std::size_t count,
                const std::function<void(std::size_t thread, std::size_t i)>& work,
                ProgressLine& progress, std::string_view what);

}  // namespace goldsmith::cli
