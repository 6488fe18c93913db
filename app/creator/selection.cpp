#include "app/creator/selection.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/creator/requirements.hpp"
#include "app/domain/failure.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::creator {

namespace {

using domain::Component;
using domain::ComponentVersion;
using domain::Rule;
using domain::RuleKind;

using Pins = std::set<std::string_view>;  // of one component; empty = the latest version
using Wanted = std::map<std::string_view, Pins>;

Wanted wanted_of(const std::vector<Token>& components) {
  Wanted wanted;
  for (const Token& token : components) {
    Pins& pins = wanted[token.slug];
    if (!token.version.empty()) pins.insert(token.version);
  }
  return wanted;
}

struct PinnedVersion {
  const ComponentVersion* version = nullptr;  // null if none or not the pinned one is mirrored
  std::string_view missing;                   // the pinned version that is not mirrored
};

// The newest of several pins wins (decision S1), even if it is not mirrored: substituting an older
// version would be a surprise.
PinnedVersion choose(const Component& component, const Pins& pins) {
  if (pins.empty() || component.versions.empty()) return {component.latest(), {}};
  Pins absent = pins;
  const ComponentVersion* newest = nullptr;
  for (const ComponentVersion& version : component.versions) {
    if (absent.erase(version.version) != 0 && newest == nullptr) newest = &version;
  }
  if (absent.empty()) return {newest, {}};
  const std::string_view missing = *std::max_element(
      absent.begin(), absent.end(),
      [](auto left, auto right) { return domain::version_order(left, right) < 0; });
  if (newest != nullptr && domain::version_order(newest->version, missing) > 0) {
    return {newest, {}};
  }
  return {nullptr, missing};
}

// The version that reachable() looks at; null for a component that is not available.
const ComponentVersion* version_of(const Component& component, const Wanted& wanted) {
  const auto found = wanted.find(component.slug);
  return choose(component, found == wanted.end() ? Pins{} : found->second).version;
}

// The selectable components of `wanted` and everything that they bundle. Also follows unavailable
// components: they may be mirrored later, so naming what they bundle is not an error of the caller.
std::set<std::string_view> reachable(const Wanted& wanted, const domain::Catalog& catalog) {
  std::set<std::string_view> found;
  std::vector<const Component*> pending;
  for (const auto& [slug, pins] : wanted) {
    const Component* component = catalog.find(slug);
    if (component != nullptr && component->selectable) pending.push_back(component);
  }
  while (!pending.empty()) {
    const Component* component = pending.back();
    pending.pop_back();
    if (!found.insert(component->slug).second) continue;
    const ComponentVersion* version = version_of(*component, wanted);
    for (const Rule& rule : rules_of(*component, RuleKind::bundles, version)) {
      const Component* bundled = catalog.find(rule.component);
      if (bundled != nullptr) pending.push_back(bundled);
    }
  }
  return found;
}

// Determines the components and versions of a request.
class Selector {
 public:
  explicit Selector(const domain::Catalog& catalog) : stack_{catalog, {}, {}} {}

  void add_wanted(const Wanted& wanted);
  void follow_bundles();

  const Stack& stack() const { return stack_; }
  InvalidSelection& invalid() { return invalid_; }

 private:
  void add_named(const Component& component, const Pins& pins);
  void add_bundled(const domain::Slug& slug, std::vector<Selected>& pending);
  void add_unavailable(const domain::Slug& slug, base::Message reason);

