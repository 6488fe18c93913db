// Whether this host is drained: /readyz says so, so that fronts send it no new requests; it goes on
// answering those that come. A file `drained` next to the shared state: it survives the workers,
// and a boot removes it (decision O16).
#pragma once

#include <filesystem>
#include <optional>

#include "app/domain/timestamp.hpp"

namespace goldsmith::access {

class DrainMark {
 public:
  // `state`: the file of the shared state.
  explicit DrainMark(const std::filesystem::path& state);

  bool is_set() const;
  // Since when; std::nullopt if this host is not drained. A mark that someone else wrote, without a
  // time, counts as set at the beginning of time.
  std::optional<domain::Timestamp> since() const;

  // Both return whether that changed anything. Throw sys::FileError.
  bool set(domain::Timestamp now) const;
  bool clear() const;

 private:
  std::filesystem::path file_;
};

}  // namespace goldsmith::access
