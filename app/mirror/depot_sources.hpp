// The places that a missing depot file is fetched from. Private to app/mirror/.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

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
  // the version. Throws SourceLacks, SourceFailed, sys::FileError and sys::Interrupted.
  virtual void fetch(const WantedFile& wanted, const FillObserver& observer) = 0;
};

// In the order in which they are to be asked. `config` and `clock` must outlive them.
std::vector<std::unique_ptr<DepotSource>> make_sources(const FillSources& sources,
                                                       const sys::Config& config,
                                                       const sys::Clock& clock);

}  // namespace goldsmith::mirror
