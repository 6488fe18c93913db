#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/archive/depot_upkeep.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/mirror/depot_sources.hpp"
#include "db/access_store.hpp"
#include "db/connection.hpp"
#include "db/migrations.hpp"

namespace goldsmith::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabase = "database";
// A replica that is not behind for good has caught up by then.
constexpr std::chrono::seconds kCatchingUp{2};

std::string remedy_for(const db::Error& error, const base::ServerAddress& server) {
  switch (error.kind()) {
    case db::Error::Kind::unavailable:
    case db::Error::Kind::timeout:
      if (!server.socket.empty()) {
        return "is the server running? systemctl status mariadb, or mysql";
      }
      return "is the server running, does it listen on that address, and do firewalls let this "
             "host in?";
    case db::Error::Kind::untrusted:
      return "database.tls_ca must be the authority that signed the server's certificate, which "
             "must be valid for the name in database.hosts; the server must offer TLS; if it "
             "demands TLS, database.tls must be required or verify";
    case db::Error::Kind::denied:
      return "goldsmith setup creates the accounts and their passwords again";
    default:
      return "goldsmith setup creates a database that is not there; the server's log says more";
  }
}

std::string describe(const db::ServerReport& report) {
  return report.version + (report.cipher.empty() ? "" : ", " + report.cipher);
}

// The two clocks, in whole seconds.
void compare_clocks(const std::string& name, std::int64_t there, const base::Clock& clock,
                    Findings& findings) {
  const std::int64_t apart = std::abs(there - base::unix_seconds(clock.now()));
  if (apart <= 2) {
    findings.good("clock", "this host's and that of " + name + " agree");
  } else {
    findings.bad(
        "clock", fmt::format("it is {} s away from that of {}", apart, name),
        "synchronise both hosts: apt-get install systemd-timesyncd; timedatectl set-ntp true");
  }
}

// A socket leads to a server of this host, if perhaps one in a container.
void examine_database_disk(db::Database& database, const base::ServerAddress& server,
                           Findings& findings) {
  const std::string subject = "database disk";
  const std::string name = base::to_string(server);
  const auto rows = database.query("SELECT @@datadir");
  const std::string folder = rows->next() ? rows->text(1) : "";
  const bool is_seen = !server.socket.empty() &&
                       examine_disk(subject, folder,
                                    "goldsmith log prune with a lower log.retention_days makes "
                                    "room for new downloads; or a larger disk",
                                    findings);
  if (is_seen) return;
  findings.good(subject, "that of " + name + " can't be seen from this host (" + folder +
                             " there): watch its free space there");
}

db::Database connect_to(db::ConnectionSettings settings, const base::ServerAddress& server) {
  settings.servers = {server};
  return db::Database(settings);
}

// A server that can't be used is a problem; while another one writes, a warning.
class ServerExamination {
 public:
  ServerExamination(const base::Clock& clock, Findings& findings)
      : clock_(clock), findings_(findings) {}

  void examine(const db::ConnectionSettings& settings, const base::ServerAddress& server) {
    const std::string name = base::to_string(server);
    try {
      db::Database database = connect_to(settings, server);
      const db::ServerReport report = database.report();
      compare_clocks(name, report.clock, clock_, findings_);
      examine_database_disk(database, server, findings_);
      if (const auto found = db::server_objection(database)) {
        findings_.bad(kDatabase, name + ": " + found->problem, found->remedy);
      }
      if (report.is_read_only) return read_only_.push_back(name);
      is_one_good_ = true;
      findings_.good(kDatabase,
                     settings.user + " is let in at " + name + " (" + describe(report) + ")");
    } catch (const db::Error& error) {
      unusable_.emplace_back(error.what(), remedy_for(error, server));
    }
  }

  // Reports on those that can't be written to; false if none can be used.
  bool end() {
    for (const auto& [cause, remedy] : unusable_) {
      if (is_one_good_) {
        findings_.warning(kDatabase, cause, remedy);
      } else {
        findings_.bad(kDatabase, cause, remedy);
      }
    }
    for (const std::string& name : read_only_) {
      if (is_one_good_) {
        findings_.good(kDatabase, name + " is read-only, and is used once it is not");
      } else {
        findings_.bad(kDatabase,
                      name + " is read-only: downloads, limits and imports can't be stored",
                      "SET GLOBAL read_only = 0 if it is the primary now, or name the primary in "
                      "database.hosts");
      }
    }
    return is_one_good_ || !read_only_.empty();
  }

 private:
  const base::Clock& clock_;
  Findings& findings_;
  std::vector<std::pair<std::string, std::string>> unusable_;  // causes and remedies
  std::vector<std::string> read_only_;
  bool is_one_good_ = false;
};

bool examine_servers(Context& context, Findings& findings) {
  const db::ConnectionSettings settings = db::connection_settings(context.config().database);
  ServerExamination examination(context.clock(), findings);
  for (const base::ServerAddress& server : settings.servers) examination.examine(settings, server);
  return examination.end();
}

