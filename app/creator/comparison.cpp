#include "app/creator/comparison.hpp"

#include <map>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::creator {
namespace {

Change change_of(bool is_in_from, bool is_in_to) {
  if (!is_in_from) return Change::added;
  return is_in_to ? Change::changed : Change::removed;
}

// Calls `visit` with the element of either range, or null, for each key that is in one of them.
// Both are sorted by their keys, each of which they have once.
template <typename Range, typename Key, typename Visit>
void visit_both(const Range& from, const Range& to, Key key, Visit visit) {
  auto left = from.begin();
  auto right = to.begin();
  while (left != from.end() || right != to.end()) {
    const bool is_left = right == to.end() || (left != from.end() && key(*left) <= key(*right));
    const bool is_right = left == from.end() || (right != to.end() && key(*right) <= key(*left));
    visit(is_left ? &*left : nullptr, is_right ? &*right : nullptr);
    if (is_left) ++left;
    if (is_right) ++right;
  }
}

// The same for what maps have.
template <typename Map, typename Visit>
void visit_both(const Map& from, const Map& to, Visit visit) {
  using Entry = typename Map::value_type;
  visit_both(
      from, to, [](const Entry& entry) -> const auto& { return entry.first; },
      [&](const Entry* left, const Entry* right) {
        visit((left != nullptr ? left : right)->first, left != nullptr ? &left->second : nullptr,
              right != nullptr ? &right->second : nullptr);
      });
}

std::map<std::string_view, Selected> components_of(const Plan& plan) {
  std::map<std::string_view, Selected> components;
  for (const Selected& each : plan.selection.components) {
    components.emplace(each.component->slug.view(), each);
  }
  return components;
}

std::map<std::string_view, const RequestedPlugin*> plugins_of(const Plan& plan) {
  std::map<std::string_view, const RequestedPlugin*> plugins;
  for (const RequestedPlugin& each : plan.requested) {
    if (each.status != PluginStatus::skipped) plugins.emplace(each.slug, &each);
  }
  return plugins;
}

std::vector<ComponentChange> changed_components(const Plan& from, const Plan& to) {
  std::vector<ComponentChange> changes;
  visit_both(components_of(from), components_of(to),
             [&](std::string_view, const Selected* left, const Selected* right) {
               const auto version_of = [](const Selected* selected) {
                 return selected != nullptr ? selected->version->version.str() : std::string();
               };
               const bool is_same = left != nullptr && right != nullptr &&
                                    left->version->version == right->version->version &&
                                    left->version->digest == right->version->digest;
               if (is_same) return;
               changes.push_back({(right != nullptr ? right : left)->component,
                                  change_of(left != nullptr, right != nullptr), version_of(left),
                                  version_of(right)});
             });
  return changes;
}

std::vector<PluginChange> changed_plugins(const Plan& from, const Plan& to) {
  std::vector<PluginChange> changes;
  visit_both(plugins_of(from), plugins_of(to),
             [&](std::string_view slug, const RequestedPlugin* const* left,
                 const RequestedPlugin* const* right) {
               const auto version_of = [](const RequestedPlugin* const* plugin) {
                 return plugin != nullptr ? (*plugin)->version : std::string();
               };
               if (version_of(left) == version_of(right)) return;
               changes.push_back({std::string(slug), (right != nullptr ? *right : *left)->name,
                                  change_of(left != nullptr, right != nullptr), version_of(left),
                                  version_of(right)});
             });
  return changes;
}

std::vector<FileChange> changed_files(const Plan& from, const Plan& to) {
  std::vector<FileChange> changes;
  visit_both(
      from.files, to.files, [](const PlannedFile& file) -> const std::string& { return file.path; },
      [&](const PlannedFile* left, const PlannedFile* right) {
        if (left != nullptr && right != nullptr && is_same_file(*left, *right)) return;
        FileChange change;
        change.from = left;
        change.to = right;
        change.is_configuration = (left != nullptr && is_configuration(from, *left)) ||
                                  (right != nullptr && is_configuration(to, *right));
        changes.push_back(change);
      });
  return changes;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Names of variables, and what plugins and modules make of them.
bool is_of_name(char c) {
  return domain::is_alphanumeric(c) || c == '_' || c == '-' || c == '.' || c == '+';
}

// Without its comment, and without blanks at both ends.
std::string_view without_comment(std::string_view line) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_quoted = !is_quoted;
    if (is_quoted || (i > 0 && !is_blank(line[i - 1]))) continue;
    if (line[i] == ';' || line[i] == '#' || line.substr(i).starts_with("//")) {
      return base::trim_ascii(line.substr(0, i));
    }
  }
  return base::trim_ascii(line);
}

