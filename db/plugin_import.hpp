// Imports a set of plugins whole or not at all, while downloads go on (decision P12).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "app/domain/plugin.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

// Rows are prepared where no reader sees them, some dozens a transaction, and shown by the one
// short transaction of finish(): it moves no file content and locks nothing that a download writes.
// An import that is given up, or whose program is killed, leaves nothing visible; the next one
// removes what it prepared.
//
// One import at a time: the constructor throws Error{constraint} if another one is running.
// Functions throw db::Error; after that the import can only be given up.
class PluginImport {
 public:
  // `at_once`: by the call that completes a batch. `beside_caller`: while the caller goes on, so
  // that the database works beside what reads the plugins; `database` is the import's alone then,
  // and what a batch throws comes with a later call.
  enum class Writes { at_once, beside_caller };

  // `now`: the time of everything that changes.
  PluginImport(Database& database, domain::Timestamp now, Writes writes = Writes::at_once);
  ~PluginImport();
  PluginImport(const PluginImport&) = delete;
  PluginImport& operator=(const PluginImport&) = delete;

  // To be created, or made equal to `plugin`; counters are set at creation alone. A slug may be
  // added once. What is not legal throws Error{constraint}, at once or when the rows are written.
  void add(domain::Plugin plugin);

  // Shows everything and says what became of each plugin, in the order of add(). Throws
  // Error{constraint}, and changes nothing, if another command has changed one of the plugins
  // since.
  // `beside`: what becomes visible in the same transaction, or not at all; it changes nothing but
  // `database`, and only with Writes::at_once.
  std::vector<ImportChange> finish(const std::function<void()>& beside = {});

  // For people, after finish(): which new versions did not become the latest because of their
  // numbers (decision P1).
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  void write_batch();
  void wait_for_batch();
  void write(std::vector<domain::Plugin>& batch);
  void publish(const std::function<void()>& beside);

  Database& database_;
  domain::Timestamp now_;
  Writes writes_;
  NamedLock lock_;
  std::vector<domain::Plugin> batch_;
  std::size_t batch_bytes_ = 0;
  std::future<void> writing_;  // of the batch before; what follows belongs to it until it is done
  std::vector<ImportChange> changes_;
  std::vector<std::string> remarks_;
  bool is_anything_staged_ = false;
  bool is_clear_ = false;
};

}  // namespace goldsmith::db
