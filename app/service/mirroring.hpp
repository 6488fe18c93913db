// Taking an upstream release into the depot and the catalog (decision S14).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/domain/component.hpp"
#include "app/sys/clock.hpp"
#include "app/sys/config.hpp"
#include "db/component_store.hpp"

namespace goldsmith::service {

// Nothing was changed; what() says why and what would help.
class MirrorRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct MirrorRequest {
  domain::Slug slug;
  domain::Version version;
  std::vector<std::filesystem::path> archives;   // of one release; a later one wins over an earlier
  std::optional<domain::Timestamp> released_at;  // absent = as it is known, for a new version now
  bool replace = false;                 // other content may take the place of what is mirrored
  std::vector<domain::Source> sources;  // of the archives; empty = they came by hand
};

enum class MirrorChange {
  mirrored,  // the version is new
  replaced,  // its content or its time is another one now
  repaired,  // the catalog had it, but its depot file was missing or damaged
  recorded,  // the content is the same; where it came from and when it was released is known now
  unchanged
};

struct MirrorOutcome {
  MirrorChange change = MirrorChange::unchanged;
  domain::ComponentVersion version;  // as the catalog has it now
  std::uint64_t dropped = 0;         // files that were left out
};

class Mirroring {
 public:
  Mirroring(db::ComponentStore& components, const archive::Depot& depot,
            const sys::MirrorConfig& limits, const sys::Clock& clock)
      : components_(components), depot_(depot), limits_(limits), clock_(clock) {}

  // Depot and catalog change together or not at all: when anything fails the old version stays.
  // One call at a time works on a depot; others wait. `progress` is told what is being done. Throws
  // MirrorRefused, mirror::RefusedArchive, sys::FileError, sys::Interrupted and db::Error.
  MirrorOutcome mirror(const MirrorRequest& request,
                       const std::function<void(std::string_view)>& progress) const;

 private:
  db::ComponentStore& components_;
  const archive::Depot& depot_;
  const sys::MirrorConfig& limits_;
  const sys::Clock& clock_;
};

}  // namespace goldsmith::service
