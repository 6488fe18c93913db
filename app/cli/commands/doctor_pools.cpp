#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <sstream>
#include <system_error>

#include "app/base/file.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/domain/plugin.hpp"
#include "app/host/metrics.hpp"
#include "db/database.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModesOfDepot = "goldsmith depot verify --repair";

std::string name_of(uid_t user) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16U << 10> texts{};
  ::getpwuid_r(user, &entry, texts.data(), texts.size(), &found);
  return found == nullptr ? std::to_string(user) : found->pw_name;
}

// The first folder on the way to `path`, links followed, that this process may not enter; "" =
// none.
fs::path closed_folder(const fs::path& path, int links = 0) {
  fs::path way;
  for (const fs::path& part : path.parent_path()) {
    way /= part;
    if (::faccessat(AT_FDCWD, way.c_str(), X_OK, AT_EACCESS) == 0) continue;
    return errno == EACCES ? way : fs::path();
  }
  std::error_code error;
  constexpr int kMostLinks = 40;
  if (links == kMostLinks || !fs::is_symlink(fs::symlink_status(path, error))) return {};
  return closed_folder((path.parent_path() / fs::read_symlink(path, error)).lexically_normal(),
                       links + 1);
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return path == folder || path.native().starts_with(folder.native() + '/');
}

// What a worker does, tried by this process. Each failure is a finding with the way out.
class Trials {
 public:
  Trials(const std::string& pool, const fs::path& depot, Findings& findings)
      : pool_(pool), depot_(depot), user_(name_of(::geteuid())), findings_(findings) {}

  const std::string& user() const { return user_; }
  bool is_good() const { return failures_ == 0; }

  // A file or a folder. `remedy`: where the path itself may not be read; "" = what opens it to all.
  // False if it can't be.
  bool read(const fs::path& path, const std::string& remedy = "") {
    const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (fd) return true;
    const int error = errno;
    std::error_code ignored;
    const std::string open = (fs::is_directory(path, ignored) ? "chmod a+rx " : "chmod a+r ");
    fail("can't read", path, error, remedy.empty() ? open + path.native() : remedy);
    return false;
  }

  // All that is in a folder, if it is there; links in it are followed.
  void read_all(const fs::path& folder) {
    if (is_absent(folder) || !read(folder)) return;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (entry.is_directory(error)) {
        read_all(entry.path());
      } else if (!read(entry.path())) {
        return;  // the first says enough
      }
    }
  }

  // Creates a file in the folder, and removes it.
  void write_in(const fs::path& folder) {
    std::string file = (folder / ".goldsmith-XXXXXX").native();
    const base::UniqueFd fd(::mkostemp(file.data(), O_CLOEXEC));
    if (!fd) {
      return fail("can't write in", folder, errno, "chown " + user_ + ": " + folder.native());
    }
    if (::unlink(file.c_str()) != 0) fail("can't remove what is in", folder, errno, "");
  }

  // A file that exists and is another user's. It is not opened: closing it would start what waits
  // for a change, such as goldsmith-depot-fill.path.
  void write(const fs::path& file) {
    if (::faccessat(AT_FDCWD, file.c_str(), R_OK | W_OK, AT_EACCESS) == 0) return;
    fail("can't write to", file, errno, "remove it; systemd-tmpfiles --create goldsmith.conf");
  }

  void fail(const std::string& text, const std::string& remedy) {
    ++failures_;
    findings_.bad(pool_ + " workers", user_ + " " + text, remedy);
  }

 private:
  static bool is_absent(const fs::path& path) {
    return ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
  }

  void fail(const std::string& what, const fs::path& path, int error, const std::string& remedy) {
    const fs::path closed = error == EACCES ? closed_folder(path) : fs::path();
    std::string text = what + " " + path.native() + ": " + std::generic_category().message(error);
    if (!closed.empty()) text += ", as " + closed.native() + " does not let it in";
    fail(text, remedy_for(path, closed, error, remedy));
  }

  std::string remedy_for(const fs::path& path, const fs::path& closed, int error,
                         const std::string& own) const {
    constexpr const char* kHidden =
        "units do not see what is below /home, /root and /tmp: choose "
        "another place, such as /srv, and run goldsmith setup";
    switch (error) {
      case EACCES:
        for (const char* place : {"/home", "/root", "/run/user"}) {
          if (closed == place) return kHidden;
        }
        if (is_below(closed.empty() ? path : closed, depot_)) return kModesOfDepot;
        return closed.empty() ? own : "chmod a+x " + closed.native();
      case EROFS:
        return "goldsmith setup lets the units write there";
      case ENOENT:
        return is_below(path, "/tmp") || is_below(path, "/var/tmp")
                   ? kHidden
                   : "name another one in the configuration, or make it; goldsmith setup makes the "
                     "folders of the depot and the caches";
      default:
        return "systemctl cat goldsmith-" + pool_ +
               "@.service shows what it forbids, drop-ins included";
    }
  }

  std::string pool_;
  fs::path depot_;
  std::string user_;
  Findings& findings_;
  int failures_ = 0;
};

void try_depot(const std::string& pool, const fs::path& depot, Trials& trials) {
  std::error_code error;
  if (!fs::exists(depot, error) && !error) return;  // nothing is mirrored
  if (!trials.read(depot)) return;
  for (const fs::directory_entry& component : fs::directory_iterator(depot, error)) {
    if (component.path().filename().native().starts_with('.')) continue;
    if (!trials.read(component.path())) return;  // the remedy is one for all
    if (pool == "api") continue;                 // reads names alone
    for (const fs::directory_entry& file : fs::directory_iterator(component.path(), error)) {
      if (!trials.read(file.path())) return;
    }
  }
}