// The text between the only two quotes of `value`, which are at its ends; otherwise all of it.
std::string_view unquoted(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && value.find('"', 1) == value.size() - 1;
  return is_quoted && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
}

struct Setting {
  std::string_view name;
  std::string_view value;
};

// `line`: without its comment.
std::optional<Setting> read_setting(std::string_view line) {
  const auto* const name_end = std::find_if_not(line.begin(), line.end(), is_of_name);
  const std::string_view name(line.begin(), name_end);
  const bool is_name = !name.empty() && (domain::is_letter(name.front()) || name.front() == '_');
  if (!is_name) return std::nullopt;
  std::string_view value = base::trim_ascii(line.substr(name.size()));
  const bool has_sign = value.starts_with('=');
  if (has_sign) value = base::trim_ascii(value.substr(1));
  if (value.empty() && !has_sign) return std::nullopt;
  const bool is_apart = has_sign || value.starts_with('"') || is_blank(line[name.size()]);
  if (!is_apart) return std::nullopt;
  return Setting{name, unquoted(value)};
}

// The name of a line `[name]`.
std::optional<std::string_view> read_section(std::string_view line) {
  if (line.size() < 2 || line.front() != '[' || line.back() != ']') return std::nullopt;
  return base::trim_ascii(line.substr(1, line.size() - 2));
}

// By name; std::nullopt = it has several values.
std::map<std::string, std::optional<std::string>> settings_of(std::string_view text) {
  std::map<std::string, std::optional<std::string>> values;
  std::string section;
  for (const std::string_view each : base::split(text, '\n')) {
    const std::string_view line = without_comment(base::trim_ascii(each));
    if (const auto begun = read_section(line)) {
      section = begun->empty() ? "" : std::string(*begun) + "/";
    } else if (const auto setting = read_setting(line)) {
      if (section.size() + setting->name.size() > kLongestSetting) continue;
      const auto [known, is_new] =
          values.try_emplace(section + std::string(setting->name), std::string(setting->value));
      if (!is_new && known->second != setting->value) known->second = std::nullopt;
    }
  }
  return values;
}

}  // namespace

std::string_view to_string(Change change) {
  switch (change) {
    case Change::added:
      return "added";
    case Change::removed:
      return "removed";
    case Change::changed:
      break;
  }
  return "changed";
}

Change FileChange::change() const { return change_of(from != nullptr, to != nullptr); }

Comparison compare(const Plan& from, const Plan& to) {
  return {changed_components(from, to), changed_plugins(from, to), changed_files(from, to)};
}

std::vector<SettingChange> compare_settings(std::string_view from, std::string_view to) {
  std::vector<SettingChange> changes;
  using Value = std::optional<std::string>;
  visit_both(settings_of(from), settings_of(to),
             [&](const std::string& name, const Value* left, const Value* right) {
               const bool has_several =
                   (left != nullptr && !*left) || (right != nullptr && !*right);
               SettingChange change{name, left != nullptr ? *left : std::nullopt,
                                    right != nullptr ? *right : std::nullopt};
               if (!has_several && change.from != change.to) changes.push_back(std::move(change));
             });
  return changes;
}

}  // namespace goldsmith::creator
