// Root does nothing in the folder of another user, who may have left anything there: the work is
// done by that user (decision S24).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/owner/program.hpp"

namespace goldsmith::owner {

// Who a folder belongs to, where this process is root and the folder another user's; std::nullopt
// otherwise. Throws Stop if root gets to the folder through a link.
struct FolderOwner {
  unsigned user = 0;
  unsigned group = 0;
};
std::optional<FolderOwner> other_owner_of(const std::string& folder);

// The exit status of `work`, done by that user in a process with a session of its own, without a
// terminal, with nothing of root's descriptors, and of its environment only what the owner may see.
// What it prints is passed on without what a terminal would take as commands.
int run_as(const FolderOwner& owner, const std::function<int()>& work);

// Asks on the terminal. Throws Stop if there is none, or the answer is no.
void ask(const Caller& caller, const base::Message& question);

}  // namespace goldsmith::owner