// The replica's progress, once it has `wanted` or has had the time for it.
db::Progress await(db::Database& replica, const db::Progress& wanted) {
  const auto deadline = std::chrono::steady_clock::now() + kCatchingUp;
  db::Progress reached = db::read_progress(replica);
  while (!reached.includes(wanted) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    reached = db::read_progress(replica);
  }
  return reached;
}

void examine_replica(Context& context, const db::ConnectionSettings& settings,
                     const base::ServerAddress& server, Findings& findings) {
  const std::string name = base::to_string(server);
  try {
    db::Database replica = connect_to(settings, server);
    const db::ServerReport report = replica.report();
    const db::Progress wanted = db::read_progress(context.any_database());
    const db::Progress reached = await(replica, wanted);
    if (reached.includes(wanted)) {
      findings.good("replica", name + " is up to date (" + describe(report) + ")");
    } else {
      findings.bad(
          "replica",
          fmt::format("{} is behind: it has revision {} and download {}, the primary {} and {}; it "
                      "is not read",
                      name, reached.revision, reached.downloads, wanted.revision, wanted.downloads),
          "SHOW REPLICA STATUS there says why; START REPLICA, or set it up again");
    }
  } catch (const db::Error& error) {
    findings.bad("replica", error.what(), remedy_for(error, server));
  }
}

bool examine_schema(db::Database& database, Findings& findings) {
  const auto status = db::migration_status(database);
  const auto pending = std::count_if(status.begin(), status.end(),
                                     [](const auto& each) { return !each.applied_at; });
  if (pending == 0) {
    if (db::is_current(database)) {
      findings.good("schema", fmt::format("up to date, {} changes applied", status.size()));
      return true;
    }
    findings.bad("schema", "it is newer than this program", "install the newer package again");
    return false;
  }
  findings.bad("schema", std::to_string(pending) + " changes are missing", "goldsmith db migrate");
  return false;
}

// Each pool of workers has an account with only the privileges that it needs.
void examine_pool_account(Context& context, const std::string& pool,
                          const std::vector<const char*>& tables, Findings& findings) {
  const std::string subject = pool + " account";
  try {
    const base::Config config = context.workers_config(pool);
    db::Database database(db::connection_settings(config.database));
    for (const char* table : tables) {
      database.query(std::string("SELECT 1 FROM ") + table + " LIMIT 1");
    }
    if (config.limits_backend == base::LimitsBackend::mysql) {
      database.query("SELECT 1 FROM rate_windows LIMIT 1");
    }
    findings.good(subject, config.database.user + " can read what the " + pool + " workers need");
  } catch (const db::Error& error) {
    findings.bad(subject, error.what(), "goldsmith setup --upgrade grants the privileges");
  }
}

void examine_pool_accounts(Context& context, Findings& findings) {
  examine_pool_account(
      context, "api",
      {"plugins", "plugin_counters", "addon_packs", "components", "api_keys", "settings"},
      findings);
  examine_pool_account(
      context, "build",
      {"plugins", "plugin_counters", "components", "overlay_sections", "api_keys", "settings"},
      findings);
}

bool is_over_network(const base::DatabaseConfig& config) {
  const auto settings = {db::connection_settings(config), db::replica_settings(config)};
  return std::any_of(settings.begin(), settings.end(), [](const db::ConnectionSettings& each) {
    return std::any_of(each.servers.begin(), each.servers.end(),
                       [](const base::ServerAddress& server) { return server.socket.empty(); });
  });
}

// The units keep workers off the network, unless setup has added a drop-in.
void examine_network(Context& context, Findings& findings) {
  std::error_code error;
  if (!fs::exists("/run/systemd/system", error) || !is_over_network(context.config().database)) {
    return;
  }
  const Answer answer = ask({"/usr/bin/systemctl", "show", "--property=PrivateNetwork", "--value",
                             "goldsmith-api@1.service"});
  if (answer.text != "yes") return;
  findings.bad("network", "the units of the workers do not let them reach the database",
               "goldsmith setup --upgrade writes the drop-ins database.conf");
}

void examine_files(const archive::Depot& depot, const domain::Catalog& catalog,
                   Findings& findings) {
  const std::size_t versions = archive::count_versions(catalog);
  const auto missing = archive::find_missing(catalog, depot);
  if (!missing.empty()) {
    findings.bad("depot",
                 fmt::format("{} of {} files are missing, the first is that of {} {}",
                             missing.size(), versions, missing.front().component->slug.view(),
                             missing.front().version->version.view()),
                 "goldsmith depot fill fetches them");
  } else if (versions == 0) {
    findings.warning("depot", "nothing is mirrored, so no server can be built",
                     "goldsmith component import --defaults; goldsmith component mirror --all");
  } else {
    findings.good("depot",
                  fmt::format("{} mirrored versions in {}", versions, depot.root().native()));
  }
}

// When the first of these versions was mirrored.
std::optional<domain::Timestamp> oldest_in(const domain::Catalog& catalog) {
  std::optional<domain::Timestamp> oldest;
  for (const domain::Component& component : catalog.components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      if (!version.mirrored_at) continue;
      oldest = std::min(oldest.value_or(*version.mirrored_at), *version.mirrored_at);
    }
  }
  return oldest;
}

