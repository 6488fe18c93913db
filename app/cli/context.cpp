#include "app/cli/context.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <ostream>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/cli/caller.hpp"
#include "app/limits/rate_windows.hpp"
#include "db/addon_store.hpp"
#include "db/migrations.hpp"

namespace goldsmith::cli {

Context::Context(const Streams& streams, ConfigRequest request)
    : streams_(streams), request_(std::move(request)) {}

const base::LoadedConfig& Context::loaded_config() {
  if (config_) return *config_;
  std::error_code error;
  if (!std::filesystem::exists(request_.file, error)) {
    throw base::ConfigError(request_.file.string() +
                            ": no such configuration file; --config FILE names another one");
  }
  base::ConfigSources sources;
  sources.files = base::with_drop_ins(request_.file);
  // Only root may read it, and a unit to which systemd gives it. Commands of the workers' user,
  // such as the timer that checks plugins, use the account of that user.
  const char* const given = std::getenv("CREDENTIALS_DIRECTORY");
  const std::filesystem::path credentials = given ? given : "/nonexistent";
  const auto is_readable = [](const std::filesystem::path& file) {
    return ::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) == 0;
  };
  const std::filesystem::path folder = request_.file.parent_path();
  for (const auto& account :
       {folder / "operator.conf", credentials / "operator.conf", folder / "build.conf"}) {
    if (!is_readable(account)) continue;
    sources.files.push_back(account);
    break;
  }
  sources.arguments = request_.overrides;
  config_.emplace(base::load_config(sources));
  if (is_readable(credentials / "github_token")) {
    config_->config.upstream.github_token_file = credentials / "github_token";
  }
  return *config_;
}

base::Config Context::workers_config(const std::string& pool) const {
  return base::load_config({base::with_drop_ins(request_.file, pool), true, request_.overrides})
      .config;
}

domain::Timestamp Context::now() const { return clock_.seconds(); }

db::Database& Context::any_database() {
  if (!database_) {
    database_ = std::make_unique<db::Database>(db::connection_settings(config().database));
  }
  return *database_;
}

db::Database& Context::database() {
  db::Database& database = any_database();
  if (schema_checked_) return database;
  if (!db::is_current(database)) {
    // As between the upgrades of two hosts with one database.
    if (db::is_newer(database)) {
      throw Failure(
          "the database schema is newer than this version of goldsmith; install the newer version");
    }
    throw Failure(
        "the database schema does not match this version of goldsmith; \"goldsmith db status\" "
        "shows the difference, \"goldsmith db migrate\" updates the schema");
  }
  schema_checked_ = true;
  if (watches_withdrawals_) public_before_ = db::public_names(database);
  return database;
}

db::PluginStore Context::plugins() { return db::PluginStore(database()); }
db::AddonStore Context::addons() { return db::AddonStore(database()); }
db::ComponentStore Context::components() { return db::ComponentStore(database()); }
db::OverlayStore Context::overlays() { return db::OverlayStore(database()); }
db::KeyStore Context::keys() { return db::KeyStore(database()); }
db::SettingStore Context::settings() { return db::SettingStore(database()); }
db::DownloadLog Context::downloads() { return db::DownloadLog(database()); }
db::ChangeLog Context::changes() { return db::ChangeLog(database()); }

void Context::announce_change() {
  try {
    limits::SharedState(config().state, limits::SharedState::Open::existing).bump_generation();
  } catch (const base::FileError& failure) {
    if (failure.error_number() == ENOENT) return;  // no worker has run yet
    report(std::string("done, but the workers may need up to 2 seconds to notice: ") +
           failure.what());
  }
}

void Context::record_withdrawals() {
  if (!public_before_) return;
  const Withdrawals record = withdrawals();
  try {
    record.add(
        *std::exchange(public_before_, {}), [&] { return db::public_names(database()); }, now());
  } catch (const std::exception& error) {
    report("what this command has withdrawn is not recorded in " + record.file().string() +
           ": a backup from before would bring it back unseen: " + error.what());
  }
}

void Context::record_change(db::Change change) {
  change.host = host_name();
  change.user = caller_name();
  change.sudo_user = sudo_caller_name();
  try {
    changes().record(change);
  } catch (const std::exception& error) {
    if (change.outcome == "failed") return;  // most likely for the same reason
    report("who did this is not recorded: " + std::string(error.what()));
  }
}

void Context::print(const json::Value& value) { out() << json::to_pretty_string(value) << '\n'; }

void Context::report(std::string_view problem) {
  streams_.err << "goldsmith: " << one_line(problem) << '\n';
}

void Context::progress(std::string_view what) {
  if (streams_.show_progress) streams_.err << one_line(what) << std::endl;
}

Failure no_such(std::string_view kind, std::string_view name, std::string_view noun) {
  return Failure(fmt::format("there is no {} \"{}\"; see \"goldsmith {} list\"", kind, name, noun));
}

