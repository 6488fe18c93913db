// What compiles and starts showed of plugins, in a bundle (decision O29).
#pragma once

#include <map>
#include <string>
#include <utility>

#include "app/cli/bundle_file.hpp"
#include "app/cli/bundle_outcomes.hpp"
#include "app/cli/context.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::cli {

// Adds what is known of the plugin's versions, and returns the SHA-256 of each that anything is
// known of.
std::map<domain::Version, std::string> add_verdicts(const domain::Plugin& plugin,
                                                    BundleWriter& bundle);

// Takes what this host would find, too: verdicts on the same files, of a toolchain that is
// installed here and with the same includes of components, and starts of the very server that this
// host would start. Its own verdicts stay. What is not taken is not known.
class BundledVerdicts {
 public:
  // `plugin`, with content, is or becomes as the bundle has it. `members`: of add_verdicts().
  void note(const domain::Plugin& plugin, const std::map<domain::Version, std::string>& members);

  // After the import, when toolchains and the depot are as they stay. `bundle`: where the members
  // are. Throws Failure, base::FileError, base::Interrupted and db::Error; what was taken stays.
  void take(const BundleReader& bundle, Context& context, BundleReport& report) const;

 private:
  struct Noted {
    std::string member;   // SHA-256
    std::string content;  // domain::PluginVersion::content_digest
  };
  std::map<std::pair<domain::Slug, domain::Version>, Noted> noted_;
};

}  // namespace goldsmith::cli
