// What changes from one server to another. Pure (decision S33).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/creator/plan.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::creator {

enum class Change { added, removed, changed };
std::string_view to_string(Change change);

struct ComponentChange {
  const domain::Component* component = nullptr;  // of the plan that has it, `to` rather than `from`
  Change change = Change::changed;
  std::string from_version;  // "" = it is not in that plan
  std::string to_version;
};

struct PluginChange {
  std::string slug;
  std::string name;
  Change change = Change::changed;
  std::string from_version;  // "" = nothing of it is in that plan
  std::string to_version;
};

struct FileChange {
  const PlannedFile* from = nullptr;  // null = that plan has no such file
  const PlannedFile* to = nullptr;
  bool is_configuration = false;  // in either plan (decision S28)

  Change change() const;
  // In the plan that has it, `to` rather than `from`.
  const PlannedFile& file() const { return to != nullptr ? *to : *from; }
};

// Points into both plans. Without what is the same in both.
struct Comparison {
  std::vector<ComponentChange> components;  // by slug
  std::vector<PluginChange> plugins;        // by slug
  // By path. What is added or changed is what a partial archive has (decision S31).
  std::vector<FileChange> files;

  bool empty() const { return components.empty() && plugins.empty() && files.empty(); }
};

Comparison compare(const Plan& from, const Plan& to);

// Those after `from` up to `to`, the newest first; none if `to` is not newer than `from`, or one of
// them is not there.
template <typename Version>
std::vector<const Version*> versions_between(const std::vector<Version>& newest_first,
                                             std::string_view from, std::string_view to) {
  const auto find = [&](std::string_view wanted) {
    return std::find_if(newest_first.begin(), newest_first.end(),
                        [&](const Version& each) { return each.version.view() == wanted; });
  };
  const auto end = find(from);
  std::vector<const Version*> between;
  if (end == newest_first.end()) return between;
  for (auto each = find(to); each < end; ++each) between.push_back(&*each);
  return between;
}

// A setting that two texts have with different values, or one of them alone.
struct SettingChange {
  std::string name;
  std::optional<std::string> from;
  std::optional<std::string> to;

  friend bool operator==(const SettingChange&, const SettingChange&) = default;
};

// By name. A setting is a line `name value`, `name = value` or `name "value"`; what follows `//`,
// `;` or `#` at the beginning of a line or after a blank is a comment. Below a line `[section]` the
// name is "section/name". A name that a text has with several values is a command, such as `exec`,
// and no setting; neither is one of more than kLongestSetting bytes with its section, which each of
// its settings repeats.
inline constexpr std::size_t kLongestSetting = 256;
std::vector<SettingChange> compare_settings(std::string_view from, std::string_view to);

}  // namespace goldsmith::creator
