// Work that several threads share.
#pragma once

#include <cstddef>
#include <functional>

namespace goldsmith::base {

// Calls `work(thread, i)` for each i below `count`, in so many threads that take the next i each;
// `tell` is told how many are done of how many, by one thread at a time. An exception, or an
// interruption (check_interruption()), ends all of them and is thrown here.
void in_threads(std::size_t threads, std::size_t count,
                const std::function<void(std::size_t thread, std::size_t i)>& work,
                const std::function<void(std::size_t done, std::size_t total)>& tell);

}  // namespace goldsmith::base
