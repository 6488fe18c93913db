// Whether a server answers again, asked without waiting for it. Private to db/.
#pragma once

#include <chrono>
#include <optional>

#include "app/sys/file.hpp"
#include "db/database.hpp"

namespace goldsmith::db {

// Connects, which the kernel does meanwhile; the server greets first, and nothing is sent.
class TcpProbe {
 public:
  explicit TcpProbe(const sys::ServerAddress& address);

  // std::nullopt if it is not known after `patience`.
  std::optional<bool> outcome(std::chrono::milliseconds patience = {}) const;

 private:
  sys::UniqueFd socket_;  // none = the server can't be reached
};

}  // namespace goldsmith::db
