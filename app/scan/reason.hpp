// Why a version that was mirrored, or left in the inbox, is a draft that is held.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/domain/source_identity.hpp"

namespace goldsmith::scan {

// Why a version waits until a person publishes it.
struct Reason {
  enum class Kind {
    doubt,        // about where it comes from
    policy,       // of this host
    inbox,        // it was left there
    new_plugin,   // nothing of the plugin is public
    number,       // of the version
    compile,      // it does not compile where the former version does
    claim,        // another license or author
    question,     // a scan asks
    place,        // a file is in somebody else's
    not_started,  // where the former version was
    start,        // it does not run where the former version does
    not_tried,    // what follows is not known yet
  };

  Reason(Kind why, std::string_view sentence);
  Reason(domain::Doubt doubt, const std::string& repository);

  Kind kind;
  std::string text;  // for people, on one line
};

std::vector<std::string> texts_of(const std::vector<Reason>& reasons);
// As domain::PluginVersion::held has them, a line for each.
std::string held_for(const std::vector<Reason>& reasons);

}  // namespace goldsmith::scan
