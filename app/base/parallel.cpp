#include "app/base/parallel.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "app/base/interruption.hpp"

namespace goldsmith::base {

void in_threads(std::size_t threads, std::size_t count,
                const std::function<void(std::size_t thread, std::size_t i)>& work,
                const std::function<void(std::size_t done, std::size_t total)>& tell) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // of what follows
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto run = [&](std::size_t thread) {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        check_interruption();
        work(thread, i);
        const std::lock_guard lock(mutex);
        tell(++done, count);
      }
    } catch (...) {
      next = count;  // the others end, too
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> running;
  for (std::size_t thread = 0; thread < threads; ++thread) running.emplace_back(run, thread);
  for (std::thread& thread : running) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace goldsmith::base
