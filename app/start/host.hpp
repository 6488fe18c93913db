// What starts of servers need of the host on which they run.
#pragma once

#include <functional>
#include <string_view>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "db/database.hpp"

namespace goldsmith::start {

// All of it outlives what is made with it.
struct Host {
  const base::Config& config;
  const base::Clock& clock;
  db::Database& database;
  // Who waits for them is told what is done now, or was left out, and what a person should know.
  std::function<void(std::string_view)> step;
  std::function<void(std::string_view)> report;
};

}  // namespace goldsmith::start