// Without a toolchain no plugin is compiled, which another check says.
void try_toolchains(const base::Config& config, Trials& trials) {
  for (const fs::path& folder : {config.toolchains, config.includes}) {
    for (const std::string& line : domain::toolchain_lines()) trials.read_all(folder / line);
  }
}

void try_shared_files(const fs::path& state, Trials& trials) {
  std::error_code error;
  for (const char* name : {"state", host::Metrics::kFile, "seats", "compiles", "compiled_plugins",
                           "digests", "depot-fill", "build-start", "starts"}) {
    const fs::path file = std::string_view(name) == "state" ? state : state.parent_path() / name;
    if (fs::exists(file, error)) trials.write(file);
  }
}

void try_database(const base::DatabaseConfig& config, Trials& trials) {
  for (const fs::path& file : {config.tls.certificate, config.tls.key}) {
    if (file.empty()) continue;
    trials.read(file, "chgrp goldsmith " + file.native() + "; chmod 640 " + file.native());
  }
  if (config.tls.mode == base::DatabaseTls::Mode::verify) trials.read(config.tls.authorities);
  try {
    db::Database database(db::worker_settings(config));
    database.query("SELECT 1");
  } catch (const db::Error& error) {
    trials.fail(std::string("can't use the database: ") + error.what(),
                "where root can, goldsmith setup --upgrade lets the units reach it");
  }
}

// The findings that a `doctor --pool` has printed; whatever else it said, where there are none.
void add_printed(const std::vector<std::string>& lines, const std::string& pool,
                 const std::string& otherwise, Findings& findings) {
  bool is_one_bad = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("! ") || colon == std::string::npos) continue;
    const bool has_remedy = i + 1 < lines.size() && lines[i + 1].starts_with("    ");
    findings.bad(line.substr(2, colon - 2), line.substr(colon + 2),
                 has_remedy ? lines[i + 1].substr(4) : "");
    is_one_bad = true;
  }
  if (is_one_bad) return;
  std::string cause = otherwise;
  for (const std::string& line : lines) {
    if (line.starts_with("goldsmith: ")) cause = line.substr(11);
  }
  findings.bad(pool + " workers", "what they read and write can't be tried: " + cause,
               "journalctl -u goldsmith-" + pool + "@access.service says more");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// More than TimeoutStartSec of the unit.
constexpr std::chrono::seconds kTrialTime{90};

void examine_in_unit(const std::string& pool, Context& context, Findings& findings) {
  const std::string unit = "goldsmith-" + pool + "@access.service";
  const domain::Timestamp start = context.now();
  const Answer answer = ask({"/usr/bin/systemctl", "start", unit}, kTrialTime);
  if (!answer.good) return add_printed(journal_lines(unit, start), pool, answer.text, findings);
  findings.good(pool + " workers", "goldsmith-" + pool +
                                       " reads and writes what it must, inside goldsmith-" + pool +
                                       "@.service");
}

// Where the package is installed without a systemd that runs.
void examine_as_user(const std::string& pool, const passwd& account, Context& context,
                     Findings& findings) {
  std::error_code error;
  const Answer answer = ask(
      {"/usr/bin/setpriv", "--reuid", std::to_string(account.pw_uid), "--regid",
       std::to_string(account.pw_gid), "--init-groups", fs::read_symlink("/proc/self/exe", error),
       "doctor", "--pool", pool, "--config", context.config_file()},
      kTrialTime);
  if (!answer.good) return add_printed(lines_of(answer.text), pool, answer.text, findings);
  findings.good(pool + " workers", std::string(account.pw_name) + " reads and writes what it must");
}

}  // namespace

bool can_start_units(Context& context) {
  return ::geteuid() == 0 && context.config_file() == ConfigRequest().file &&
         ask({"/usr/bin/systemctl", "is-active", "goldsmith-build.socket"}).good;
}

std::vector<std::string> journal_lines(const std::string& unit, domain::Timestamp since) {
  ask({"/usr/bin/journalctl", "--sync"});
  return lines_of(ask({"/usr/bin/journalctl", "--no-pager", "--output=cat", "--unit=" + unit,
                       "--since=@" + std::to_string(since.time_since_epoch().count())})
                      .text);
}

void examine_as_pool(Context& context, const std::string& pool, Findings& findings) {
  Trials trials(pool, context.config().depot, findings);
  const std::string file = (context.config_file().parent_path() / (pool + ".conf")).native();
  try {
    const base::Config config = context.workers_config(pool);
    try_shared_files(config.state, trials);
    try_depot(pool, config.depot, trials);
    try_toolchains(config, trials);
    if (config.site.enabled && !config.site.logo.empty()) trials.read(config.site.logo);
    if (pool == "build") {
      trials.write_in(config.archive_cache);
      trials.write_in(config.artefact_cache);
    }
    try_database(config.database, trials);
  } catch (const base::ConfigError& error) {
    trials.fail(std::string("can't read its configuration: ") + error.what(),
                "chown root:goldsmith-" + pool + " " + file + "; chmod 640 " + file);
  }
  if (trials.is_good()) {
    findings.good(pool + " workers", trials.user() + " reads and writes what it must");
  }
}

void examine_pools(Context& context, Findings& findings) {
  for (const std::string pool : {"api", "build"}) {
    const std::string user = "goldsmith-" + pool;
    const passwd* const account = ::geteuid() == 0 && context.config_file() == ConfigRequest().file
                                      ? ::getpwnam(user.c_str())
                                      : nullptr;
    if (account == nullptr) {
      examine_as_pool(context, pool, findings);
    } else if (can_start_units(context)) {
      examine_in_unit(pool, context, findings);
    } else {
      examine_as_user(pool, *account, context, findings);
    }
  }
}

}  // namespace goldsmith::cli
