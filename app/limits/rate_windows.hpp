// Counting requests: whom an address stands for, the counters that the processes of a host
// share, and the windows.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/asio/ip/network_v6.hpp>

#include "app/base/config.hpp"
#include "app/host/shared_file.hpp"
#include "db/access_store.hpp"

namespace goldsmith::limits {

// Callers' addresses: IPv6 callers are counted by their /64 network (decision R10), and forwarding
// headers count from listed proxies alone (decision R14).

// What a caller is counted as: an IPv4 address, or the /64 of an IPv6 address; an IPv4-mapped IPv6
// address is the IPv4 one. Text that is no address stays as it is: it still has its own bucket.
std::string rate_subject(std::string_view address);

// The network of so many bits that an address is in, an IPv4-mapped one as IPv4. std::nullopt for
// text that is no address, and for a family without a length.
std::optional<std::string> network_of(std::string_view address,
                                      std::optional<unsigned short> ipv4_bits,
                                      std::optional<unsigned short> ipv6_bits);

// Addresses and networks (`10.0.0.0/8`, `::1`) whose forwarded header is believed.
class TrustedProxies {
 public:
  TrustedProxies() = default;
  // Separated by commas or spaces. Throws std::invalid_argument naming the item that is no network.
  explicit TrustedProxies(std::string_view list);

  bool contains(std::string_view address) const;

  // The caller's address: the peer's, or, when the peer is a trusted proxy, the last address of
  // X-Forwarded-For that is not itself a trusted proxy. A malformed entry ends the search: what is
  // left of it could have been written by anyone.
  std::string caller_address(std::string_view peer, std::string_view forwarded_for) const;

 private:
  std::vector<boost::asio::ip::network_v6> networks_;  // IPv4 ones as mapped into IPv6
};

// The small file that all workers of a host and the operator's command map (`state`, by default
// /run/goldsmith/state): the generation counter (see freshness.hpp) and the counters of the rate
// limits. Lock-free, so that a worker that dies blocks nobody; the file outlives the workers, so
// that limits survive a crash and a restart of the service.
class SharedState {
 public:
  using Open = host::SharedFile::Open;

  // Throws as host::SharedFile.
  SharedState(const std::filesystem::path& path, Open mode);

  // Incremented after every change that is made on this host; see freshness.hpp.
  std::uint64_t generation() const;
  void bump_generation();

  // Incremented for every download that is counted on this host.
  std::uint64_t downloads() const;
  void bump_downloads();

  // Counts one for `subject` in the window that ends at `window_end` (seconds since the epoch)
  // unless `limit` is reached. Subject and window length together name a bucket. If there is
  // no room, one that has counted little is forgotten; those of addresses never displace others. If
  // the bucket is in the next window already, that one counts.
  db::WindowCount take(std::string_view subject, std::int64_t window_seconds,
                       std::int64_t window_end, std::int64_t limit, std::int64_t now);
  // The count that take() would find, without counting.
  std::int64_t used(std::string_view subject, std::int64_t window_seconds,
                    std::int64_t window_end) const;

 private:
  struct Layout;
  std::uint64_t tag_of(std::string_view subject, std::int64_t window_seconds) const;

  host::SharedFile file_;
  Layout* layout_;
};

// Fixed windows of requests, aligned to the minute, the hour and the UTC day (decision R10).
enum class Window : std::int64_t { minute = 60, hour = 3600, day = 86'400 };

struct WindowStatus {
  bool granted = false;
  std::int64_t limit = 0;
  std::int64_t used = 0;
  std::int64_t seconds_left = 0;  // to the end of the window, at least 1
  bool is_recalled = false;       // from this process's memory: no counter was asked

  std::int64_t remaining() const { return used < limit ? limit - used : 0; }
};

class RateWindows {
 public:
  virtual ~RateWindows() = default;
  // Counts one for `subject` unless `limit` is reached. `now`: seconds since the epoch.
  WindowStatus take(std::string_view subject, Window window, std::int64_t limit, std::int64_t now);
  // What take() would return; counts nothing.
  WindowStatus peek(std::string_view subject, Window window, std::int64_t limit, std::int64_t now);
  // What is known without asking a counter: grants unless the window is known to be exhausted.
  WindowStatus recall(std::string_view subject, Window window, std::int64_t limit,
                      std::int64_t now);

 protected:
  struct Bucket {
    std::string_view subject;
    std::int64_t seconds;  // the window's length
    std::int64_t end;      // and end
    std::int64_t limit;
    std::int64_t now;
  };

 private:
  Bucket bucket_of(std::string_view subject, Window window, std::int64_t limit, std::int64_t now);
  // A refusal, if the bucket is known to have reached its limit.
  std::optional<WindowStatus> exhausted(const Bucket& bucket) const;
  // The time by which the windows begin and end, for a host whose clock says `now`.
  virtual std::int64_t common_time(std::int64_t now) { return now; }
  virtual db::WindowCount count(const Bucket& bucket) = 0;
  virtual std::int64_t used(const Bucket& bucket) = 0;
  // A count that the bucket is known to have reached, if any.
  virtual std::optional<std::int64_t> known(const Bucket&) const { return std::nullopt; }
};

// One host: in shared memory (`limits.backend = memory`).
class MemoryWindows final : public RateWindows {
 public:
  explicit MemoryWindows(SharedState& state) : state_(state) {}

 private:
  db::WindowCount count(const Bucket& bucket) override;
  std::int64_t used(const Bucket& bucket) override;

  SharedState& state_;
};

// Several hosts: in the database (`limits.backend = mysql`). Removes old windows from there, once a
// minute. A host whose clock differs from that of the database's server goes by the latter, so that
// all count in the same windows. A window that was found exhausted is remembered until its end, so
// that further refusals cost no statement. Throws db::Error.
class DatabaseWindows final : public RateWindows {
 public:
  enum class Time { host, database };
  // How many exhausted windows are remembered, at about 150 bytes each.
  static constexpr std::size_t kMostExhausted = 4096;

  explicit DatabaseWindows(db::WindowStore store, Time time = Time::database)
      : store_(store), time_(time) {}

 private:
  std::int64_t common_time(std::int64_t now) override;
  db::WindowCount count(const Bucket& bucket) override;
  std::int64_t used(const Bucket& bucket) override;
  std::optional<std::int64_t> known(const Bucket& bucket) const override;
  void remember(const Bucket& bucket, std::int64_t used);
  void prune(std::int64_t now);

  struct Exhausted {
    std::int64_t end = 0;
    std::int64_t used = 0;  // at least: counts of a window only grow
  };

  db::WindowStore store_;
  Time time_;
  std::int64_t pruned_minute_ = 0;
  std::int64_t compared_minute_ = 0;
  std::int64_t ahead_ = 0;  // of the database's clock, in seconds
  std::unordered_map<std::string, Exhausted> exhausted_;
};

// The windows of the backend that the configuration chooses. `state` and `database` must outlive
// them.
std::unique_ptr<RateWindows> make_windows(base::LimitsBackend backend, SharedState& state,
                                          db::Database& database);

}  // namespace goldsmith::limits
