// What all workers of a host count together (rate_windows.hpp).
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "app/base/digest.hpp"
#include "app/host/shared_table.hpp"
#include "app/limits/rate_windows.hpp"

namespace goldsmith::limits {

namespace {

constexpr std::uint64_t kCurrentVersion = 0x676f6c6473740002;  // "goldst", layout 2

// A window's end (seconds since the epoch) and its count in one word, so that both change at once.
constexpr unsigned kCountBits = 24;
constexpr std::uint64_t kCountMask = (std::uint64_t{1} << kCountBits) - 1;

constexpr std::uint64_t pack(std::int64_t end, std::uint64_t count) {
  return (static_cast<std::uint64_t>(end) << kCountBits) | count;
}
constexpr std::int64_t end_of(std::uint64_t word) {
  return static_cast<std::int64_t>(word >> kCountBits);
}
constexpr std::uint64_t count_of(std::uint64_t word) { return word & kCountMask; }

}  // namespace

// The counters have tables of their own, so that no flood of one kind takes the room of another:
// brakes and keys, which are few and count most, and then the windows of addresses, of which those
// of a day stay longest.
struct SharedState::Layout {
  std::uint64_t version;
  // Secret of this file: nobody can choose addresses whose buckets collide.
  std::array<char, base::kHashKeySize> key;
  std::atomic<std::uint64_t> generation;
  std::atomic<std::uint64_t> downloads;
  std::array<host::SharedSlot, 8U << 10> own;
  std::array<host::SharedSlot, 32U << 10> minutes;
  std::array<host::SharedSlot, 16U << 10> hours;
  std::array<host::SharedSlot, 72U << 10> days;

  // Gate names what it counts for an address "address …", "compile address …" or "build address …".
  std::span<host::SharedSlot> table_of(std::string_view subject, std::int64_t window_seconds) {
    if (subject.find("address ") == std::string_view::npos) return own;
    if (window_seconds <= 60) return minutes;
    if (window_seconds <= 3600) return hours;
    return days;
  }
};

SharedState::SharedState(const std::filesystem::path& path, Open mode)
    : file_(path, mode, {kCurrentVersion, sizeof(Layout)},
            mode == Open::create ? base::random_alphanumeric(base::kHashKeySize) : std::string()),
      layout_(static_cast<Layout*>(file_.data())) {
  static_assert(offsetof(Layout, key) == sizeof kCurrentVersion, "the key follows the version");
}

std::uint64_t SharedState::generation() const {
  return layout_->generation.load(std::memory_order_acquire);
}

void SharedState::bump_generation() { layout_->generation.fetch_add(1, std::memory_order_acq_rel); }

std::uint64_t SharedState::downloads() const {
  return layout_->downloads.load(std::memory_order_acquire);
}

void SharedState::bump_downloads() { layout_->downloads.fetch_add(1, std::memory_order_acq_rel); }

std::uint64_t SharedState::tag_of(std::string_view subject, std::int64_t window_seconds) const {
  std::string bucket(subject);
  bucket.append(reinterpret_cast<const char*>(&window_seconds), sizeof window_seconds);
  const std::uint64_t tag =
      base::keyed_hash(bucket, std::string_view(layout_->key.data(), layout_->key.size()));
  return tag == 0 ? 1 : tag;
}

// Where there is no room, a bucket takes the place of one whose window is over, else that of the
// one that has counted least, among equals the one that ends soonest: an address that has used up
// its window is the last to be forgotten. Two processes that claim a slot for different buckets at
// the same moment may count one request in the other's bucket; a limit is off by one then, once.
db::WindowCount SharedState::take(std::string_view subject, std::int64_t window_seconds,
                                  std::int64_t window_end, std::int64_t limit, std::int64_t now) {
  const auto [slot, left] =
      host::claim_slot(layout_->table_of(subject, window_seconds), tag_of(subject, window_seconds),
                       [now](std::uint64_t word) {
                         return std::tuple(end_of(word) > now ? count_of(word) : 0, end_of(word));
                       });
  // The evicted bucket's count is not ours.
  if (end_of(left) > now) slot.value.store(0, std::memory_order_release);
  std::uint64_t word = slot.value.load(std::memory_order_acquire);
  while (true) {
    // Another worker may have counted in the next window since this one read the clock. That window
    // stays; a later one is of a clock that was wrong.
    const bool is_late = end_of(word) == window_end + window_seconds;
    const std::int64_t end = is_late ? end_of(word) : window_end;
    const std::uint64_t count = end_of(word) == end ? count_of(word) : 0;
    if (static_cast<std::int64_t>(count) >= limit) return {false, static_cast<std::int64_t>(count)};
    if (slot.value.compare_exchange_weak(word, pack(end, count + 1))) {
      return {true, static_cast<std::int64_t>(count) + 1};
    }
  }
}

std::int64_t SharedState::used(std::string_view subject, std::int64_t window_seconds,
                               std::int64_t window_end) const {
  const host::SharedSlot* slot =
      host::find_slot(layout_->table_of(subject, window_seconds), tag_of(subject, window_seconds));
  if (!slot) return 0;
  const std::uint64_t word = slot->value.load(std::memory_order_acquire);
  return end_of(word) == window_end ? static_cast<std::int64_t>(count_of(word)) : 0;
}

}  // namespace goldsmith::limits
