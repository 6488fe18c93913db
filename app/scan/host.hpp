// What scans need of the host on which they run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/timestamp.hpp"
#include "app/start/host.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::scan {

// What was asked for can't be done, or is refused. what() is for people.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What who waits for a scan is told while it is at work.
// For one thread, but for show_count().
class Progress {
 public:
  virtual ~Progress() = default;

  // What it does now.
  virtual void show(std::string_view what) = 0;
  // How much of it is done: "12 of 300 sources read". Not by two threads at once.
  virtual void show_count(std::string_view what, std::size_t done, std::size_t total) = 0;
  // Bytes; `total` is 0 if it is not known.
  virtual void show_transfer(const std::string& name, std::uint64_t done, std::uint64_t total) = 0;
  // What was shown is over.
  virtual void end() = 0;

  // What a person should know, as a sentence.
  virtual void report(std::string_view message) = 0;
};

// All of it outlives what is made with it.
struct Host {
  const base::Config& config;
  const base::Clock& clock;
  Progress& progress;
  // Throws what tells a person why there is none.
  std::function<db::Database&()> database;
  // Tells workers that what they keep in memory is stale.
  std::function<void()> announce_change;
  // What starts of servers need. Throws as database() does.
  std::function<start::Host()> starts;

  domain::Timestamp now() const { return clock.seconds(); }
  db::PluginStore plugins() const { return db::PluginStore(database()); }
};

}  // namespace goldsmith::scan
