#include "app/owner/settings_there.hpp"

#include <algorithm>
#include <set>

#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using Paths = std::vector<std::string>;

struct Looking {
  const KnownComponent* component = nullptr;
  const KnownPlaces* places = nullptr;
  Paths paths = {};
};

Paths paths_of(const KnownPlaces& places, std::string_view library) {
  Paths paths;
  for (std::string_view place : places.looked_for) {
    std::string path;
    if (place.starts_with(kLibraryFolder)) {
      if (library.empty()) continue;
      path = library.substr(0, library.rfind('/') + 1);
      place.remove_prefix(kLibraryFolder.size());
    }
    paths.push_back(path.append(place));
  }
  return paths;
}

}  // namespace

std::vector<ReportedSetting> settings_there(const KnownFiles& known, const FolderFacts& facts,
                                            const Installed& installed) {
  std::vector<Looking> all;
  std::set<std::string_view> wanted;
  for (ComponentId c = 0; c < known.components().size(); ++c) {
    const KnownComponent& component = known.components()[c];
    if (!installed.version_of(c) && installed.place_of(c) == nullptr) continue;
    for (const KnownPlaces& each : component.places) {
      all.push_back({&component, &each, paths_of(each, installed.library_of(c))});
    }
  }
  for (const Looking& each : all) {
    wanted.insert(each.paths.begin(), each.paths.end());
    wanted.insert(each.places->file);
  }
  std::set<std::string_view> left;  // that are there
  if (!wanted.empty()) {
    for (const FolderFile& file : facts.files) {
      if (wanted.contains(file.path)) left.insert(file.path);
    }
  }
  std::vector<ReportedSetting> settings;
  for (const Looking& each : all) {
    const Message::Value component{"component", shown(each.component->title)};
    std::string first;
    const auto add = [&](std::string_view path, Message what) {
      if (left.erase(path) == 0) return;
      settings.push_back(
          {std::string(path), std::string(each.component->slug), first.empty(), std::move(what)});
      if (first.empty()) first = path;
    };
    for (const std::string& path : each.paths) {
      if (!first.empty()) {
        add(path,
            Message("configuration of {component}, does not count, because {file} comes first",
                    {component, {"file", shown(first)}}));
      } else if (each.places->has_identity) {
        add(path, Message("configuration of {component}, counts; it decides which Steam ID players "
                          "get",
                          {component}));
      } else {
        add(path, Message("configuration of {component}, counts", {component}));
      }
    }
    if (first.empty()) first = each.places->file;
    add(each.places->file,
        Message("configuration of {component}, does not count, because nothing looks there",
                {component}));
  }
  return settings;
}

}  // namespace goldsmith::owner
