// Why a version waits until a person publishes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/domain/names.hpp"
#include "app/domain/source_identity.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::scan {

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
  Kind kind = Kind::not_tried;
  std::string text;  // for people, on one line
};

namespace reasons {
Reason doubt(domain::Doubt doubt, const std::string& repository);
Reason policy();
Reason inbox();
Reason new_plugin();
// Of what a tag or release is of, by its name alone.
Reason tag(const std::string& text);
Reason number(domain::VersionStep step, const domain::Version& former);
Reason compile(const std::string& line, const domain::Version& former, const std::string& why);
Reason claim(std::string_view what, const std::string& before, const std::string& now);
Reason question(const std::string& text);
Reason place(const std::string& file);
Reason not_started(const std::string& line, const domain::Version& former);
// `message`: of the server; "" = it said none.
Reason start(const std::string& line, const domain::Version& former, const std::string& message);
Reason not_tried();
}  // namespace reasons

std::vector<std::string> texts_of(const std::vector<Reason>& reasons);
// As domain::PluginVersion::held has them, a line for each.
std::string held_for(const std::vector<Reason>& reasons);
bool is_held_for(std::string_view held, const Reason& reason);

}  // namespace goldsmith::scan
