#include "app/service/worker_shares.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace goldsmith::service {
namespace {

using domain::Limit;
using domain::Place;
using domain::RateLimited;
using domain::Turn;
using sys::Seats;

// The host's seats: a row for each bound.
constexpr std::size_t kUnproved = 0;
constexpr std::size_t kWaiting = 1;
constexpr std::size_t kSlow = 2;

// What is copied within a fraction of a second on any disk that a server has.
constexpr std::uint64_t kQuickBuild = 64U << 20;

constexpr RateLimited kTooManyUnproved{Limit::unproved, std::chrono::seconds(3)};
constexpr RateLimited kTooManyWaiters{Limit::waiters, std::chrono::seconds(5)};
constexpr RateLimited kTooManyBuilds{Limit::slow_builds, std::chrono::seconds(5)};

std::size_t half_of(std::size_t workers) { return std::max<std::size_t>(1, workers / 2); }

// All but a quarter.
std::size_t most_of(std::size_t workers) {
  return workers >= 3 ? workers - std::max<std::size_t>(1, workers / 4) : Seats::kMost;
}

}  // namespace

Turn WorkerShares::take(std::size_t row, std::size_t count, std::size_t workers,
                        const RateLimited& refusal) {
  struct Seated {
    std::optional<Seats::Seat> own;
    std::optional<Seats::Seat> slow;
  };
  auto seated = std::make_shared<Seated>();
  if (auto own = seats_.take(row, count)) seated->own.emplace(std::move(*own));
  if (!seated->own) return refusal;
  if (auto slow = seats_.take(kSlow, most_of(workers))) {
    seated->slow.emplace(std::move(*slow));
  }
  if (!seated->slow) return refusal;
  return Place(std::move(seated));
}

Turn WorkerShares::compile_unproved() {
  const std::size_t workers = workers_();
  return take(kUnproved, half_of(workers), workers, kTooManyUnproved);
}

Turn WorkerShares::wait_for_build() {
  const std::size_t workers = workers_();
  return take(kWaiting, half_of(workers), workers, kTooManyWaiters);
}

Turn WorkerShares::build(std::uint64_t bytes) {
  if (bytes <= kQuickBuild) return Place();
  auto seat = seats_.take(kSlow, most_of(workers_()));
  if (!seat) return kTooManyBuilds;
  return Place(std::make_shared<Seats::Seat>(std::move(*seat)));
}

}  // namespace goldsmith::service
