#include "app/limits/rate_windows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>

#include "app/base/digest.hpp"
#include "app/base/log.hpp"
#include "app/base/text.hpp"
#include "app/host/shared_table.hpp"

namespace goldsmith::limits {
namespace {

namespace ip = boost::asio::ip;

// An IPv4-mapped address becomes the IPv4 one.
std::optional<ip::address> parse(std::string_view text) {
  boost::system::error_code failure;
  ip::address address = ip::make_address(std::string(text), failure);
  if (failure) return std::nullopt;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  }
  return address;
}

ip::address_v6 to_v6(const ip::address& address) {
  return address.is_v6() ? address.to_v6() : ip::make_address_v6(ip::v4_mapped, address.to_v4());
}

// An address alone is a network, too.
std::optional<ip::network_v6> parse_network(std::string_view text) {
  constexpr unsigned short kMappedPrefix = 96;
  if (const auto address = parse(text)) return ip::network_v6(to_v6(*address), 128);
  boost::system::error_code failure;
  const auto v4 = ip::make_network_v4(std::string(text), failure);
  if (!failure) {
    const auto length = static_cast<unsigned short>(kMappedPrefix + v4.prefix_length());
    return ip::network_v6(to_v6(v4.address()), length).canonical();
  }
  const auto v6 = ip::make_network_v6(std::string(text), failure);
  return failure ? std::nullopt : std::optional(v6.canonical());
}

std::optional<std::string> network_of(const ip::address& address,
                                      std::optional<unsigned short> ipv4_bits,
                                      std::optional<unsigned short> ipv6_bits) {
  if (!(address.is_v4() ? ipv4_bits : ipv6_bits)) return std::nullopt;
  if (address.is_v4()) return ip::network_v4(address.to_v4(), *ipv4_bits).canonical().to_string();
  return ip::network_v6(address.to_v6(), *ipv6_bits).canonical().to_string();
}

}  // namespace

std::string rate_subject(std::string_view text) {
  constexpr unsigned short kCountedPrefix = 64;
  const auto address = parse(text);
  if (!address) return std::string(text);
  auto network = network_of(*address, std::nullopt, kCountedPrefix);
  return network ? *std::move(network) : address->to_string();
}

std::optional<std::string> network_of(std::string_view text,
                                      std::optional<unsigned short> ipv4_bits,
                                      std::optional<unsigned short> ipv6_bits) {
  const auto address = parse(text);
  return address ? network_of(*address, ipv4_bits, ipv6_bits) : std::nullopt;
}

TrustedProxies::TrustedProxies(std::string_view list) {
  std::string spaced(list);
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  for (const std::string_view item : base::split(spaced, ' ')) {
    if (item.empty()) continue;
    const auto network = parse_network(item);
    if (!network) {
      throw std::invalid_argument("\"" + std::string(item) + "\" is no address or network");
    }
    networks_.push_back(*network);
  }
}

bool TrustedProxies::contains(std::string_view text) const {
  const auto address = parse(text);
  return address &&
         std::any_of(networks_.begin(), networks_.end(), [&](const ip::network_v6& network) {
           return ip::network_v6(to_v6(*address), network.prefix_length()).canonical() == network;
         });
}

std::string TrustedProxies::caller_address(std::string_view peer,
                                           std::string_view forwarded_for) const {
  std::string caller(peer);
  std::vector<std::string_view> hops = base::split(forwarded_for, ',');
  while (contains(caller) && !hops.empty()) {
    const auto hop = parse(base::trim_ascii(hops.back()));
    hops.pop_back();
    if (!hop) break;
    caller = hop->to_string();
  }
  return caller;
}

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
