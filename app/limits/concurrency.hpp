// What one request may take of a host: its time, and the turns of the build workers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>

#include "app/archive/archive_cache.hpp"
#include "app/base/clock.hpp"
#include "app/domain/permit.hpp"
#include "app/host/shared_file.hpp"

namespace goldsmith::limits {

// How long the request at hand may take (decision R20). What takes seconds asks before each step;
// what was done until then is kept, so that the same request continues there.
class RequestTime {
 public:
  // Less than nginx waits for an answer (600 s) and systemd for a sign of life (WatchdogSec).
  static constexpr std::chrono::seconds kLongest{570};

  explicit RequestTime(const base::Clock& clock) : clock_(clock) {}

  // A request begins. Without one, as in the operator's command, time is not limited.
  void begin() { end_ = clock_.steady() + kLongest; }

  std::chrono::milliseconds left() const {
    if (!end_) return std::chrono::milliseconds::max();
    const auto rest =
        std::chrono::duration_cast<std::chrono::milliseconds>(*end_ - clock_.steady());
    return std::max(rest, std::chrono::milliseconds(0));
  }

  // The refusal of a step that may take as long as that; std::nullopt if there is enough time.
  std::optional<domain::RateLimited> refusal(std::chrono::milliseconds needed) const {
    constexpr std::chrono::seconds kRetry{1};
    if (left() >= needed) return std::nullopt;
    return domain::RateLimited{domain::Limit::request_time, kRetry};
  }

 private:
  const base::Clock& clock_;
  std::optional<std::chrono::steady_clock::time_point> end_;
};

// How many of a host's build workers may be busy with what takes long, so that one caller's slow
// work never stalls what others could have at once: an `sma`, a cached archive, a plugin that
// compiles in 50 ms.
//
// A worker does one thing at a time, so that "quick" needs a worker that is free. Three kinds of
// work take seconds: compiles of unproved sources, which may use all of their 10 s (decision P15),
// waiting for somebody else's build (decision S17), and building an archive so large that copying
// it takes a while. The first two are bounded by half of the workers each; together and with
// builds under way that could still be all of them. So there is a third bound: all of it together
// leaves a quarter of the workers free, and one where there are three or more. (With one or two
// workers a bound of that kind would forbid what the decisions grant: one unproved compile, one
// waiter. That is why the default is eight.) Small archives don't count: they are built within the
// time of a request, and refusing them when others build would be worse than waiting for them.
//
// Pages and documents of the build pool take milliseconds, but callers without a key ask for them
// as often as the web server lets them, from as many addresses as they have: half of the workers
// make them, so that the others are there for the API (decision R21).
//
// A caller for whom there is no slot is told to come back in a few seconds, which costs none of its
// budgets.
class ConcurrencyLimits final : public archive::BuildLimits {
 public:
  // `workers` returns how many build workers this host has at the moment. `slots` is the host's.
  ConcurrencyLimits(host::HostSemaphore& slots, const RequestTime& time,
                    std::function<std::size_t()> workers)
      : slots_(slots), time_(time), workers_(std::move(workers)) {}

  // Slots, to be held as long as the work lasts. Throw base::FileError.
  domain::Admission compile_unproved();
  // The slot of a compile at normal priority, in addition to that of compile_unproved().
  domain::Admission compile_patiently();
  // Both are also refused if the request has too little time left for a build (decision R20).
  domain::Admission wait_for_build() override;
  domain::Admission build(std::uint64_t bytes) override;
  // For a page or a document, which is quick unless it compiles: then compile_unproved() applies.
  domain::Admission make_page();
  // For what is made ahead for game clients: one worker of the host at a time.
  domain::Admission provide_resources();

 private:
  // The first `count` slots of a row of `slots_`.
  struct Bound {
    std::size_t row;
    std::size_t count;
  };
  domain::Admission admit(std::initializer_list<Bound> bounds, const domain::RateLimited& refusal);
  // The bound of all slow work together.
  Bound slow() const;
  std::size_t half_of_workers() const;

  host::HostSemaphore& slots_;
  const RequestTime& time_;
  std::function<std::size_t()> workers_;
};

}  // namespace goldsmith::limits
