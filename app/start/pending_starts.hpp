// What this host keeps and offers, and nobody has started yet (rule S29).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "app/start/host.hpp"
#include "db/download_log.hpp"

namespace goldsmith::start {

using TellStarted = std::function<void(const std::string& build_hash, const db::BuildStart& start)>;

// Starts the archives that this host keeps, then the recommended server and every published pack,
// unless it was done; keeps each outcome and tells it. Returns how many there were; absent =
// another process is doing this. Throws Unavailable if this host can start nothing,
// base::FileError, base::Interrupted and db::Error.
std::optional<std::size_t> start_pending(const Host& host, const TellStarted& tell);

}  // namespace goldsmith::start