// Whether all files were read lately, and were as mirrored.
void examine_verification(Context& context, const archive::Depot& depot,
                          const domain::Catalog& catalog, Findings& findings) {
  constexpr std::chrono::days kOverdue{21};
  constexpr const char* kSubject = "depot files";
  const auto last = archive::last_verification(depot);
  const auto since = last ? std::optional(last->ended_at) : oldest_in(catalog);
  if (!since) return;
  const std::string time = domain::format_timestamp(*since);
  if (context.clock().seconds() - *since > kOverdue) {
    findings.warning(kSubject, "they were not read since " + time,
                     "systemctl enable --now goldsmith-depot-verify.timer, or goldsmith depot "
                     "verify --repair");
  } else if (last && last->damaged > 0) {
    findings.warning(kSubject,
                     fmt::format("{} were damaged when they were read, {}", last->damaged, time),
                     "goldsmith depot verify --repair; the journal of the kernel may tell why: "
                     "journalctl -k");
  } else if (last) {
    findings.good(kSubject, "all were as mirrored when they were read, " + time);
  }
}

// Without natives a server is handed out in which AMX Mod X does not load a plugin.
void examine_natives(Context& context, Findings& findings) {
  const auto lacking = context.components().without_natives();
  if (lacking.empty()) return;
  findings.warning(
      "natives",
      fmt::format("what the modules or includes of {} mirrored versions offer is not recorded, the "
                  "first is {} {}",
                  lacking.size(), lacking.front().slug.view(), lacking.front().version.view()),
      "goldsmith depot verify --record");
}

// A file of this host, to compare with those of the others.
struct OwnFile {
  const domain::Component* component = nullptr;
  const domain::ComponentVersion* version = nullptr;
  std::filesystem::path path;
};

std::optional<OwnFile> find_own(const archive::Depot& depot, const domain::Catalog& catalog) {
  for (const domain::Component& component : catalog.components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      const auto path = depot.find(component.slug, version.version, version.digest);
      if (path) return OwnFile{&component, &version, *path};
    }
  }
  return std::nullopt;
}

void report(const std::string& address, const OwnFile& own, const mirror::PeerState& state,
            Findings& findings) {
  using Kind = mirror::PeerState::Kind;
  constexpr const char* kSubject = "depot peer";
  const std::string file = own.component->slug + " " + own.version->version;
  const std::string text = address + ": " + state.problem + " (" + file + ")";
  switch (state.kind) {
    case Kind::serves:
      return findings.good(kSubject, address + " lets this host in and has " + file);
    case Kind::lacks:
      return findings.warning(
          kSubject, text,
          "goldsmith depot fill there; depot.allow or depot.allow_ca there must "
          "name this host, followed by goldsmith setup");
    case Kind::unreachable:
      return findings.warning(kSubject, text, "is the host running, and its nginx?");
    case Kind::unusable:
      break;
  }
  findings.bad(kSubject, text,
               "goldsmith depot verify there; depot.peers, depot.ca_file and "
               "depot.tls_certificate here must fit that host");
}

void examine_peers(Context& context, const archive::Depot& depot, const domain::Catalog& catalog,
                   Findings& findings) {
  const std::optional<OwnFile> own = find_own(depot, catalog);
  if (!own) return;
  for (const std::string& address : context.config().depot_peers.peers) {
    const mirror::PeerState state =
        mirror::examine_peer(address, *own->component, *own->version, own->path, context.config());
    report(address, *own, state, findings);
  }
}

}  // namespace

bool examine_database(Context& context, Findings& findings) {
  const base::DatabaseConfig& config = context.config().database;
  // For the workers and nobody else.
  examine_key(
      "database.tls_key", config.tls.key, 0770,
      "chgrp goldsmith " + config.tls.key.native() + "; chmod 640 " + config.tls.key.native(),
      findings);
  examine_network(context, findings);
  if (!examine_servers(context, findings)) return false;
  bool is_current = false;
  try {
    is_current = examine_schema(context.any_database(), findings);
  } catch (const db::Error& error) {
    findings.bad("schema", error.what(), "goldsmith db status");
  }
  examine_pool_accounts(context, findings);
  if (!is_current) return false;
  const db::ConnectionSettings replicas = db::replica_settings(config);
  for (const base::ServerAddress& server : replicas.servers) {
    examine_replica(context, replicas, server, findings);
  }
  return true;
}

void examine_depot(Context& context, Findings& findings) {
  const archive::Depot depot(context.config().depot);
  const domain::Catalog catalog = context.components().load_catalog();
  examine_files(depot, catalog, findings);
  examine_natives(context, findings);
  try {
    examine_verification(context, depot, catalog, findings);
    examine_peers(context, depot, catalog, findings);
  } catch (const base::FileError& error) {
    findings.bad("depot", error.what(), "goldsmith depot verify");
  }
}

}  // namespace goldsmith::cli
