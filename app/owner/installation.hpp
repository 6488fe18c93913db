// The folder of a server that is installed and updated, and the lock of a run in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/owner/program.hpp"
#include "app/owner/server_files.hpp"
#include "app/owner/state.hpp"

namespace goldsmith::owner {

class Installation {
 public:
  // Throws Stop if there is no such folder.
  Installation(const Caller& caller, std::string folder);

  const Caller& caller() const { return caller_; }
  const ServerFiles& files() const { return files_; }
  const std::string& folder() const { return folder_; }  // as it was given
  // A path in it, for messages.
  std::string shown_path(std::string_view path) const;

  // What is in `.goldsmith`. Throws Stop if that is not of this service or this format, or if there
  // is a link in it. `service`: "" for any.
  void check(const std::string& service);
  // Before the first installation there is none.
  const std::optional<InstalledState>& state() const { return state_; }
  bool is_first() const { return !state_; }
  bool is_interrupted() const { return files_.exists(kCommit) || files_.exists(kUndo); }

  // Throws Stop if another run is at work, or nothing can be written; check() is to follow.
  void lock();

 private:
  void check_kinds() const;

  const Caller& caller_;
  std::string folder_;
  ServerFiles files_;
  std::optional<InstalledState> state_;
  Descriptor lock_;
};

// Of a file that `.goldsmith` has. Throws Stop if it is of another service or damaged.
Changes read_changes(const Installation& installation, std::string_view path);

// Where nothing was changed yet.
[[noreturn]] void fail_without_room(const Installation& installation);

}  // namespace goldsmith::owner