  Stack stack_;
  InvalidSelection invalid_;
};

void Selector::add_wanted(const Wanted& wanted) {
  const std::set<std::string_view> known = reachable(wanted, stack_.catalog);
  for (const auto& [slug, pins] : wanted) {
    if (known.contains(slug)) {
      add_named(*stack_.catalog.find(slug), pins);
    } else {
      invalid_.unknown.emplace_back(slug);
    }
  }
}

// `slug` must point into the catalog.
void Selector::add_unavailable(const domain::Slug& slug, base::Message reason) {
  if (!stack_.unavailable.insert(slug).second) return;
  invalid_.unavailable.push_back({slug.str(), name_of(stack_.catalog, slug), std::move(reason)});
}

void Selector::add_named(const Component& component, const Pins& pins) {
  const PinnedVersion pinned = choose(component, pins);
  if (pinned.version != nullptr) {
    stack_.selected[component.slug] = {&component, pinned.version, false};
  } else {
    add_unavailable(component.slug, absence_of(component, pinned.missing));
  }
}

void Selector::follow_bundles() {
  std::vector<Selected> pending;
  for (const auto& [slug, selected] : stack_.selected) pending.push_back(selected);
  while (!pending.empty()) {
    const Selected each = pending.back();
    pending.pop_back();
    for (const Rule& rule : rules_of(*each.component, RuleKind::bundles, each.version)) {
      add_bundled(rule.component, pending);
    }
  }
}

void Selector::add_bundled(const domain::Slug& slug, std::vector<Selected>& pending) {
  if (stack_.selected.contains(slug)) return;
  const Component* component = stack_.catalog.find(slug);
  if (component == nullptr || component->latest() == nullptr) {
    add_unavailable(
        slug, base::Message("{component} is part of this selection but not available here yet.",
                            {{"component", name_of(stack_.catalog, slug)}}));
    return;
  }
  if (stack_.unavailable.contains(slug)) return;  // named with a pin that is not mirrored
  stack_.selected[component->slug] = {component, component->latest(), true};
  pending.push_back(stack_.selected[component->slug]);
}

Selection in_load_order(const Stack& stack) {
  Selection selection;
  for (const auto& [slug, selected] : stack.selected) selection.components.push_back(selected);
  std::sort(selection.components.begin(), selection.components.end(),
            [](const Selected& left, const Selected& right) {
              return std::tie(left.component->sort_order, left.component->slug) <
                     std::tie(right.component->sort_order, right.component->slug);
            });
  return selection;
}

}  // namespace

bool InvalidSelection::empty() const {
  return unknown.empty() && unavailable.empty() && conflicts.empty() && missing_requires.empty() &&
         layer_conflicts.empty();
}

SelectionResult select_named(const std::vector<Token>& components, const domain::Catalog& catalog,
                             const std::vector<std::string>& published_plugins,
                             const std::vector<Unavailable>& unavailable) {
  Selector selector(catalog);
  selector.add_wanted(wanted_of(components));
  selector.follow_bundles();
  InvalidSelection& invalid = selector.invalid();
  if (selector.stack().selected.empty() && invalid.empty()) return EmptySelection{};

  check_stack(selector.stack(), published_plugins, invalid);
  invalid.unavailable.insert(invalid.unavailable.end(), unavailable.begin(), unavailable.end());
  if (invalid.empty()) return in_load_order(selector.stack());
  std::sort(invalid.unavailable.begin(), invalid.unavailable.end(),
            [](const Unavailable& left, const Unavailable& right) {
              return left.component < right.component;
            });
  return std::move(invalid);
}

bool has(const Selection& selection, std::string_view component) {
  return std::any_of(selection.components.begin(), selection.components.end(),
                     [&](const Selected& each) { return each.component->slug == component; });
}

const Selected* platform(const Selection& selection) {
  const auto found = std::find_if(
      selection.components.begin(), selection.components.end(),
      [](const Selected& each) { return each.component->layer == domain::Layer::amxmodx; });
  return found == selection.components.end() ? nullptr : &*found;
}

const std::string& line_of(const Selection& selection) {
  const Selected* const chosen = platform(selection);
  const bool is_named = chosen != nullptr && chosen->component->loads.toolchain;
  return is_named ? *chosen->component->loads.toolchain : domain::toolchain_lines().back();
}

namespace {

// The owner of a rule, with its version where that of the other one decides.
std::string subject_of(const Rule& rule, const Selected& owner) {
  std::string name = owner.component->title();
  if (!rule.with.is_every() && owner.version != nullptr) name += " " + owner.version->version.str();
  return name;
}

// "X needs Y or Z.", "X 5.26 needs Y 5.28 or newer."; a note does not name all that is accepted.
base::Message reason_of(const Rule& rule, const Selected& owner, const Requirement& requirement) {
  if (rule.note.empty()) {
    return {base::N_("{component} needs {other}."),
            {{"component", subject_of(rule, owner)}, {"other", in_words(requirement)}}};
  }
  const bool says_all =
      requirement.any_of.size() == 1 && requirement.any_of.front().versions.is_every();
  if (says_all) return base::Message(rule.note);
  return {base::N_("{note} Accepted: {components}."),
          {{"note", base::Message(rule.note)}, {"components", in_words(requirement)}}};
}

class Checker {
 public:
  Checker(const Stack& stack, InvalidSelection& invalid) : stack_(stack), invalid_(invalid) {
    for (const auto& [slug, selected] : stack.selected) layers_.insert(selected.component->layer);
  }

