#include "app/access/shared_state.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <tuple>

#include "app/sys/digest.hpp"

namespace goldsmith::access {
namespace {

constexpr std::uint64_t kCurrentVersion = 0x676f6c6473740002;  // "goldst", layout 2
constexpr std::size_t kSlotCount = std::size_t{1} << 17;       // 2 MiB of counters
constexpr std::size_t kProbes = 16;

// Where the buckets of a kind are, so that no flood of one kind takes the room of another: brakes
// and keys, which are few and count most, and then the windows of addresses, of which those of a
// day stay longest.
struct Region {
  std::size_t first;
  std::size_t size;

  // Of the slots where the bucket with that tag may be.
  std::size_t place(std::uint64_t tag, std::size_t probe) const {
    return first + (tag + probe) % size;
  }
};
constexpr Region kOwn{0, std::size_t{1} << 13};
constexpr Region kMinutes{kOwn.size, std::size_t{1} << 15};
constexpr Region kHours{kMinutes.first + kMinutes.size, std::size_t{1} << 14};
constexpr Region kDays{kHours.first + kHours.size, kSlotCount - kHours.first - kHours.size};

// Gate names what it counts for an address "address …", "compile address …" or "build address …".
Region region_of(std::string_view subject, std::int64_t window_seconds) {
  if (subject.find("address ") == std::string_view::npos) return kOwn;
  if (window_seconds <= 60) return kMinutes;
  return window_seconds <= 3600 ? kHours : kDays;
}

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

struct Slot {
  std::atomic<std::uint64_t> tag;  // 0 = never used
  std::atomic<std::uint64_t> window;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free,
              "counters are shared between processes");

}  // namespace

struct SharedState::Layout {
  std::uint64_t version;
  // Secret of this file: nobody can choose addresses whose buckets collide.
  std::array<char, sys::kHashKeySize> key;
  std::atomic<std::uint64_t> generation;
  std::atomic<std::uint64_t> downloads;
  std::array<Slot, kSlotCount> slots;

  Slot& claim(std::uint64_t tag, Region region, std::int64_t now);
};

SharedState::SharedState(const std::filesystem::path& path, Open mode)
    : file_(path, mode, {kCurrentVersion, sizeof(Layout)},
            mode == Open::create ? sys::random_alphanumeric(sys::kHashKeySize) : std::string()),
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
      sys::keyed_hash(bucket, std::string_view(layout_->key.data(), layout_->key.size()));
  return tag == 0 ? 1 : tag;
}

// The bucket's slot: its own, else a free one, else one whose window is over, else that of its
// neighbours that has counted least, among equals the one that ends soonest: an address that has
// used up its window is the last to be forgotten. Two processes that claim a slot for different
// buckets at the same moment may count one request in the other's bucket; a limit is off by one
// then, once.
Slot& SharedState::Layout::claim(std::uint64_t tag, Region region, std::int64_t now) {
  while (true) {
    Slot* least = nullptr;
    std::uint64_t least_owner = 0;
    std::tuple<std::uint64_t, std::int64_t> least_worth;  // what was counted; the end
    for (std::size_t probe = 0; probe < kProbes; ++probe) {
      Slot& slot = slots[region.place(tag, probe)];
      std::uint64_t owner = slot.tag.load(std::memory_order_acquire);
      if (owner == tag) return slot;
      if (owner == 0 && slot.tag.compare_exchange_strong(owner, tag)) return slot;
      if (owner == tag) return slot;
      const std::uint64_t word = slot.window.load(std::memory_order_acquire);
      const std::tuple worth(end_of(word) > now ? count_of(word) : 0, end_of(word));
      if (!least || worth < least_worth) {
        least = &slot;
        least_owner = owner;
        least_worth = worth;
      }
    }
    // Another process may have taken it since, even for this bucket: its count stays.
    if (!least->tag.compare_exchange_strong(least_owner, tag)) continue;
    // The evicted bucket's count is not ours.
    if (std::get<1>(least_worth) > now) least->window.store(0, std::memory_order_release);
    return *least;
  }
}

db::WindowCount SharedState::take(std::string_view subject, std::int64_t window_seconds,
                                  std::int64_t window_end, std::int64_t limit, std::int64_t now) {
  Slot& slot =
      layout_->claim(tag_of(subject, window_seconds), region_of(subject, window_seconds), now);
  std::uint64_t word = slot.window.load(std::memory_order_acquire);
  while (true) {
    // Another worker may have counted in the next window since this one read the clock. That window
    // stays; a later one is of a clock that was wrong.
    const bool is_late = end_of(word) == window_end + window_seconds;
    const std::int64_t end = is_late ? end_of(word) : window_end;
    const std::uint64_t count = end_of(word) == end ? count_of(word) : 0;
    if (static_cast<std::int64_t>(count) >= limit) return {false, static_cast<std::int64_t>(count)};
    if (slot.window.compare_exchange_weak(word, pack(end, count + 1))) {
      return {true, static_cast<std::int64_t>(count) + 1};
    }
  }
}

std::int64_t SharedState::used(std::string_view subject, std::int64_t window_seconds,
                               std::int64_t window_end) const {
  const std::uint64_t tag = tag_of(subject, window_seconds);
  const Region region = region_of(subject, window_seconds);
  for (std::size_t probe = 0; probe < kProbes; ++probe) {
    const Slot& slot = layout_->slots[region.place(tag, probe)];
    const std::uint64_t word = slot.window.load(std::memory_order_acquire);
    if (slot.tag.load(std::memory_order_acquire) != tag) continue;
    return end_of(word) == window_end ? static_cast<std::int64_t>(count_of(word)) : 0;
  }
  return 0;
}

}  // namespace goldsmith::access
