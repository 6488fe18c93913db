#include "app/creator/name_clashes.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "app/base/message.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::creator {
namespace {

using base::N_;

constexpr std::size_t kNamedClashes = 3;

bool is_of_plugin(const PlannedFile& file) { return file.origin == Origin::plugin; }

std::string_view slug_of(const PlannedFile& file) {
  return std::string_view(file.from).substr(std::string_view("plugin:").size());
}

// By the slug of the plugin, each text a file of it and the other one.
std::map<std::string_view, std::vector<std::string>> clashes(
    const std::vector<PlannedFile>& files) {
  std::map<std::string_view, std::vector<std::string>> found;
  std::unordered_map<std::string, const PlannedFile*> by_name;
  for (const PlannedFile& file : files) {
    std::string name = domain::is_utf8(file.path) ? base::fold_case(file.path) : file.path;
    const auto [known, is_new] = by_name.try_emplace(std::move(name), &file);
    if (is_new) continue;
    const PlannedFile* own = &file;
    const PlannedFile* other = known->second;
    if (!own->sha256.empty() && own->sha256 == other->sha256) continue;
    if (!is_of_plugin(*own) || (is_of_plugin(*other) && slug_of(*own) < slug_of(*other))) {
      std::swap(own, other);
    }
    if (!is_of_plugin(*own)) continue;
    found[slug_of(*own)].push_back(own->path + " (" + other->path + ", " + other->from + ")");
  }
  return found;
}

}  // namespace

void note_name_clashes(const std::vector<PlannedFile>& files,
                       std::vector<RequestedPlugin>& requested) {
  if (std::ranges::none_of(files, is_of_plugin)) return;
  const auto found = clashes(files);
  for (RequestedPlugin& plugin : requested) {
    const auto of_plugin = found.find(plugin.slug);
    if (of_plugin == found.end()) continue;
    const std::vector<std::string>& names = of_plugin->second;
    plugin.notes.emplace_back(
        names.size() == 1
            ? N_("Plugin \"{plugin}\": Windows and macOS take its file {files} for the other one, "
                 "whose name differs in letter case or Unicode form alone: unpack the archive on "
                 "Linux, or one of the two is lost.")
            : N_("Plugin \"{plugin}\": Windows and macOS take its files {files} for the other "
                 "ones, "
                 "whose names differ in letter case or Unicode form alone: unpack the archive on "
                 "Linux, or one of each two is lost."),
        std::vector<base::Message::Value>{{"plugin", plugin.slug},
                                          {"files", base::some_of(names, kNamedClashes)}});
  }
}

}  // namespace goldsmith::creator