  void layers();
  void conflicts();
  void requirements();
  void plugins(const std::vector<std::string>& slugs);

 private:
  bool is_satisfied(const Rule& rule) const;
  void add_missing(const Rule& rule, const Selected& owner, const std::vector<Requirement>& all);
  const Component* default_platform() const;

  const Stack& stack_;
  InvalidSelection& invalid_;
  std::set<domain::Layer> layers_;  // with a selected component
};

void Checker::layers() {
  std::map<std::string_view, std::vector<std::string>> by_layer;
  for (const auto& [slug, selected] : stack_.selected) {
    const domain::LayerInfo& layer = domain::info(selected.component->layer);
    if (layer.exclusive) by_layer[layer.key].emplace_back(slug);
  }
  for (auto& [layer, components] : by_layer) {
    if (components.size() < 2) continue;
    invalid_.layer_conflicts.push_back({std::string(layer), std::move(components)});
  }
}

void Checker::conflicts() {
  const auto& selected = stack_.selected;
  for (auto one = selected.begin(); one != selected.end(); ++one) {
    for (auto other = std::next(one); other != selected.end(); ++other) {
      if (auto conflict = conflict_of(one->second, other->second)) {
        invalid_.conflicts.push_back(std::move(*conflict));
      }
    }
  }
  std::sort(invalid_.conflicts.begin(), invalid_.conflicts.end(),
            [](const Conflict& left, const Conflict& right) {
              return std::tie(left.component, left.with) < std::tie(right.component, right.with);
            });
}

// Whether what is required is in the build. Also true for what is reported as unavailable.
bool Checker::is_satisfied(const Rule& rule) const {
  if (stack_.unavailable.contains(rule.component)) return true;
  const auto named = stack_.selected.find(rule.component);
  if (named != stack_.selected.end()) return is_about(rule, named->second.version);
  const Component* component = stack_.catalog.find(rule.component);
  return component != nullptr && domain::info(component->layer).exclusive &&
         layers_.contains(component->layer);
}

void Checker::requirements() {
  for (const auto& [slug, selected] : stack_.selected) {
    std::map<std::string_view, const Rule*> missing;
    for (const Rule& rule : rules_of(*selected.component, RuleKind::requires_, selected.version)) {
      if (!is_satisfied(rule)) missing.emplace(rule.component, &rule);
    }
    if (missing.empty()) continue;
    const std::vector<Requirement> all = requirements_of(selected, stack_.catalog);
    for (const auto& [target, rule] : missing) add_missing(*rule, selected, all);
  }
}

// `all`: what the owner requires. One that the catalog does not know is required by its slug.
void Checker::add_missing(const Rule& rule, const Selected& owner,
                          const std::vector<Requirement>& all) {
  const Component* const named = stack_.catalog.find(rule.component);
  const auto found = std::ranges::find_if(
      all, [&](const Requirement& each) { return named != nullptr && each.accepts(*named); });
  if (found == all.end()) {
    invalid_.missing_requires.push_back(
        {owner.component->slug.str(), rule.component.str(),
         base::Message("{component} needs {other}.",
                       {{"component", subject_of(rule, owner)},
                        {"other", rule.with.in_words(rule.component.str())}}),
         rule.with});
    return;
  }
  MissingRequire item{owner.component->slug.str(), rule.component.str(),
                      reason_of(rule, owner, *found)};
  for (const Accepted& each : found->any_of) {
    if (each.component == named) {
      item.versions = each.versions;
    } else {
      item.others.push_back(each);
    }
  }
  invalid_.missing_requires.push_back(std::move(item));
}

// The first default component of the platform layer; otherwise the first available one; otherwise
// the first known one.
const Component* Checker::default_platform() const {
  const auto rank = [](const Component& component) {
    return std::tuple(component.is_default, component.selectable && component.latest() != nullptr);
  };
  const Component* best = nullptr;
  for (const Component& component : stack_.catalog.components()) {
    if (component.layer != domain::Layer::amxmodx) continue;
    if (best == nullptr || rank(component) > rank(*best)) best = &component;
  }
  return best;
}

void Checker::plugins(const std::vector<std::string>& slugs) {
  if (layers_.contains(domain::Layer::amxmodx)) return;
  const Component* platform = default_platform();
  const domain::Slug wanted = platform == nullptr ? domain::Slug("amxmodx") : platform->slug;
  if (stack_.unavailable.contains(wanted)) return;
  const Requirement any = any_of_layer(domain::Layer::amxmodx, platform, stack_.catalog);
  const base::Message names = platform == nullptr ? base::Message(wanted.str()) : in_words(any);
  for (const std::string& slug : std::set<std::string>(slugs.begin(), slugs.end())) {
    invalid_.missing_requires.push_back(
        {"plugin:" + slug, wanted.str(),
         base::Message("Plugins need a plugin platform: {components}.", {{"components", names}})});
  }
}

}  // namespace

