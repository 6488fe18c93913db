#include "app/access/rate_windows.hpp"

#include "app/sys/log.hpp"

namespace goldsmith::access {
namespace {

std::int64_t end_of_window(std::int64_t now, std::int64_t seconds) {
  return (now / seconds + 1) * seconds;
}

}  // namespace

WindowStatus RateWindows::take(std::string_view subject, Window window, std::int64_t limit,
                               std::int64_t now) {
  now = common_time(now);
  const auto seconds = static_cast<std::int64_t>(window);
  const std::int64_t end = end_of_window(now, seconds);
  const SharedState::Count counted = count(subject, seconds, end, limit, now);
  return {counted.granted, limit, counted.used, end - now};
}

WindowStatus RateWindows::peek(std::string_view subject, Window window, std::int64_t limit,
                               std::int64_t now) {
  now = common_time(now);
  const auto seconds = static_cast<std::int64_t>(window);
  const std::int64_t end = end_of_window(now, seconds);
  const std::int64_t already = used(subject, seconds, end);
  return {already < limit, limit, already, end - now};
}

SharedState::Count MemoryWindows::count(std::string_view subject, std::int64_t seconds,
                                        std::int64_t end, std::int64_t limit, std::int64_t now) {
  return state_.take(subject, seconds, end, limit, now);
}

std::int64_t MemoryWindows::used(std::string_view subject, std::int64_t seconds, std::int64_t end) {
  return state_.used(subject, seconds, end);
}

// Once a minute, and at once when the host's clock is put right.
std::int64_t DatabaseWindows::common_time(std::int64_t now) {
  if (time_ == Time::host) return now;
  if (compared_minute_ != now / 60) {
    ahead_ = store_.clock_ahead(now);
    compared_minute_ = now / 60;
  }
  return now + ahead_;
}

SharedState::Count DatabaseWindows::count(std::string_view subject, std::int64_t seconds,
                                          std::int64_t end, std::int64_t limit, std::int64_t now) {
  prune(now);
  const db::WindowCount counted = store_.take(subject, seconds, end, limit);
  return {counted.granted, counted.used};
}

// Workers that prune at once may be in each other's way. That is no reason to refuse a request:
// what stays is removed a minute later.
void DatabaseWindows::prune(std::int64_t now) {
  if (pruned_minute_ == now / 60) return;
  pruned_minute_ = now / 60;
  try {
    store_.prune(now);
  } catch (const db::Error& error) {
    sys::log(sys::LogLevel::warning, "old rate windows can't be removed",
             {{"cause", error.what()}});
  }
}

std::int64_t DatabaseWindows::used(std::string_view subject, std::int64_t seconds,
                                   std::int64_t end) {
  return store_.used(subject, seconds, end);
}

}  // namespace goldsmith::access
