// Tables of numbers by key in memory that processes share. Lock-free: a process that dies at any
// instruction blocks nobody, and whatever the memory holds, each call ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>

namespace goldsmith::host {

// A table is an array of them, and begins as zeros. Its keys are hashes.
struct SharedSlot {
  std::atomic<std::uint64_t> key;  // 0 = free
  std::atomic<std::uint64_t> value;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share the slots");

// The few neighbouring slots where what has that key may be. A table must have at least as many.
template <typename Slot>
auto places_of(std::span<Slot> table, std::uint64_t key) {
  constexpr std::size_t kPlaces = 16;
  return std::views::iota(std::size_t{0}, kPlaces) |
         std::views::transform(
             [=](std::size_t place) -> Slot& { return table[(key + place) % table.size()]; });
}

// The slot of that key; null if it has none. It is the key's until another one claims it.
inline SharedSlot* find_slot(std::span<SharedSlot> table, std::uint64_t key) {
  for (SharedSlot& slot : places_of(table, key)) {
    if (slot.key.load(std::memory_order_acquire) == key) return &slot;
  }
  return nullptr;
}

struct ClaimedSlot {
  SharedSlot& slot;
  std::uint64_t left;  // the value of the key that had it before; 0 if it was this one's
};

// The slot of that key (not 0), made if need be: in a free one, else in the place of the key whose
// value has the least `worth(value)`. A new one still has the value that was left there. Of two
// processes that claim one slot for different keys at the same moment, the first may write its
// value to the other's.
template <typename Worth>
ClaimedSlot claim_slot(std::span<SharedSlot> table, std::uint64_t key, Worth worth) {
  while (true) {
    SharedSlot* least = nullptr;
    std::uint64_t owner = 0;
    std::uint64_t left = 0;
    for (SharedSlot& slot : places_of(table, key)) {
      const std::uint64_t present = slot.key.load(std::memory_order_acquire);
      if (present == key) return {slot, 0};
      const std::uint64_t value = slot.value.load(std::memory_order_acquire);
      const bool is_less = owner != 0 && (present == 0 || worth(value) < worth(left));
      if (least && !is_less) continue;
      least = &slot;
      owner = present;
      left = value;
    }
    // Another process may have taken it since, even for this key: its value stays.
    if (least->key.compare_exchange_strong(owner, key)) return {*least, left};
  }
}

// Frees each slot of that key: two processes may have claimed one at the same moment.
inline void free_slots(std::span<SharedSlot> table, std::uint64_t key) {
  for (SharedSlot& slot : places_of(table, key)) {
    std::uint64_t present = key;
    slot.key.compare_exchange_strong(present, 0);
  }
}

}  // namespace goldsmith::host
