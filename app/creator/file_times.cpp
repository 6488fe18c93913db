#include "app/creator/file_times.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "app/archive/zip.hpp"
#include "app/base/text.hpp"

namespace goldsmith::creator {
namespace {

using domain::Timestamp;

bool has_includes(const domain::ComponentVersion& version) {
  return std::any_of(version.files.begin(), version.files.end(), [](const auto& file) {
    return file.path.starts_with(domain::kIncludeFolder);
  });
}

// The newest of what the files that the service makes are made of.
struct Newest {
  Timestamp component = archive::kNoTime;
  Timestamp include = archive::kNoTime;  // of the components that plugins are compiled with
  Timestamp part = archive::kNoTime;
  std::map<std::string, Timestamp> plugins;  // by PlannedFile::from
};

Newest newest_of(const Selection& selection, const std::vector<const PluginOutcome*>& plugins) {
  Newest newest;
  for (const Selected& selected : selection.components) {
    const Timestamp time = time_of(*selected.version);
    newest.component = std::max(newest.component, time);
    if (has_includes(*selected.version)) newest.include = std::max(newest.include, time);
  }
  newest.part = newest.component;
  for (const PluginOutcome* plugin : plugins) {
    const Timestamp time = time_of(std::get<CompiledPlugin>(plugin->result).version);
    newest.part = std::max(newest.part, time);
    newest.plugins["plugin:" + plugin->slug] = time;
  }
  return newest;
}

Timestamp time_of_planned(const PlannedFile& file, const Selection& selection,
                          const Newest& newest) {
  if (const auto* from = std::get_if<PlannedFile::FromDepot>(&file.source)) {
    return time_of(*selection.components[from->component].version);
  }
  if (file.origin != Origin::plugin) {
    return time_made(file.path == kPluginListPath ? newest.part : newest.component, file.sha256);
  }
  const Timestamp plugin = newest.plugins.at(file.from);
  if (std::holds_alternative<PlannedFile::FromPlugin>(file.source)) return plugin;
  return time_made(std::max(plugin, newest.include), file.sha256);
}

}  // namespace

Timestamp time_of(const domain::ComponentVersion& version) {
  const auto time = version.released_at ? version.released_at : version.mirrored_at;
  return archive::entry_time(time.value_or(archive::kNoTime));
}

Timestamp time_of(const domain::PluginVersion& version) {
  return archive::entry_time(version.created_at.value_or(archive::kNoTime));
}

// An even number of seconds, which is all that many programs read of a ZIP.
Timestamp time_made(Timestamp newest, std::string_view sha256) {
  constexpr std::uint32_t kSteps = 1800;
  const auto digits = base::parse_number<std::uint32_t>(sha256.substr(0, 8), 16).value_or(0);
  return archive::entry_time(newest - std::chrono::seconds(digits % kSteps * 2));
}

void set_times(const Selection& selection, const std::vector<const PluginOutcome*>& plugins,
               FileSet& files) {
  const Newest newest = newest_of(selection, plugins);
  for (auto& [path, file] : files) file.modified = time_of_planned(file, selection, newest);
}

}  // namespace goldsmith::creator
