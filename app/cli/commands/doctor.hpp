// The checks of `goldsmith doctor`. Each adds its findings, and does not throw for a problem, so
// that one problem does not hide the next.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/context.hpp"

namespace goldsmith::cli {

enum class Health { good, warning, bad };

struct Finding {
  std::string subject;  // what was checked, in a word or two
  Health health = Health::good;
  std::string text;    // what was found
  std::string remedy;  // what to do; "" if nothing is wrong
};

class Findings {
 public:
  void good(std::string subject, std::string text);
  void warning(std::string subject, std::string text, std::string remedy);
  void bad(std::string subject, std::string text, std::string remedy);
  const std::vector<Finding>& all() const { return all_; }

 private:
  std::vector<Finding> all_;
};

struct Answer {
  bool good = false;  // the program ended with 0
  std::string text;   // what it printed, without surrounding spaces; why it did not run
};

// Runs a program of the host, which gets `most` of time, and waits for its end.
Answer ask(const std::vector<std::string>& arguments,
           std::chrono::seconds most = std::chrono::seconds(10));

// Whether root can have `goldsmith` run in an instance of the workers' units: the package is set
// up, and the configuration is the one that the units have.
bool can_start_units(Context& context);

// What a unit has printed to the journal since then, by line.
std::vector<std::string> journal_lines(const std::string& unit, domain::Timestamp since);

// How many bytes and inodes of the folder's disk are free; `remedy` is for one that is soon full.
// Adds nothing and returns false if there is no such folder.
bool examine_disk(const std::string& subject, const std::filesystem::path& folder,
                  const std::string& remedy, Findings& findings);

// Whether no more than the bits of `allowed` are in the mode of a file that holds a secret. Adds
// nothing if there is no such file.
void examine_mode(const std::filesystem::path& file, mode_t allowed, const std::string& remedy,
                  Findings& findings);
// examine_mode() for a private key, the value of `option`; a missing file is a problem.
void examine_key(const std::string& option, const std::filesystem::path& file, mode_t allowed,
                 const std::string& remedy, Findings& findings);

// The service's own parts: database, depot, caches, the disks of all these and of the logs, shared
// state.
void examine_service(Context& context, Findings& findings);
// The database's servers, replicas, schema and accounts; true if the stores can be read.
bool examine_database(Context& context, Findings& findings);
// What is published, and should perhaps not be.
void examine_directory(Context& context, Findings& findings);
// Repositories of plugins that are gone, or wait until somebody has looked.
void examine_followed(Context& context, Findings& findings);
// What is beside the database and can't be fetched again: what is followed, and the last backup.
void examine_kept(Context& context, Findings& findings);
// What the depot lacks, and whether the hosts in depot.peers could supply it.
void examine_depot(Context& context, Findings& findings);
// What the workers of a pool read and write beside their sockets: each is tried, as they do it, by
// this process, which is to be their user.
void examine_as_pool(Context& context, const std::string& pool, Findings& findings);
// examine_as_pool() as the users of both pools, as root may inside the restrictions of their units.
void examine_pools(Context& context, Findings& findings);
// Whether plugins can be compiled: each toolchain in its sandbox, as root may inside the
// restrictions of the build workers' unit, too.
void examine_toolchains(Context& context, Findings& findings);
// Whether upstream archives can be read: a small one, in the sandbox.
void examine_mirroring(Context& context, Findings& findings);
// Whether servers can be started: only goldsmith build start needs it.
void examine_starts(Context& context, Findings& findings);
// Its surroundings: file modes, units, nginx, certificate, clock. Skips what this host does not
// have, such as systemd.
void examine_host(Context& context, Findings& findings);

}  // namespace goldsmith::cli
