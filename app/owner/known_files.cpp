#include "app/owner/known_files.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "app/base/text.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

bool is_key(char c) { return domain::is_lower(c) || domain::is_digit(c); }

// The first word, which is taken out with the blank behind it.
std::string_view take_word(std::string_view& line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, blank);
  line.remove_prefix(std::min(blank + 1, line.size()));
  return word;
}

template <typename Map>
auto found_in(const Map& map, const typename Map::key_type& key)
    -> std::span<const typename Map::mapped_type::value_type> {
  const auto found = map.find(key);
  if (found == map.end()) return {};
  return found->second;
}

}  // namespace

std::string key_of(std::string_view name) {
  std::string key = base::to_lower_ascii(name);
  std::erase_if(key, [](char c) { return !is_key(c); });
  return key;
}

std::string spelled_version(std::string_view version) {
  while (version.starts_with(' ')) version.remove_prefix(1);
  std::string text = base::to_lower_ascii(version);
  if (text.starts_with('.')) text.insert(0, "0");
  std::string result;
  for (const char c : text) {
    if (is_key(c)) {
      result += c;
    } else if (!result.empty() && result.back() != '.') {
      result += '.';
    }
  }
  if (result.ends_with('.')) result.pop_back();
  if (result.starts_with('v')) result.erase(0, result.starts_with("v.") ? 2 : 1);
  return result.empty() ? "0" : result;
}

std::optional<KnownFiles> KnownFiles::parse(std::string text, Problem& problem) {
  KnownFiles known;
  known.text_ = std::make_unique<std::string>(std::move(text));
  std::string_view rest = *known.text_;
  if (rest.substr(0, rest.find('\n')) != kFormat) {
    problem = Problem::format;
    return std::nullopt;
  }
  // One that was cut would name files wrongly.
  problem = Problem::incomplete;
  if (!rest.ends_with("\nend\n")) return std::nullopt;
  problem = Problem::damaged;
  bool has_largest = false;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
    if (line.starts_with("largest ")) {
      constexpr std::size_t kMostDigits = 12;
      const auto bytes = base::parse_number(line.substr(line.find(' ') + 1));
      if (!bytes || line.size() > std::string_view("largest ").size() + kMostDigits) {
        return std::nullopt;
      }
      known.largest_ = *bytes;
      has_largest = true;
    } else if (!known.read_line(line)) {
      return std::nullopt;
    }
  }
  if (!has_largest) return std::nullopt;
  if (known.has_rules_) known.finish_catalog();
  return known;
}

// False for what no service writes.
bool KnownFiles::read_line(std::string_view line) {
  const std::string_view word = take_word(line);
  if (word.size() == kPrefix) {
    const std::string_view role = take_word(line);
    if (role.size() != 1 || line.empty() || !last_has_version()) return false;
    add_file(word, role.front(), line);
  } else if (word == "version") {
    if (of_plugin_ ? plugins_.empty() : components_.empty()) return false;
    read_version(line);
  } else if (word == "service") {
    service_ = line;
  } else {
    read_component(word, line);
  }
  return true;
}

// Whether the component or plugin that was named last has a version.
bool KnownFiles::last_has_version() const {
  if (versions_.empty()) return false;
  const KnownVersion& last = versions_.back();
  const std::size_t owners = of_plugin_ ? plugins_.size() : components_.size();
  return last.of_plugin == of_plugin_ && last.owner + 1 == owners;
}

// Or a plugin.
void KnownFiles::read_component(std::string_view word, std::string_view rest) {
  const auto next = static_cast<VersionId>(versions_.size());
  if (word == "component") {
    of_plugin_ = false;
    KnownComponent component;
    component.slug = take_word(rest);
    component.layer = take_word(rest);
    component.is_selectable = take_word(rest) == "selectable";
    component.title = rest;
    component.first = component.end = next;
    domain::Component& ruled = rules_.emplace_back();
    ruled.slug = domain::Slug::parse(component.slug).value_or(domain::Slug());
    ruled.name = shown(component.title);
    ruled.layer = domain::parse_layer(component.layer).value_or(domain::Layer::content);
    ruled.selectable = component.is_selectable;
    ruled.sort_order = static_cast<std::int64_t>(components_.size());
    components_.push_back(std::move(component));
  } else if (word == "upstream" && !components_.empty()) {
    components_.back().upstream = rest;
  } else if (word == "rule" && !components_.empty()) {
    read_rule(rest);
  } else if (word == "reads" && !components_.empty()) {
    components_.back().places.push_back({take_word(rest), base::split(rest, ' ')});
  } else if (word == "identity" && !components_.empty()) {
    for (KnownPlaces& each : components_.back().places) {
      each.has_identity = each.has_identity || rest.starts_with(std::string(each.file) + " ");
    }
  } else if (word == "exclusive") {
    has_rules_ = true;
  } else if (word == "plugin") {
    of_plugin_ = true;
    KnownPlugin plugin;
    plugin.slug = take_word(rest);
    plugin.name = rest.empty() ? plugin.slug : rest;
    plugin.name_key = key_of(rest);
    plugin.first = plugin.end = plugin.newest = next;
    plugins_.push_back(std::move(plugin));
  } else if (word == "author" && !plugins_.empty()) {
    plugins_.back().author_key = key_of(rest);
  } else if (word == "fault" && last_has_version()) {
    versions_.back().faults.push_back(rest);
  } else if (word == "defect" && last_has_version()) {
    versions_.back().defects.push_back(rest);
  }
}

