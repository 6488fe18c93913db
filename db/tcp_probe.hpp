// Whether a server answers again, asked without waiting for it. Private to db/.
#pragma once

#include <chrono>
#include <optional>

#include "db/database.hpp"

namespace goldsmith::db {

// Connects, which the kernel does meanwhile; the server greets first, and nothing is sent.
class TcpProbe {
 public:
  explicit TcpProbe(const sys::ServerAddress& address);
  ~TcpProbe();
  TcpProbe(TcpProbe&& other) noexcept;
  TcpProbe& operator=(TcpProbe&& other) noexcept;

  // std::nullopt while it is not known. Does not wait.
  std::optional<bool> outcome() const { return outcome_within(std::chrono::milliseconds(0)); }
  // The same after waiting for at most so long.
  std::optional<bool> outcome_within(std::chrono::milliseconds patience) const;

 private:
  int descriptor_ = -1;
};

}  // namespace goldsmith::db
