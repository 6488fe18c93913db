// Who may do work that is limited: API keys, and the permit of a request.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/domain/timestamp.hpp"

namespace goldsmith::domain {

// API keys: they raise limits and carry scopes (API.md, "Authentication").
struct ApiKey {
  std::int64_t id = 0;
  std::string name;
  std::string prefix;               // the first characters of the key, by which people recognise it
  std::string sha256;               // hex of the whole key; the key itself is never stored
  std::vector<std::string> scopes;  // "plugins:read", …
  std::int64_t per_minute = 0;
  std::int64_t per_day = 0;
  std::optional<std::int64_t> compiles_per_hour = {};  // absent = without a limit of its own
  std::optional<std::int64_t> builds_per_hour = {};
  bool disabled = false;
  std::optional<Timestamp> expires_at;  // absent = never
  Timestamp created_at{};
  std::optional<Timestamp> last_used_at;  // absent = never; may lag by a minute
};

// What a caller has done in some time.
struct Uses {
  std::int64_t requests = 0;
  std::int64_t compiles = 0;
  std::int64_t builds = 0;
};

// Permission for limited work, and the refusal that names the limit and the wait.

// What ran out.
enum class Limit {
  requests,      // the caller's requests a minute or a day
  compiles,      // the caller's compiled downloads an hour
  flood_brake,   // compiler starts a minute, everyone together
  builds,        // the caller's archives built an hour
  build_flood,   // archives built a minute, everyone together
  unproved,      // build workers that compile unproved sources
  waiters,       // build workers that wait for somebody else's build
  slow_builds,   // build workers that are busy with what takes long
  request_time,  // how long one request may take
  pages          // build workers that make pages and documents
};

// The name in the metrics.
constexpr std::string_view to_string(Limit limit) {
  switch (limit) {
    case Limit::requests:
      return "requests";
    case Limit::compiles:
      return "compiles";
    case Limit::flood_brake:
      return "flood_brake";
    case Limit::builds:
      return "builds";
    case Limit::build_flood:
      return "build_flood";
    case Limit::unproved:
      return "unproved";
    case Limit::waiters:
      return "waiters";
    case Limit::slow_builds:
      return "slow_builds";
    case Limit::request_time:
      return "request_time";
    case Limit::pages:
      break;
  }
  return "pages";
}

// The outcome of work that a limit refused.
struct RateLimited {
  Limit limit = Limit::requests;
  std::chrono::seconds wait{1};  // until it is worth asking again; at least 1
  // Until the budget is whole again, where that is not the same; at least 1.
  std::optional<std::chrono::seconds> resets_in = {};

  friend bool operator==(const RateLimited&, const RateLimited&) = default;
};

// The right to be one of those who do something at the same time; given up with its last copy.
using Turn = std::shared_ptr<void>;

// A slot, or why there is none.
using Admission = std::variant<Turn, RateLimited>;

// A permit is asked once, right before limited work begins: work that turns out not to be needed
// costs no budget. The maker of the permit knows the caller and its budgets; whoever asks learns
// only the answer.
class Permit {
 public:
  // std::nullopt if the work is granted, and taken from the budgets.
  using Answer = std::optional<RateLimited>;

  // Takes any callable that returns an answer.
  template <typename Ask>
    requires std::is_invocable_r_v<Answer, Ask&>
  Permit(Ask callable) : ask_(std::move(callable)) {}

  // May throw what the budgets' storage throws.
  Answer ask() const { return ask_(); }

 private:
  std::function<Answer()> ask_;
};

}  // namespace goldsmith::domain
