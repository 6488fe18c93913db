// What the imports share: everything is read and checked before anything is written, and every
// change is reported.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/context.hpp"
#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/text_reader.hpp"

namespace goldsmith::cli {

// Collects the problems of all files of one call, so that they are reported together.
class Problems {
 public:
  void add(std::string problem) { problems_.push_back(std::move(problem)); }
  // Runs `read`; what it throws is a problem, except db::Error, which is rethrown.
  void collect(const std::function<void()>& read);
  bool none() const { return problems_.empty(); }
  // Throws Failure if there are any; several are reported as lines of their own before it.
  void check(Context& context) const;

 private:
  std::vector<std::string> problems_;
};

// The names read so far in one call. A name in two files is a problem.
class NamesRead {
 public:
  // `kind`: what the names are, in the singular.
  explicit NamesRead(std::string kind) : kind_(std::move(kind)) {}

  // Throws Failure, which names both files.
  void add(const std::string& name, const std::string& file);

 private:
  std::string kind_;
  std::map<std::string, std::string> file_of_;
};

// Prints "created    NAME" for each, and a line of totals. `noun` is in the singular.
void report_changes(Context& context, const std::string& noun,
                    const std::vector<std::string>& names,
                    const std::vector<db::ImportChange>& changes);

// Files of plugins in places that are somebody else's (decision P23).

// Of the database. Throws db::Error.
domain::FileOwners file_owners(Context& context);

// For people: `cstrike/addons/amxmodx/configs/users.ini is a file of AMX Mod X 1.10 (amxmodx)`, of
// each file that may not be a plugin's.
std::vector<std::string> foreign_files(domain::PluginVersion version,
                                       const domain::FileOwners& owners);

// Of all versions, each once.
std::vector<std::string> foreign_files(const domain::Plugin& plugin,
                                       const domain::FileOwners& owners);

// Whose place the version's binary takes, which may be a plugin's, and what comes of it; "" if its
// place is nobody's.
std::string foreign_binary(const domain::PluginVersion& version, const domain::FileOwners& owners);

// Passwords, keys and addresses in what a plugin would publish (decision P22).

// What was found in one file, for people: `FILE, line 12: px_db_pass is "sE…"`. Precondition: the
// file has its content. What `texts` throws passes.
std::vector<std::string> secrets_of(const domain::PluginFile& file, const pawn::TextReader& texts);
// In all files of a version.
std::vector<std::string> secrets_of(const domain::PluginVersion& version,
                                    const pawn::TextReader& texts);

}  // namespace goldsmith::cli
