// The releases of a component at its upstream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/domain/component.hpp"

namespace goldsmith::upstream {

struct ReleaseFile {
  std::string name;  // for people; without folders
  std::string url;
  std::uint64_t size = 0;     // 0 = unknown
  std::string sha256;         // that upstream names; "" = none
  std::string pinned_sha256;  // that the catalog names; "" = none
  std::string stamp;          // see domain::Source; "" = unknown
  std::string signature_url;  // "" = releases are not signed
};

struct Release {
  domain::Version version;
  std::optional<domain::Timestamp> released_at;  // absent = unknown until it is downloaded
  std::vector<ReleaseFile> files;                // in the order in which they are merged
};

}  // namespace goldsmith::upstream