std::string name_of(const domain::Catalog& catalog, std::string_view slug) {
  const Component* component = catalog.find(slug);
  return component == nullptr ? std::string(slug) : component->title();
}

std::optional<Conflict> conflict_of(const Selected& one, const Selected& other) {
  for (const auto& [left, right] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    const Component& component = *left->component;
    const Component& with = *right->component;
    for (const Rule& rule : rules_of(component, RuleKind::conflicts, left->version)) {
      if (rule.component != with.slug || !is_about(rule, right->version)) continue;
      if (!rule.note.empty()) {
        return Conflict{component.slug.str(), with.slug.str(), base::Message(rule.note)};
      }
      return Conflict{component.slug.str(), with.slug.str(),
                      base::Message("{component} can't be used together with {other}.",
                                    {{"component", subject_of(rule, *left)},
                                     {"other", rule.with.in_words(with.title())}})};
    }
  }
  return std::nullopt;
}

base::Message absence_of(const Component& component, std::string_view version) {
  std::vector<base::Message::Value> values{{"component", component.title()}};
  if (component.latest() != nullptr) {
    values.emplace_back("version", std::string(version));
    values.emplace_back("latest", component.latest()->version.str());
    return {base::N_("Version {version} of {component} is not available here. The latest is "
                     "{latest}."),
            std::move(values)};
  }
  if (component.versions.empty()) {
    return {base::N_("{component} is known but not available here yet."), std::move(values)};
  }
  values.emplace_back("reason", component.versions.front().held->reason);
  return {base::N_("{component} is held here: {reason}"), std::move(values)};
}

void check_stack(const Stack& stack, const std::vector<std::string>& plugins,
                 InvalidSelection& invalid) {
  Checker checker(stack, invalid);
  checker.layers();
  checker.conflicts();
  checker.requirements();
  checker.plugins(plugins);
  std::stable_sort(invalid.missing_requires.begin(), invalid.missing_requires.end(),
                   [](const MissingRequire& left, const MissingRequire& right) {
                     return left.component < right.component;
                   });
}

namespace {

// Text that is not UTF-8 matches no name, but is repeated in the response, so it must be valid in
// JSON.
std::string as_utf8(std::string_view text) {
  if (domain::is_utf8(text)) return std::string(text);
  std::string clean;
  for (const char byte : text) {
    if (static_cast<unsigned char>(byte) < 0x80) {
      clean += byte;
    } else if (!clean.ends_with(base::kReplacementCharacter)) {
      clean += base::kReplacementCharacter;
    }
  }
  return clean;
}

std::vector<std::string> tokens(std::string_view list) {
  std::vector<std::string> found;
  for (const std::string_view piece : base::split(list, ',')) {
    const std::string_view token = base::trim_ascii(piece);
    if (!token.empty()) found.push_back(as_utf8(token));
  }
  return found;
}

Token parse_token(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return {std::string(text), ""};
  return {std::string(base::trim_ascii(text.substr(0, at))),
          std::string(base::trim_ascii(text.substr(at + 1)))};
}

// A pin beats none; of several the last in the order of versions stays.
std::vector<Token> plugin_tokens(std::string_view list) {
  std::map<std::string, std::string> pins;
  for (const std::string& text : tokens(list)) {
    Token token = parse_token(text);
    std::string& pin = pins[token.slug];
    if (token.version.empty()) continue;
    if (pin.empty() || domain::version_order(token.version, pin) > 0) {
      pin = std::move(token.version);
    }
  }
  std::vector<Token> found;
  for (const auto& [slug, pin] : pins) found.push_back({slug, pin});
  return found;
}

// Legal in a query, and easier to read than their codes.
constexpr std::string_view kPlain = ",@";

using Names = std::vector<std::string>;

// "components=…&plugins=…&order=…&optimized=1" of what there is.
std::string query_of(const std::optional<Names>& components, const SelectionRequest& request) {
  Names parameters;
  const auto add = [&](const std::string& name, const Names& names) {
    parameters.push_back(name + "=" + base::percent_encode(base::join(names, ","), kPlain));
  };
  // Without a value the parameter means the recommended stack.
  if (components) add("components", components->empty() ? Names{"", ""} : *components);
  Names plugins;
  for (const Token& token : request.plugins) plugins.push_back(spelled(token));
  if (!plugins.empty()) add("plugins", plugins);
  if (!request.order.empty()) add("order", request.order);
  if (request.optimized) parameters.emplace_back("optimized=1");
  if (!request.settings.empty()) {
    parameters.push_back("cfg=" + base::percent_encode(request.settings, kPlain));
  }
  return base::join(parameters, "&");
}

// `unit`: what is counted.
domain::Failure too_many(std::string_view parameter, std::string_view unit, std::uint64_t limit,
                         std::uint64_t count) {
  domain::Failure failure(domain::Error::bad_request);
  failure.cause =
      unit == parameter
          ? fmt::format("A selection may name at most {} {}; this one names {}.", limit, unit,
                        count)
          : fmt::format(
                "The plugins of a selection may have at most {} {} together; these have {}.", limit,
                unit, count);
  failure.fields = {{"parameter", parameter},
                    {"limit", static_cast<std::int64_t>(limit)},
                    {"reason", failure.cause}};
  return failure;
}

}  // namespace