void print_status(std::string_view name, domain::Status status, std::ostream& out) {
  out << name << " is " << (status == domain::Status::published ? "published" : "a draft now")
      << '\n';
}

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_without(const fs::path& missing) {
  throw Failure(
      missing.string() +
      ": no such file; set the folder of the default catalog with --catalog=DIR or the option "
      "\"catalog\" of the configuration");
}

std::string existing(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) fail_without(file);
  return file.string();
}

constexpr std::size_t kTime = 20;  // characters, with the space behind it
constexpr std::string_view kWithdrawn = "withdrawn ";
constexpr std::string_view kPublic = "public ";

Withdrawals::Names names_in(std::string_view text) {
  Withdrawals::Names names;
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.size() <= kTime || !domain::parse_timestamp(line.substr(0, kTime - 1))) continue;
    const std::string_view what = line.substr(kTime);
    if (what.starts_with(kWithdrawn)) names.emplace(what.substr(kWithdrawn.size()));
    if (what.starts_with(kPublic)) names.erase(std::string(what.substr(kPublic.size())));
  }
  return names;
}

// How often it is tried to lock the record, and the pause in between: five seconds in all. Others
// hold it for a query. The user of the unit that mirrors plugins may write to it, and must not be
// able to keep withdrawals waiting.
constexpr int kLockTries = 100;
constexpr std::chrono::milliseconds kLockPause{50};

// Opened by one process at a time, until it is closed.
base::UniqueFd open_locked(const std::filesystem::path& file) {
  base::UniqueFd fd = base::open_file(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0640);
  for (int tries = 1; ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      throw base::FileError(file, "can't be locked", errno);
    }
    if (tries == kLockTries) {
      throw base::FileError(file, {"another process keeps it locked; lslocks names it", errno});
    }
    std::this_thread::sleep_for(kLockPause);
  }
  return fd;
}

}  // namespace

std::vector<std::string> default_component_files(Context& context) {
  const fs::path folder = context.config().catalog / "components";
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  if (files.empty()) fail_without(folder / "*.json");
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> default_overlay_files(Context& context) {
  return {existing(context.config().catalog / "overlays" / "overlays.json")};
}

std::vector<std::string> default_preset_files(Context& context) {
  return {existing(context.config().catalog / "presets.json")};
}

std::vector<std::string> files_or_defaults(const Arguments& arguments,
                                           std::vector<std::string> (*defaults)(Context&),
                                           Context& context) {
  std::vector<std::string> files = arguments.list("FILE");
  if (files.empty() == !arguments.has("defaults")) {
    throw UsageError(files.empty() ? "FILE is missing; --defaults imports those of the catalog"
                                   : "FILE and --defaults can't be combined");
  }
  return files.empty() ? defaults(context) : files;
}

Withdrawals::Names Withdrawals::withdrawn() const {
  std::error_code error;
  return std::filesystem::exists(file_, error) ? names_in(base::read_file(file_)) : Names();
}

Withdrawals::Names Withdrawals::brought_back(const Names& public_now) const {
  Names both;
  std::ranges::set_intersection(names_in(base::read_file(file_)), public_now,
                                std::inserter(both, both.end()));
  return both;
}

std::string Withdrawals::merged(std::string_view one, std::string_view other) {
  std::vector<std::string_view> lines;
  std::set<std::string_view> known;
  for (const std::string_view text : {one, other}) {
    for (const std::string_view line : base::split(text, '\n')) {
      if (!line.empty() && known.insert(line).second) lines.push_back(line);
    }
  }
  std::ranges::stable_sort(lines, {}, [](std::string_view line) { return line.substr(0, kTime); });
  std::string text;
  for (const std::string_view line : lines) text.append(line).append("\n");
  return text;
}

void Withdrawals::add(const Names& before, const std::function<Names()>& public_now,
                      domain::Timestamp now) const {
  const auto missing_in = [](const Names& names, const Names& from) {
    Names missing;
    std::ranges::set_difference(names, from, std::inserter(missing, missing.end()));
    return missing;
  };
  std::error_code error;
  if (!std::filesystem::exists(file_, error) && missing_in(before, public_now()).empty()) return;
  const base::UniqueFd fd = open_locked(file_);
  const std::string text = base::read_file(file_);
  const Names known = names_in(text);
  const Names after = public_now();
  const std::string time = domain::format_timestamp(now) + ' ';
  std::string lines;
  const auto add_line = [&](std::string_view what, const std::string& name) {
    lines.append(time).append(what).append(name).append("\n");
  };
  for (const std::string& name : missing_in(before, after)) {
    if (!known.contains(name)) add_line(kWithdrawn, name);
  }
  for (const std::string& name : missing_in(after, before)) {
    if (known.contains(name)) add_line(kPublic, name);
  }
  if (lines.empty()) return;
  if (!text.empty() && text.back() != '\n') lines.insert(0, "\n");
  base::write_all(fd.get(), lines, file_);
  base::sync_file(fd.get(), file_);
  if (text.empty()) base::sync_directory(file_.parent_path());
}

}  // namespace goldsmith::cli
