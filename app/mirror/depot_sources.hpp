// The places that a missing depot file is fetched from. Private to app/mirror/.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/base/config.hpp"
#include "app/domain/component.hpp"
#include "app/mirror/depot_filling.hpp"

namespace goldsmith::mirror {

// A file that is to be fetched. The component and the version are the catalog's.
struct WantedFile {
  const domain::Component* component = nullptr;
  const domain::ComponentVersion* version = nullptr;
  std::vector<domain::Source> sources;  // of the version
  std::filesystem::path part;           // where it is written; `<digest>.zip` of the work folder

  std::string name() const { return component->slug + " " + version->version; }
};

// This source can't give the file; what() is the reason. It may have others.
class SourceLacks : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// This source is of no use at the moment, for any file; what() is the reason.
class SourceFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class DepotSource {
 public:
  virtual ~DepotSource() = default;
  // For people: a folder or an address.
  virtual std::string name() const = 0;
  // Writes `wanted.part`, which may be there already in part, and checks that it has the digest of
  // the version. Throws SourceLacks, SourceFailed, base::FileError and base::Interrupted.
  virtual void fetch(const WantedFile& wanted, const FillObserver& observer) = 0;
};

// In the order in which they are to be asked. `config` and `clock` must outlive them.
std::vector<std::unique_ptr<DepotSource>> make_sources(const FillSources& sources,
                                                       const base::Config& config,
                                                       const base::Clock& clock);

// The other hosts of the service, whose depots complete each other (decision O11).
struct PeerState {
  enum class Kind {
    serves,
    lacks,        // the file, or it does not let this host in
    unreachable,  // at the moment
    unusable,     // another try would not help
  };
  Kind kind = Kind::unusable;
  std::string problem;  // "" = none
};

// Asks the host at `address` for the beginning of that version's file, and compares it with `own`,
// the file of this host. Waits for at most 15 seconds. Throws base::FileError if `own` can't be
// read, and base::Interrupted.
PeerState examine_peer(const std::string& address, const domain::Component& component,
                       const domain::ComponentVersion& version, const std::filesystem::path& own,
                       const base::Config& config);

}  // namespace goldsmith::mirror
