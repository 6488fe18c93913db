#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

#include "app/base/json.hpp"
#include "app/owner/as_owner.hpp"
#include "app/owner/obstacles.hpp"
#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"
#include "app/owner/update.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

// Between the process of the owner and root.
constexpr int kNothingToDo = 100;

}  // namespace

void wait_for_players(const Installation& installation, const UpdateOptions& options) {
  const int process = running_in(installation);
  const ServerAddress address = options.address ? *options.address
                                : process != 0  ? address_of_process(process)
                                                : ServerAddress{};
  const Message::Value named{"address", address.host + ":" + std::to_string(address.port)};
  const auto end = std::chrono::steady_clock::now() + options.longest_wait;
  const Caller& caller = installation.caller();
  int told = -1;
  while (true) {
    const std::optional<int> players = players_on(address);
    if (!players && process != 0) {
      fail(Message("the server does not answer on {address}; give --address. Nothing was changed.",
                   {named}));
    }
    if (!players) caller.say(Message("No server answers on {address}.", {named}));
    if (players.value_or(0) == 0) return;
    if (std::chrono::steady_clock::now() >= end) {
      fail(Message(
          "players are on the server, and it was waited for {n} minutes; nothing was changed",
          {{"n", std::to_string(options.longest_wait.count())}}));
    }
    if (*players != told) {
      caller.say(Message("Waiting until no player is on the server: {n} now.",
                         {{"n", std::to_string(*players)}}));
      std::fflush(stdout);
    }
    told = *players;
    constexpr std::chrono::seconds kPause{10};
    std::this_thread::sleep_for(kPause);
  }
}

int told(const Caller& caller, const std::function<int()>& work) {
  try {
    return work();
  } catch (const Stop& stop) {
    if (caller.is_json) {
      std::puts(json::to_pretty_string(json::Object{{"status", "failed"},
                                                    {"error", stop.message.in(caller.translate)}})
                    .c_str());
    }
    return stop.message.empty() ? stop.status : caller.fail(stop.status, stop.message);
  } catch (const std::exception& error) {
    return caller.fail(Stop::kFailed,
                       Message("failed: {reason}", {{"reason", shown(error.what())}}));
  }
}

int run_as_owner(const Caller& caller, UpdateOptions& options, const std::function<int()>& work) {
  const auto owner = other_owner_of(options.folder);
  if (!owner) return work();
  if (options.asks && !options.is_dry_run) {
    options.is_dry_run = true;
    if (const int status = run_as(*owner, work)) return status;
    ask(caller, Message("Go on?", {}));
    options.is_dry_run = false;
  }
  options.asks = false;
  return run_as(*owner, work);
}

int update_as_owner(const Caller& caller, UpdateOptions options) {
  const int status = run_as_owner(caller, options, [&] {
    return told(caller,
                [&] { return update_folder(caller, options) == Updated::done ? 0 : kNothingToDo; });
  });
  return status == kNothingToDo ? 0 : status;
}

}  // namespace goldsmith::owner
