// An update of a server's folder to the current build of a selection (decision S24).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/owner/installation.hpp"
#include "app/owner/players.hpp"

namespace goldsmith::owner {

struct UpdateOptions {
  std::string folder;
  std::optional<std::string> selection;  // a query string; that of the last run by itself
  std::string key_file;                  // read by who does the work
  bool is_dry_run = false;
  bool asks = true;                           // before anything changes
  bool accepts_identities = false;            // other Steam IDs of players without Steam
  bool waits_for_players = false;             // until none is on the server
  std::optional<ServerAddress> address = {};  // of the server; that of its process by itself
  std::chrono::minutes longest_wait{60};
};

enum class Updated { done, nothing_to_do };

// In this process. Throws Stop if it fails, and then nothing was changed but for what it says.
Updated update_folder(const Caller& caller, const UpdateOptions& options);

// Does `work`, which reads `options`, as the owner of their folder where root runs this: it asks on
// the terminal of root once the owner's dry run has shown what would change. Returns the exit
// status of `work`; one of the dry run that is not 0 ends it.
int run_as_owner(const Caller& caller, UpdateOptions& options, const std::function<int()>& work);

// update_folder() in that way. Returns the exit status.
int update_as_owner(const Caller& caller, UpdateOptions options);

// Waits until no player is on the server. Throws Stop if that takes too long.
void wait_for_players(const Installation& installation, const UpdateOptions& options);

// The message of a Stop that `work` throws, and its exit status.
int told(const Caller& caller, const std::function<int()>& work);

}  // namespace goldsmith::owner
