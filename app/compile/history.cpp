#include "app/compile/history.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "app/base/clock.hpp"
#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/host/shared_table.hpp"
#include "app/pawn/diagnostics.hpp"

namespace goldsmith::compile {
namespace {

constexpr std::uint64_t kCurrentVersion = 0x676f6c6473630001;  // "goldsc", layout 1
constexpr std::size_t kProofs = std::size_t{1} << 17;
constexpr std::size_t kLimits = 256;
constexpr std::size_t kDigestSize = 64;
constexpr std::size_t kLongestInclude = 256;
constexpr std::size_t kLongestOutput = 4 * pawn::kMaxOutput;  // UTF-8

// Keys are digests: any part of one is as good as a hash of it.
std::uint64_t tag_of(std::string_view key) {
  return std::max<std::uint64_t>(1, base::parse_number(key.substr(0, 16), 16).value_or(0));
}

std::uint64_t used_at(CompileHistory::Time now) {
  return static_cast<std::uint64_t>(base::unix_seconds(now));
}

// An entry has only bytes, so that one that was torn does not match its digest.
struct LimitEnd {
  std::array<char, kDigestSize> digest;  // of what follows
  std::array<char, kDigestSize> key;
  std::int64_t time;  // seconds since the epoch
  std::uint32_t output_size;
  std::uint32_t include_size;
  std::array<char, kLongestInclude> include;
  std::array<char, kLongestOutput> output;  // last: what is not used of it has no digest

  std::string digest_now() const {
    const std::size_t size = std::min<std::size_t>(output_size, kLongestOutput);
    const auto* bytes = reinterpret_cast<const char*>(this);
    return base::sha256_hex(
        {bytes + kDigestSize, sizeof *this - kDigestSize - kLongestOutput + size});
  }
  bool is_whole() const {
    return output_size <= kLongestOutput && include_size <= kLongestInclude &&
           std::string_view(digest.data(), digest.size()) == digest_now();
  }
  bool is_of(std::string_view wanted) const {
    return std::string_view(key.data(), key.size()) == wanted;
  }
};

template <std::size_t Size>
std::uint32_t store(std::array<char, Size>& place, std::string_view text) {
  const std::size_t size = std::min(text.size(), Size);
  std::memcpy(place.data(), text.data(), size);
  return static_cast<std::uint32_t>(size);
}

}  // namespace

struct CompileHistory::Shared {
  std::uint64_t version;
  std::array<host::SharedSlot, kProofs> proofs;  // their last use, in seconds since the epoch
  std::array<LimitEnd, kLimits> limits;
};

CompileHistory::CompileHistory(const std::filesystem::path& file)
    : file_(file, host::SharedFile::Open::create, {kCurrentVersion, sizeof(Shared)}) {}

CompileHistory::Shared& CompileHistory::shared() const {
  return *static_cast<Shared*>(file_.data());
}

bool CompileHistory::is_proved(std::string_view key, Time now) {
  host::SharedSlot* proof = host::find_slot(shared().proofs, tag_of(key));
  if (proof) proof->value.store(used_at(now), std::memory_order_relaxed);
  return proof != nullptr;
}

std::optional<Compilation> CompileHistory::limit_of(std::string_view key, Time now) const {
  const std::int64_t seconds = base::unix_seconds(now);
  const std::int64_t oldest = seconds - std::chrono::seconds(kMemory).count();
  for (const LimitEnd& place : host::places_of(std::span<LimitEnd>(shared().limits), tag_of(key))) {
    if (!place.is_of(key)) continue;
    const LimitEnd end = place;  // of its own: what is checked is what is used
    if (!end.is_of(key) || end.time <= oldest || end.time > seconds || !end.is_whole()) continue;
    Compilation compilation;
    compilation.result = Result::failed;
    compilation.limit_hit = true;
    compilation.output.assign(end.output.data(), end.output_size);
    compilation.missing_include.assign(end.include.data(), end.include_size);
    return compilation;
  }
  return std::nullopt;
}

void CompileHistory::remember_limit(std::string_view key, const Compilation& compilation,
                                    Time now) {
  if (key.size() != kDigestSize) return;
  LimitEnd end{};
  store(end.key, key);
  end.time = base::unix_seconds(now);
  end.output_size = store(end.output, compilation.output);
  if (compilation.missing_include.size() <= kLongestInclude) {
    end.include_size = store(end.include, compilation.missing_include);
  }
  store(end.digest, end.digest_now());
  auto places = host::places_of(std::span<LimitEnd>(shared().limits), tag_of(key));
  *std::ranges::min_element(places, {}, [&](const LimitEnd& place) {
    return std::pair(!place.is_of(key), place.time);
  }) = end;
}

void CompileHistory::record(std::string_view key, const Compilation& compilation, Time now) {
  if (compilation.result == Result::unavailable) return;
  if (compilation.is_verdict() && compilation.processor_time <= kQuick) {
    host::claim_slot(shared().proofs, tag_of(key), std::identity())
        .slot.value.store(used_at(now), std::memory_order_relaxed);
  } else {
    host::free_slots(shared().proofs, tag_of(key));
  }
  if (compilation.result == Result::failed && compilation.limit_hit) {
    remember_limit(key, compilation, now);
  }
}

}  // namespace goldsmith::compile