// One that can't be read is left out.
void KnownFiles::read_rule(std::string_view rest) {
  const auto range_of = [](std::string_view text) {
    std::string spaced(text == "-" ? "" : text);
    std::ranges::replace(spaced, ',', ' ');
    return domain::VersionRange::parse(spaced);
  };
  domain::Rule rule;
  const auto kind = domain::parse_rule_kind(take_word(rest));
  const auto component = domain::Slug::parse(take_word(rest));
  const auto layer = domain::parse_layer(take_word(rest));
  const auto versions = range_of(take_word(rest));
  const auto with = range_of(take_word(rest));
  if (!kind || !component || !versions || !with) return;
  rules_.back().rules.push_back({*kind, *component, "", *versions, *with});
  if (layer) ruled_.emplace_back(*component, *layer);
}

// The service may have a component that rules name, but no version of it.
void KnownFiles::finish_catalog() {
  std::set<domain::Slug> named;
  std::erase_if(rules_, [&](const domain::Component& each) {
    return each.slug.empty() || !named.insert(each.slug).second;
  });
  for (const auto& [slug, layer] : ruled_) {
    if (!named.insert(slug).second) continue;
    domain::Component& component = rules_.emplace_back();
    component.slug = slug;
    component.layer = layer;
  }
  catalog_ = domain::Catalog(std::move(rules_));
}

void KnownFiles::read_version(std::string_view rest) {
  const auto id = static_cast<VersionId>(versions_.size());
  KnownVersion version;
  version.number = take_word(rest);
  const std::string_view state = take_word(rest);
  version.of_plugin = of_plugin_;
  version.owner = (of_plugin_ ? plugins_.size() : components_.size()) - 1;
  using State = KnownVersion::State;
  version.state = state == "latest" ? State::latest : state == "held" ? State::held : State::older;
  if (of_plugin_) {
    KnownPlugin& plugin = plugins_.back();
    // Not before: one without a version can't be the one that is there.
    const bool is_first = plugin.first == plugin.end;
    if (is_first && !plugin.name_key.empty()) named_[plugin.name_key].push_back(version.owner);
    plugin.end = id + 1;
    if (version.state == State::latest) plugin.newest = id;
    version.binary = take_word(rest);
    if (!version.binary.empty()) {
      auto& plugins = binaries_[version.binary];
      if (plugins.empty() || plugins.back() != version.owner) plugins.push_back(version.owner);
    }
  } else {
    KnownComponent& component = components_.back();
    component.end = id + 1;
    if (version.state == State::latest) component.newest = id;
    version.reason = rest;
    if (const auto number = domain::Version::parse(version.number)) {
      domain::ComponentVersion& ruled = rules_.back().versions.emplace_back();
      ruled.version = *number;
      ruled.released_at = domain::Timestamp(std::chrono::seconds(-std::int64_t{id}));
      if (version.state == State::held) ruled.held = domain::Hold{shown(version.reason)};
    }
  }
  versions_.push_back(std::move(version));
}

void KnownFiles::add_file(std::string_view prefix, char role, std::string_view path) {
  const auto id = static_cast<VersionId>(versions_.size() - 1);
  KnownVersion& version = versions_.back();
  if (of_plugin_) {
    (role == 's' ? sources_ : parts_)[prefix].push_back(id);
    if (role == 'c') settings_[path].push_back(id);
    return;
  }
  at_[path].push_back({id, prefix, role});
  copied_.try_emplace(prefix, id, path);
  if (role != 'c') ++version.files;
  if (role != 'm') return;
  version.mains.push_back(path);
  mains_[prefix].push_back(id);
}

std::span<const KnownEntry> KnownFiles::at(std::string_view path) const {
  return found_in(at_, path);
}
std::vector<std::string_view> KnownFiles::paths_below(std::string_view folder) const {
  std::vector<std::string_view> paths;
  for (const auto& [path, entries] : at_) {
    if (path.starts_with(folder)) paths.push_back(path);
  }
  std::ranges::sort(paths);
  return paths;
}
std::span<const VersionId> KnownFiles::sources(std::string_view prefix) const {
  return found_in(sources_, prefix);
}
std::span<const VersionId> KnownFiles::parts(std::string_view prefix) const {
  return found_in(parts_, prefix);
}
std::span<const VersionId> KnownFiles::settings(std::string_view path) const {
  return found_in(settings_, path);
}
std::span<const VersionId> KnownFiles::mains(std::string_view prefix) const {
  return found_in(mains_, prefix);
}
std::span<const PluginId> KnownFiles::named(const std::string& key) const {
  return found_in(named_, key);
}
std::span<const PluginId> KnownFiles::with_binary(std::string_view file) const {
  return found_in(binaries_, file);
}

std::optional<std::pair<VersionId, std::string_view>> KnownFiles::copied(
    std::string_view prefix) const {
  const auto found = copied_.find(prefix);
  return found == copied_.end() ? std::nullopt : std::optional(found->second);
}

bool KnownFiles::knows(std::string_view prefix) const {
  return copied_.contains(prefix) || sources_.contains(prefix) || parts_.contains(prefix);
}

}  // namespace goldsmith::owner
