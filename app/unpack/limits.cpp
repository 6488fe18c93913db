#include "app/unpack/limits.hpp"

#include <algorithm>
#include <string>

#include "app/unpack/refusal.hpp"

namespace goldsmith::unpack {
namespace {

// Smaller files may have any ratio: a block of zeros is not an attack.
constexpr std::uint64_t kRatioCounts = 64U << 20;

}  // namespace

void Limits::begin_entry(std::uint64_t position) {
  entry_start_ = position;
  entry_unpacked_ = 0;
  if (++entries_ > config_.entries) {
    throw RefusedEntry("it is one more than the " + std::to_string(config_.entries) +
                       " entries that mirror.entries allows");
  }
}

void Limits::count_bytes(std::uint64_t count, std::uint64_t position) {
  unpacked_ += count;
  entry_unpacked_ += count;
  if (unpacked_ > config_.unpacked_bytes) {
    throw RefusedEntry("with it the release unpacks to more than the " +
                       std::to_string(config_.unpacked_bytes) +
                       " bytes that mirror.unpacked_mb allows");
  }
  if (entry_unpacked_ <= kRatioCounts) return;
  const std::uint64_t packed = position > entry_start_ ? position - entry_start_ : 0;
  if (entry_unpacked_ / config_.ratio > std::max<std::uint64_t>(packed, 1)) {
    throw RefusedEntry("it unpacks to more than " + std::to_string(config_.ratio) +
                       " times its packed size, which mirror.ratio forbids");
  }
}

}  // namespace goldsmith::unpack
