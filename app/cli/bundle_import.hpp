// Takes a bundle (decision O29).
#pragma once

#include <functional>
#include <set>
#include <string>

#include "app/cli/bundle_file.hpp"
#include "app/cli/bundle_outcomes.hpp"
#include "app/cli/context.hpp"

namespace goldsmith::cli {

struct BundleChoice {
  std::set<std::string, std::less<>> parts;  // catalog, depot, toolchains, plugins, packs, overlays
  bool replaces = false;                     // also what is the host's own
  bool is_dry = false;                       // changes nothing
};

// `bundle` was vouched for, and opened. All of it that is chosen is read and checked before
// anything changes. Throws Failure, UsageError, domain::ManifestError, base::FileError,
// base::Interrupted, db::Error and what reads texts in the sandbox.
BundleReport import_bundle(const BundleReader& bundle, const BundleChoice& choice,
                           Context& context);

}  // namespace goldsmith::cli
