// Where plugins of the directory come from, as it changes without them: their repository is
// renamed, gone, or not followed any more (decisions P26, P27).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/domain/plugin.hpp"
#include "app/scan/host.hpp"
#include "app/scan/mirrored_plugin.hpp"
#include "app/scan/scanner.hpp"

namespace goldsmith::scan {

// Visits all upstreams, and stores those that `edit` has changed, which it says by true; of an
// empty one nothing is known any more. Returns the slugs of these plugins. Throws db::Error.
using EditUpstream = std::function<bool(const std::string& slug, domain::PluginUpstream& upstream)>;
std::vector<std::string> edit_upstreams(const Host& host, const EditUpstream& edit);

// Those that were mirrored from there and whose newest source no toolchain compiles say so, with
// the first error.
void mark_broken(const Host& host, const ScannedPlugins& plugins,
                 const domain::PluginUpstream& place, const ScanRecord& record);

// All that name a repository of GitHub get its new name.
void rename_upstreams(const Host& host, const std::string& from, const std::string& to);

// Those that come from there are gone since now, unless they are already: all of them, or the
// recorded ones that are not among what was scanned. Return their slugs.
std::vector<std::string> mark_all_gone(const Host& host, const domain::PluginUpstream& place);
std::vector<std::string> mark_unfound_gone(const Host& host, const ScannedPlugins& plugins,
                                           const domain::PluginUpstream& place,
                                           const ScanRecord& record);

// Files of a repository that are not read, such as sources that are links.
struct RefusedFile {
  std::string text;  // a sentence that begins with the path
  std::string slug;  // of the plugin whose source it was; "" = none's
};
std::vector<RefusedFile> refused_files(const ScannedPlugins& plugins, const MirroredFrom& from,
                                       const ScanRecord& record);

}  // namespace goldsmith::scan
