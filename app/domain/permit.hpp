// Permission for limited work, and the refusal that names the limit and the wait.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace goldsmith::domain {

// What ran out.
enum class Limit {
  requests,     // the caller's requests a minute or a day
  compiles,     // the caller's compiled downloads an hour
  flood_brake,  // compiler starts a minute, everyone together
  builds,       // the caller's archives built an hour
  build_flood,  // archives built a minute, everyone together
  unproved,     // build workers that compile unproved sources
  waiters,      // build workers that wait for somebody else's build
  slow_builds   // build workers that are busy with what takes long
};

// As the metrics spell it.
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
      break;
  }
  return "slow_builds";
}

// The outcome of work that a limit refused.
struct RateLimited {
  Limit limit = Limit::requests;
  std::chrono::seconds wait{1};  // until it is worth asking again; at least 1

  friend bool operator==(const RateLimited&, const RateLimited&) = default;
};

// A place among those who do something at the same time, given up when its last copy ends. What it
// is made of is its maker's business.
using Place = std::shared_ptr<void>;

// Whether there is a place.
using Turn = std::variant<Place, RateLimited>;

// Asked by whoever is about to do limited work, once and right before it: work that turns out not
// to be needed costs no budget. Whoever made the permit knows the caller and its budgets; whoever
// asks only learns the answer.
class Permit {
 public:
  // std::nullopt = granted, and taken from the budgets.
  using Answer = std::optional<RateLimited>;

  // From any callable that answers so.
  template <typename Ask>
  requires std::is_invocable_r_v<Answer, Ask&> Permit(Ask callable) : ask_(std::move(callable)) {}

  // May throw what the budgets' storage throws.
  Answer ask() const { return ask_(); }

 private:
  std::function<Answer()> ask_;
};

}  // namespace goldsmith::domain
