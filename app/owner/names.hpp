// Components, plugins and versions in messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/message.hpp"
#include "app/owner/known_files.hpp"
#include "app/owner/library.hpp"

namespace goldsmith::owner {

// "SLUG VERSION" of a version of a component.
base::Message name_of(const KnownFiles& known, VersionId version);
// "SLUG VERSION, VERSION or SLUG VERSION": of components, or of plugins.
base::Message names_of(const KnownFiles& known, std::span<const VersionId> versions,
                       bool of_plugins);
// "SLUG or SLUG"
base::Message names_of_components(const KnownFiles& known, std::span<const ComponentId> components);
// "SLUG SLUG"
std::string names_of_plugins(const KnownFiles& known, std::span<const PluginId> plugins);

// What is known to be wrong with a version; empty if nothing is.
base::Message defects_of(const KnownVersion& version);

// `says "NAME" VERSION of itself`
base::Message told(const Introduction& introduction);

// spelled_version() without the words of a build: "1.9.0-dev-git5294" is "1.9.0.5294".
std::string plain_version(std::string_view version);
// Whether a version that was spelled somewhere else is this one, "1.9.0-dev-git5294" and
// "1.9.0.5294", or of its line, "1.9".
enum class Likeness { none, line, same };
Likeness likeness(std::string_view spelled, const KnownVersion& version);

// Of these components those that have this version, or else a version of its line: the first two
// numbers; or else all of them.
std::vector<ComponentId> of_line(const KnownFiles& known, std::span<const ComponentId> components,
                                 std::string_view version);

// The letters of a plain version, "am" of "1.21.1.am": who made it otherwise. "" if it has none.
std::string tag_of(std::string_view plain);

}  // namespace goldsmith::owner
