#include "app/owner/identity.hpp"

#include <algorithm>

#include "app/base/text.hpp"
#include "app/owner/metamod_list.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::string_view kLayer = "auth";
constexpr std::string_view kLibrary = "@library/";

// The value of "NAME = value" or "NAME value"; "" if there is none.
std::string value_of(std::string_view content, std::string_view setting) {
  std::string value;
  for (std::string_view line : base::split(content, '\n')) {
    line = base::trim_ascii(line);
    if (!line.starts_with(setting)) continue;
    std::string_view rest = line.substr(setting.size());
    if (!rest.empty() && rest.front() != '=' && rest.front() != ' ' && rest.front() != '\t') {
      continue;
    }
    rest = base::trim_ascii(rest);
    if (rest.starts_with('=')) rest = base::trim_ascii(rest.substr(1));
    value = rest;
  }
  return value;
}

std::string folder_of(std::string_view path) {
  return std::string(path.substr(0, path.rfind('/') + 1));
}

}  // namespace

Authentication::Authentication(const ServerFiles& files, const UpdateFacts& facts,
                               std::vector<std::string> listed)
    : files_(files), facts_(facts), listed_(std::move(listed)) {}

FoundPlace Authentication::found(const UpdateFacts::Places& places) const {
  const UpdateFacts::Component& component = facts_.components[places.component];
  for (const std::string& place : places.places) {
    if (!place.starts_with(kLibrary)) {
      if (files_.is_file(place)) return {place, false};
      continue;
    }
    const std::string name = place.substr(kLibrary.size());
    for (const std::string& library : listed_) {
      const std::string path = folder_of(library) + name;
      if (!files_.is_file(path)) continue;
      const UpdateFacts::Other* const other = find_other(files_, facts_, library);
      const bool is_its =
          std::ranges::find(component.libraries, library) != component.libraries.end() ||
          (other != nullptr && other->slug == component.slug);
      if (is_its) return {path, path != places.file};
    }
    if (files_.is_file(places.file)) return {places.file, false};
  }
  return {};
}

std::string Authentication::component_of(const std::vector<std::string>& libraries) const {
  for (const std::string& library : libraries) {
    for (const UpdateFacts::Component& each : facts_.components) {
      const bool is_its = std::ranges::find(each.libraries, library) != each.libraries.end();
      if (is_its && each.layer == kLayer) return each.name;
    }
    const UpdateFacts::Other* const other = find_other(files_, facts_, library);
    if (other != nullptr && other->layer == kLayer) return other->name;
    for (const std::string& each : {files_.look(library).value_or(""), name_of_library(library)}) {
      const auto authentication = facts_.authentication.find(each);
      if (authentication != facts_.authentication.end()) return authentication->second;
    }
  }
  return {};
}

std::optional<std::string> Authentication::of_unknown_version() const {
  for (const std::string& library : listed_) {
    const std::string digest = files_.look(library).value_or(std::string(kNothing));
    if (digest == kNothing || facts_.others.contains(digest)) continue;
    std::string name = component_of({library});
    for (const UpdateFacts::Component& each : facts_.components) {
      if (each.layer == kLayer && each.name == name) return name;
    }
  }
  return std::nullopt;
}

std::vector<Message> Authentication::changes(
    const std::function<std::optional<std::string>(const std::string&)>& next,
    const std::vector<std::string>& stays) const {
  std::vector<Message> changes;
  std::vector<std::string> libraries = stays;
  for (const UpdateFacts::Component& each : facts_.components) {
    libraries.insert(libraries.end(), each.libraries.begin(), each.libraries.end());
  }
  std::vector<std::string> present = listed_;
  std::erase_if(present, [&](const std::string& library) { return !files_.is_file(library); });
  const std::string before = component_of(present);
  const std::string after = component_of(libraries);
  if (before.empty()) return changes;
  if (before != after) {
    changes.push_back(
        after.empty() ? Message("{name} is not in this build any more", {{"name", shown(before)}})
                      : Message("{name} takes the place of {other}",
                                {{"name", shown(after)}, {"other", shown(before)}}));
  }
  for (const UpdateFacts::Places& places : facts_.places) {
    const std::string path = found(places).path;
    if (path.empty() || places.identity.empty()) continue;
    const std::string now = files_.read(path, kMostOfSmallFile).value_or("");
    // In the place where it counts then.
    const std::optional<std::string> then = next(path);
    for (const std::string& setting : places.identity) {
      if (!then || value_of(now, setting) == value_of(*then, setting)) continue;
      changes.push_back(Message("{setting} in {file} gets another value",
                                {{"setting", shown(setting)}, {"file", shown(path)}}));
    }
  }
  return changes;
}

}  // namespace goldsmith::owner
