#include "app/limits/concurrency.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace goldsmith::limits {
namespace {

using domain::Admission;
using domain::Limit;
using domain::RateLimited;
using domain::Turn;
using host::HostSemaphore;

// The rows of the host's semaphore: one for each bound.
constexpr std::size_t kUnproved = 0;
constexpr std::size_t kWaiting = 1;
constexpr std::size_t kSlow = 2;
constexpr std::size_t kPatient = 3;
constexpr std::size_t kPages = 4;
constexpr std::size_t kResources = 5;

// Any disk of a server copies that many bytes within a fraction of a second.
constexpr std::uint64_t kQuickBuild = 64U << 20;

// A build, or waiting for one, begins only with that much time left. It may then take longer.
constexpr std::chrono::seconds kTimeToBuild{60};

constexpr RateLimited kTooManyUnproved{Limit::unproved, std::chrono::seconds(3)};
constexpr RateLimited kTooManyWaiters{Limit::waiters, std::chrono::seconds(5)};
constexpr RateLimited kTooManyBuilds{Limit::slow_builds, std::chrono::seconds(5)};
constexpr RateLimited kTooManyPages{Limit::pages, std::chrono::seconds(1)};

}  // namespace

std::size_t ConcurrencyLimits::half_of_workers() const {
  return std::max<std::size_t>(1, workers_() / 2);
}

// All workers but a quarter.
ConcurrencyLimits::Bound ConcurrencyLimits::slow() const {
  const std::size_t workers = workers_();
  const std::size_t most = workers - std::max<std::size_t>(1, workers / 4);
  return {kSlow, workers >= 3 ? most : HostSemaphore::kMost};
}

Admission ConcurrencyLimits::admit(std::initializer_list<Bound> bounds,
                                   const RateLimited& refusal) {
  auto held = std::make_shared<std::vector<HostSemaphore::Hold>>();
  for (const Bound& bound : bounds) {
    auto hold = slots_.try_acquire(bound.row, bound.count);
    if (!hold) return refusal;
    held->push_back(std::move(*hold));
  }
  return Turn(std::move(held));
}

Admission ConcurrencyLimits::compile_unproved() {
  return admit({{kUnproved, half_of_workers()}, slow()}, kTooManyUnproved);
}

// One at a time, however many workers there are: proved sources share the processors with it.
Admission ConcurrencyLimits::compile_patiently() {
  return admit({{kPatient, 1}}, kTooManyUnproved);
}

Admission ConcurrencyLimits::wait_for_build() {
  if (const auto refusal = time_.refusal(kTimeToBuild)) return *refusal;
  return admit({{kWaiting, half_of_workers()}, slow()}, kTooManyWaiters);
}

Admission ConcurrencyLimits::build(std::uint64_t bytes) {
  if (const auto refusal = time_.refusal(kTimeToBuild)) return *refusal;
  if (bytes <= kQuickBuild) return Turn();
  return admit({slow()}, kTooManyBuilds);
}

Admission ConcurrencyLimits::make_page() {
  return admit({{kPages, half_of_workers()}}, kTooManyPages);
}

Admission ConcurrencyLimits::provide_resources() {
  return admit({{kResources, 1}, slow()}, kTooManyPages);
}

}  // namespace goldsmith::limits
