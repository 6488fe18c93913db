// All that compiles in one process, put together: the same for workers, for the operator's command
// and for tests.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "app/compile/compile_history.hpp"
#include "app/compile/compiler.hpp"
#include "app/service/compile_scheduler.hpp"
#include "app/service/concurrency_limits.hpp"
#include "app/service/request_time.hpp"
#include "app/service/toolchain_watch.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "app/sys/host_semaphore.hpp"

namespace goldsmith::service {

struct CompileStack {
  // `shared`: the folder of what the processes of a host share; the files `compiles` and `seats`
  // are made there. `workers`: see ConcurrencyLimits. `clock` and `compiler` must outlive the
  // object. Throws sys::FileError.
  CompileStack(const sys::Config& config, const std::filesystem::path& shared,
               const sys::Clock& clock, const compile::Compiler& compiler,
               std::function<std::size_t()> workers)
      : toolchains(config.toolchains, config.includes),
        history(shared / "compiles"),
        slots(shared / "seats"),
        time(clock),
        limits(slots, time, std::move(workers)),
        compiles({compiler, history, limits, time, clock}) {}
  CompileStack(const CompileStack&) = delete;
  CompileStack& operator=(const CompileStack&) = delete;

  const compile::Toolchains toolchains;
  ToolchainWatch watch{toolchains};
  compile::CompileHistory history;
  sys::HostSemaphore slots;
  RequestTime time;
  ConcurrencyLimits limits;
  const CompileScheduler compiles;
};

}  // namespace goldsmith::service
