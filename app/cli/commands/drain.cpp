// Takes this host out of service and back, for a front that asks /readyz (decision O16).
#include <cerrno>
#include <chrono>
#include <ostream>
#include <thread>

#include "app/base/file.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/host/metrics.hpp"
#include "app/limits/freshness.hpp"
#include "app/limits/rate_windows.hpp"

namespace goldsmith::cli::commands::drain {
namespace {

using Seconds = std::chrono::seconds;

// Fronts ask every few seconds, and a request may be on its way.
constexpr Seconds kQuietTime{5};
constexpr std::int64_t kLongestWait = 3600;

// The workers write the shared state when they start.
void check_is_set_up(Context& context) {
  try {
    limits::SharedState(context.config().state, limits::SharedState::Open::existing);
  } catch (const base::FileError& error) {
    if (error.error_number() != ENOENT) throw;
    throw Failure(
        "this host serves nothing: no worker has run since the last boot; goldsmith setup sets it "
        "up, systemctl start goldsmith.target starts it");
  }
}

// Until no request came for a while and none is under way.
void wait_until_quiet(Context& context, Seconds patience) {
  const host::Metrics metrics(context.config().state.parent_path() / host::Metrics::kFile);
  const auto start = std::chrono::steady_clock::now();
  auto quiet_since = start;
  std::uint64_t requests = metrics.requests_answered();
  while (std::chrono::steady_clock::now() - quiet_since < kQuietTime) {
    const auto now = std::chrono::steady_clock::now();
    if (now - start >= patience) {
      throw Failure("requests still arrive or are under way; the host stays drained");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::uint64_t answered = metrics.requests_answered();
    // A check of the front also makes a worker for reads busy, but only for a moment.
    if (answered != requests || metrics.busy("build") > 0) quiet_since = now;
    requests = answered;
  }
}

void run_drain(const Arguments& arguments, Context& context) {
  check_is_set_up(context);
  const limits::DrainMark mark(context.config().state);
  const bool changed = mark.set(context.now());
  context.out() << (changed ? "This host is drained." : "This host was drained already.")
                << " /readyz is 503; requests that still come are answered.\n"
                << std::flush;
  if (!arguments.has("wait")) return;
  wait_until_quiet(context, Seconds(arguments.integer("wait", 1, kLongestWait)));
  context.out() << "No request came for " << kQuietTime.count()
                << " s, and no worker is building.\n";
}

void run_undrain(const Arguments&, Context& context) {
  check_is_set_up(context);
  const bool changed = limits::DrainMark(context.config().state).clear();
  context.out() << (changed ? "This host is in service again.\n" : "This host was not drained.\n");
}

Verb drain_verb() {
  return {
      .name = "drain",
      .summary = "Takes this host out of service, without failing a request.",
      .text =
          "Makes /readyz answer 503, so that a front which checks it sends new requests to the "
          "other hosts. Requests that are under way or still come are answered as usual. The host "
          "stays drained while workers restart and the package is upgraded, until \"goldsmith "
          "undrain\" or a boot. \"goldsmith doctor\" tells that it is drained.",
      .options = {{.name = "wait",
                   .value_name = "SECONDS",
                   .help =
                       "Waits until no request came for five seconds and no build is under way, "
                       "1 to 3600 seconds; if that takes longer, the exit code is 1. "
                       "Downloads of finished archives are nginx's, and not waited for."}},
      .examples = {"goldsmith drain", "goldsmith drain --wait 600"},
      .run = run_drain,
      .is_recorded = true,
  };
}

Verb undrain_verb() {
  return {
      .name = "undrain",
      .summary = "Puts a drained host into service again.",
      .text = "Ends what \"goldsmith drain\" began: /readyz answers as before.",
      .examples = {"goldsmith undrain"},
      .run = run_undrain,
      .is_recorded = true,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "drain",
      .summary = "Takes this host out of service, without failing a request.",
      .text = "Takes this host out of service.",
      .verbs = {drain_verb()},
  };
}

Noun undrain_noun() {
  return {
      .name = "undrain",
      .summary = "Puts a drained host into service again.",
      .text = "Puts a drained host into service again.",
      .verbs = {undrain_verb()},
  };
}

}  // namespace goldsmith::cli::commands::drain
