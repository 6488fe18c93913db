// What verbs work with: the configuration, the database, the record of what was withdrawn.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/cli/command.hpp"
#include "app/cli/run.hpp"
#include "app/domain/timestamp.hpp"
#include "db/access_store.hpp"
#include "db/addon_store.hpp"
#include "db/change_log.hpp"
#include "db/component_store.hpp"
#include "db/database.hpp"
#include "db/download_log.hpp"
#include "db/overlay_store.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::cli {

// The record of what was withdrawn, in a file outside of the database: a backup of the database
// from before brings it back (decision O21).

// A line for each change, "TIME withdrawn NAME" or "TIME public NAME", names as of
// db::public_names(); lines are only added. What can't be read as one, such as the half of a line
// that a power cut has left, counts for nothing. Functions throw base::FileError.
class Withdrawals {
 public:
  using Names = std::set<std::string>;

  explicit Withdrawals(std::filesystem::path file) : file_(std::move(file)) {}

  const std::filesystem::path& file() const { return file_; }

  // Those whose last line is "withdrawn"; none if there is no file.
  Names withdrawn() const;
  // Those of `public_now` whose last line is "withdrawn".
  Names brought_back(const Names& public_now) const;

  // The lines of both records, each once, in the order of their times.
  static std::string merged(std::string_view one, std::string_view other);

  // Adds what is in `before` and not public any more, and of what is withdrawn what is public now
  // and was not. `public_now` is asked while other processes wait, so that the last line of a name
  // is right; they do so for five seconds, and then throw. The file is made for root alone and its
  // group to read.
  void add(const Names& before, const std::function<Names()>& public_now,
           domain::Timestamp now) const;

 private:
  std::filesystem::path file_;
};

// What verbs work with: configuration, database, stores, output. Everything is opened on first use,
// so that a command needs no more than what it works on.
struct ConfigRequest {
  std::filesystem::path file = "/etc/goldsmith/goldsmith.conf";
  std::vector<std::string> overrides;  // "--name=value"
};

class Context {
 public:
  Context(const Streams& streams, ConfigRequest request);

  // Throws base::ConfigError.
  const base::Config& config() { return loaded_config().config; }
  // config() with the files that were read and where each option is set.
  const base::LoadedConfig& loaded_config();
  // What the workers of a pool, api or build, read: without operator.conf, with the pool's file.
  base::Config workers_config(const std::string& pool) const;
  const std::filesystem::path& config_file() const { return request_.file; }
  const ConfigRequest& config_request() const { return request_; }
  const base::Clock& clock() const { return clock_; }
  domain::Timestamp now() const;

  // The connection, whatever the version of the schema.
  db::Database& any_database();
  // Throws Failure, with the remedy, unless the schema is that of this version.
  db::Database& database();
  db::PluginStore plugins();
  db::AddonStore addons();
  db::ComponentStore components();
  db::OverlayStore overlays();
  db::KeyStore keys();
  db::SettingStore settings();
  db::DownloadLog downloads();
  db::ChangeLog changes();

  // The record of what was withdrawn.
  Withdrawals withdrawals() { return Withdrawals(config().withdrawals); }
  // From now on, record_withdrawals() adds to it what has become of what is public at the first use
  // of the database; a problem is reported.
  void watch_withdrawals() { watches_withdrawals_ = true; }
  void record_withdrawals();

  // Adds to the record of changes (decision O27) that the verb ended so. A problem is reported,
  // unless the verb has failed itself.
  void record_change(db::Change change);

  // Tells the workers of this host, if any, that what they keep in memory is stale. Those of other
  // hosts notice it in the database.
  void announce_change();

  std::ostream& out() { return streams_.out; }
  // For a ProgressLine; messages go through the functions below.
  std::ostream& err() { return streams_.err; }
  bool shows_progress() const { return streams_.show_progress; }
  void print(const json::Value& value);
  // Prints a line on standard error, in addition to the one that the command may end with.
  void report(std::string_view problem);
  // Prints the current step, on terminals only.
  void progress(std::string_view what);

 private:
  Streams streams_;
  ConfigRequest request_;
  base::SystemClock clock_;
  std::optional<base::LoadedConfig> config_;
  std::unique_ptr<db::Database> database_;
  bool schema_checked_ = false;
  bool watches_withdrawals_ = false;
  std::optional<Withdrawals::Names> public_before_;
};

// To throw where a command names something that is not stored: `there is no KIND "NAME"; see
// "goldsmith NOUN list"`.
Failure no_such(std::string_view kind, std::string_view name, std::string_view noun);

// "NAME is published", "NAME is a draft now".
void print_status(std::string_view name, domain::Status status, std::ostream& out);

using base::one_line;

// The components and overlays that come with goldsmith, for imports with --defaults.

// The manifests of the default catalog. Throw Failure, which names the missing file and the
// remedy.
std::vector<std::string> default_component_files(Context& context);
std::vector<std::string> default_overlay_files(Context& context);
std::vector<std::string> default_preset_files(Context& context);

// The given FILEs, or those of the default catalog. Throws UsageError for both or neither.
std::vector<std::string> files_or_defaults(const Arguments& arguments,
                                           std::vector<std::string> (*defaults)(Context&),
                                           Context& context);

}  // namespace goldsmith::cli
