#include "app/cli/context.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <ostream>
#include <utility>

#include "app/access/shared_state.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"
#include "db/migrations.hpp"
#include "db/public_names.hpp"

namespace goldsmith::cli {

Context::Context(const Streams& streams, ConfigRequest request)
    : streams_(streams), request_(std::move(request)) {}

const sys::LoadedConfig& Context::loaded_config() {
  if (config_) return *config_;
  std::error_code error;
  if (!std::filesystem::exists(request_.file, error)) {
    throw sys::ConfigError(request_.file.string() +
                           ": no such configuration file; --config FILE names another one");
  }
  sys::ConfigSources sources;
  sources.files = sys::with_drop_ins(request_.file);
  // Only root may read it. Commands of the workers' user, such as the timer that checks plugins,
  // use the account of that user.
  for (const char* name : {"operator.conf", "build.conf"}) {
    const std::filesystem::path account = request_.file.parent_path() / name;
    if (::faccessat(AT_FDCWD, account.c_str(), R_OK, AT_EACCESS) != 0) continue;
    sources.files.push_back(account);
    break;
  }
  sources.arguments = request_.overrides;
  return config_.emplace(sys::load_config(sources));
}

sys::Config Context::workers_config(const std::string& pool) const {
  return sys::load_config({sys::with_drop_ins(request_.file, pool), true, request_.overrides})
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

void Context::announce_change() {
  try {
    access::SharedState(config().state, access::SharedState::Open::existing).bump_generation();
  } catch (const sys::FileError& failure) {
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

void Context::print(const json::Value& value) { out() << json::to_pretty_string(value) << '\n'; }

void Context::report(std::string_view problem) {
  streams_.err << "goldsmith: " << one_line(problem) << '\n';
}

void Context::progress(std::string_view what) {
  if (streams_.show_progress) streams_.err << one_line(what) << std::endl;
}

Failure no_such(std::string_view kind, std::string_view name, std::string_view noun) {
  return Failure("there is no " + std::string(kind) + " \"" + std::string(name) +
                 "\"; see \"goldsmith " + std::string(noun) + " list\"");
}

void print_status(std::string_view name, domain::Status status, std::ostream& out) {
  out << name << " is " << (status == domain::Status::published ? "published" : "a draft now")
      << '\n';
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return sys::printable(line.substr(0, line.find_last_not_of(' ') + 1));
}

}  // namespace goldsmith::cli
