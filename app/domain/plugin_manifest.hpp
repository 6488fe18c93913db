// plugin.json and addon.json.
#pragma once

#include <string>

#include "app/domain/manifest_fields.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::domain {

// What the manifest of a plugin tells of it in words (decision P20).

// Its members may all be absent. Throws ManifestError.
PluginAbout read_plugin_about(const Fields& plugin);
// One line of at most 200 characters, or "".
std::string read_plugin_summary(const Node& node);
// Lines of at most 8 KiB, or "".
std::string read_version_changes(const Node& node);

// Where newer versions of a plugin come from (decision P26).
// {"repository": "OWNER/NAME" of GitHub, "folder": "relative path", "branch": "name",
//  "releases": "releases", "tags" or "commits"}
// or {"repository": "https://… .tar.gz or .zip", "folder": "relative path"}; null = from nowhere.
// `stored`: what is known; what was found of it stays if all else does. Throws ManifestError.
PluginUpstream read_plugin_upstream(const Node& node, const PluginUpstream& stored);

}  // namespace goldsmith::domain