std::string spelled(const Token& token) {
  return token.version.empty() ? token.slug : token.slug + "@" + token.version;
}

void check_size(const SelectionRequest& request) {
  if (request.plugins.size() > kMaxPlugins) {
    throw too_many("plugins", "plugins", kMaxPlugins, request.plugins.size());
  }
  if (!request.components) return;
  std::set<std::string_view> slugs;
  for (const Token& token : *request.components) slugs.insert(token.slug);
  if (slugs.size() > kMaxComponents) {
    throw too_many("components", "components", kMaxComponents, slugs.size());
  }
}

void check_order(const SelectionRequest& request) {
  for (const std::string& slug : request.order) {
    const bool is_selected = std::any_of(request.plugins.begin(), request.plugins.end(),
                                         [&](const Token& token) { return token.slug == slug; });
    if (is_selected) continue;
    domain::Failure failure(domain::Error::bad_request);
    failure.cause = fmt::format(
        "\"{}\" is not among the plugins of the selection: name it in \"plugins\", too, or leave "
        "it out "
        "of \"order\".",
        slug);
    failure.fields = {{"parameter", "order"}, {"reason", failure.cause}};
    throw failure;
  }
}

void check_files(const domain::FileTotals& totals) {
  const auto check = [](std::string_view unit, std::uint64_t limit, std::uint64_t count) {
    if (count > limit) throw too_many("plugins", unit, limit, count);
  };
  check("bytes", kMaxPluginBytes, totals.bytes);
  check("files", kMaxPluginFiles, totals.files);
  check("bytes of paths", kMaxPluginPathBytes, totals.path_bytes);
}

SelectionRequest parse_selection_request(std::optional<std::string_view> components,
                                         std::optional<std::string_view> plugins, bool optimized,
                                         std::optional<std::string_view> order) {
  SelectionRequest request;
  request.optimized = optimized;
  if (components && !components->empty()) {
    request.components.emplace();
    for (const std::string& token : tokens(*components)) {
      request.components->push_back(parse_token(token));
    }
    auto& named = *request.components;
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end()), named.end());
  }
  if (plugins) request.plugins = plugin_tokens(*plugins);
  std::set<std::string> ordered;
  for (std::string& slug : tokens(order.value_or(""))) {
    if (ordered.insert(slug).second) request.order.push_back(std::move(slug));
  }
  return request;
}

std::string download_query(const SelectionRequest& request, const Selection& selection) {
  Names components;
  for (const Selected& selected : selection.components) {
    if (selected.bundled) continue;
    components.push_back(selected.component->slug + "@" + selected.version->version);
  }
  return query_of(components, request);
}

std::string request_query(const SelectionRequest& request) {
  if (!request.components) return query_of(std::nullopt, request);
  Names components;
  for (const Token& token : *request.components) components.push_back(spelled(token));
  return query_of(components, request);
}

std::string pack_query(const std::vector<std::string>& slugs, const std::string& server) {
  if (slugs.empty()) return server;
  const std::string list = base::percent_encode(base::join(slugs, ","), kPlain);
  std::string query = "plugins=" + list;
  if (!std::is_sorted(slugs.begin(), slugs.end())) query += "&order=" + list;
  return server.empty() ? query : query + '&' + server;
}

}  // namespace goldsmith::creator
