#include <algorithm>

#include "app/cli/commands/plugin_scan.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

constexpr const char* kOwn = "plugin";
constexpr const char* kVersion = "version";
constexpr const char* kSkip = "skip";
constexpr const char* kReplace = "replace";

using Group = std::vector<ScannedPlugin*>;

bool has_version(const ScannedPlugin& first, const ScannedPlugin& other) {
  return first.version.version == other.version.version ||
         std::any_of(first.others.begin(), first.others.end(), [&](const ScannedPlugin* each) {
           return each->version.version == other.version.version;
         });
}

// What the other is likely to be to the first of the name.
std::string proposal(const ScannedPlugin& first, const ScannedPlugin& other) {
  if (sys::fold_case(first.facts.author) != sys::fold_case(other.facts.author)) return kOwn;
  return has_version(first, other) ? kSkip : kVersion;
}

void ask_about(ScannedPlugin& first, ScannedPlugin& other, const ScanRecord& record) {
  scan::Question question{"same name",
                          "another source has this name: " + first.path + ", version " +
                              first.version.version.str() + " of " +
                              (first.facts.author.empty() ? "nobody" : first.facts.author) +
                              "; is this one a plugin of its own, a version of that one, or to be "
                              "skipped?",
                          proposal(first, other),
                          {kOwn, kSkip}};
  if (!has_version(first, other)) question.choices.insert(question.choices.begin() + 1, kVersion);
  scan::ask(std::move(question), record.answers(other.slug.str()), other.asked);
  const std::optional<std::string>& answer = other.asked.back().answer;
  other.is_skipped = other.is_skipped || answer == kSkip;
  if (answer != kVersion) return;
  other.part_of = first.slug.str();
  first.others.push_back(&other);
}

// The one with the shortest slug was there first, and has the name alone.
void sort_by_slug(Group& group) {
  std::sort(group.begin(), group.end(), [](const ScannedPlugin* one, const ScannedPlugin* other) {
    const auto size = [](const ScannedPlugin* plugin) { return plugin->slug.view().size(); };
    return std::pair(size(one), one->slug.view()) < std::pair(size(other), other->slug.view());
  });
}

void ask_about_directory(ScannedPlugin& plugin, const ScanRecord& record,
                         const Directory& directory) {
  const auto known = directory.names.find(plugin.slug.str());
  if (known == directory.names.end()) return;
  const auto recorded = record.plugins().find(plugin.slug.str());
  if (recorded != record.plugins().end() && recorded->second.is_imported) return;
  if (directory.has_file(plugin.slug, plugin.version.files.front().sha1)) return;
  const std::string answer = scan::ask(
      {"directory",
       "the directory has a plugin " + plugin.slug.str() + " already, \"" + known->second.name +
           "\" of " + known->second.author + "; is this one to replace it, or to be skipped?",
       kSkip,
       {kReplace, kSkip}},
      record.answers(plugin.slug.str()), plugin.asked);
  if (plugin.asked.back().answer && answer == kSkip) plugin.is_skipped = true;
}

}  // namespace

void ask_about_names(ScannedPlugins& plugins, const ScanRecord& record,
                     const Directory& directory) {
  std::map<std::string, Group> by_name;
  for (ScannedPlugin& plugin : plugins) {
    if (plugin.is_written()) by_name[sys::fold_case(plugin.name())].push_back(&plugin);
  }
  for (auto& [name, group] : by_name) {
    sort_by_slug(group);
    for (std::size_t i = 1; i < group.size(); ++i) ask_about(*group[0], *group[i], record);
  }
  for (ScannedPlugin& plugin : plugins) {
    if (plugin.is_written()) ask_about_directory(plugin, record, directory);
  }
}

}  // namespace goldsmith::cli
