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
// Who finds no place is told to come back in a few seconds, which costs none of its budgets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "app/domain/permit.hpp"
#include "app/sys/seats.hpp"

namespace goldsmith::service {

class WorkerShares {
 public:
  // `workers` tells how many build workers this host has at the moment. `seats` is the host's.
  WorkerShares(sys::Seats& seats, std::function<std::size_t()> workers)
      : seats_(seats), workers_(std::move(workers)) {}

  // Places, to be held as long as the work lasts. Throw sys::FileError.
  domain::Turn compile_unproved();
  domain::Turn wait_for_build();
  // Of an archive of that size.
  domain::Turn build(std::uint64_t bytes);

 private:
  domain::Turn take(std::size_t row, std::size_t count, std::size_t workers,
                    const domain::RateLimited& refusal);

  sys::Seats& seats_;
  std::function<std::size_t()> workers_;
};

}  // namespace goldsmith::service
