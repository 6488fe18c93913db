#include "app/limits/rate_windows.hpp"

#include <optional>
#include <string>

#include "app/base/digest.hpp"
#include "app/base/log.hpp"
#include "app/base/text.hpp"

namespace goldsmith::limits {

namespace {

std::int64_t end_of_window(std::int64_t now, std::int64_t seconds) {
  return (now / seconds + 1) * seconds;
}

std::string name_of(std::string_view subject, std::int64_t seconds) {
  return std::to_string(seconds) + " " + std::string(subject);
}

}  // namespace

RateWindows::Bucket RateWindows::bucket_of(std::string_view subject, Window window,
                                           std::int64_t limit, std::int64_t now) {
  now = common_time(now);
  const auto seconds = static_cast<std::int64_t>(window);
  return {subject, seconds, end_of_window(now, seconds), limit, now};
}

std::optional<WindowStatus> RateWindows::exhausted(const Bucket& bucket) const {
  const auto reached = known(bucket);
  if (!reached || *reached < bucket.limit) return std::nullopt;
  return WindowStatus{false, bucket.limit, *reached, bucket.end - bucket.now, true};
}

WindowStatus RateWindows::take(std::string_view subject, Window window, std::int64_t limit,
                               std::int64_t now) {
  const Bucket bucket = bucket_of(subject, window, limit, now);
  if (const auto status = exhausted(bucket)) return *status;
  const db::WindowCount counted = count(bucket);
  return {counted.granted, limit, counted.used, bucket.end - bucket.now};
}

WindowStatus RateWindows::peek(std::string_view subject, Window window, std::int64_t limit,
                               std::int64_t now) {
  const Bucket bucket = bucket_of(subject, window, limit, now);
  if (const auto status = exhausted(bucket)) return *status;
  const std::int64_t already = used(bucket);
  return {already < limit, limit, already, bucket.end - bucket.now};
}

WindowStatus RateWindows::recall(std::string_view subject, Window window, std::int64_t limit,
                                 std::int64_t now) {
  const Bucket bucket = bucket_of(subject, window, limit, now);
  const std::int64_t reached = known(bucket).value_or(0);
  return {reached < limit, limit, reached, bucket.end - bucket.now, true};
}

db::WindowCount MemoryWindows::count(const Bucket& bucket) {
  return state_.take(bucket.subject, bucket.seconds, bucket.end, bucket.limit, bucket.now);
}

std::int64_t MemoryWindows::used(const Bucket& bucket) {
  return state_.used(bucket.subject, bucket.seconds, bucket.end);
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

db::WindowCount DatabaseWindows::count(const Bucket& bucket) {
  prune(bucket.now);
  const db::WindowCount counted =
      store_.take(bucket.subject, bucket.seconds, bucket.end, bucket.limit);
  if (!counted.granted) remember(bucket, counted.used);
  return counted;
}

std::int64_t DatabaseWindows::used(const Bucket& bucket) {
  const std::int64_t already = store_.used(bucket.subject, bucket.seconds, bucket.end);
  if (already >= bucket.limit) remember(bucket, already);
  return already;
}

std::optional<std::int64_t> DatabaseWindows::known(const Bucket& bucket) const {
  if (exhausted_.empty()) return std::nullopt;
  const auto found = exhausted_.find(name_of(bucket.subject, bucket.seconds));
  if (found == exhausted_.end() || found->second.end != bucket.end) return std::nullopt;
  return found->second.used;
}

// A full memory loses what is over, or else one of its windows, which costs that one statements.
void DatabaseWindows::remember(const Bucket& bucket, std::int64_t used) {
  if (exhausted_.size() >= kMostExhausted) {
    std::erase_if(exhausted_, [&](const auto& each) { return each.second.end <= bucket.now; });
  }
  if (exhausted_.size() >= kMostExhausted) exhausted_.erase(exhausted_.begin());
  exhausted_[name_of(bucket.subject, bucket.seconds)] = {bucket.end, used};
}

// Workers that prune at once may be in each other's way. That is no reason to refuse a request:
// what stays is removed a minute later.
void DatabaseWindows::prune(std::int64_t now) {
  if (pruned_minute_ == now / 60) return;
  pruned_minute_ = now / 60;
  try {
    store_.prune(now);
  } catch (const db::Error& error) {
    base::log(base::LogLevel::warning, "old rate windows can't be removed",
              {{"cause", error.what()}});
  }
}

std::unique_ptr<RateWindows> make_windows(base::LimitsBackend backend, SharedState& state,
                                          db::Database& database) {
  if (backend == base::LimitsBackend::memory) return std::make_unique<MemoryWindows>(state);
  return std::make_unique<DatabaseWindows>(db::WindowStore(database));
}

}  // namespace goldsmith::limits
