// Validates a caller's selection and resolves it to component versions (decisions S1 to S4). Pure:
// the same request and catalog give the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/base/message.hpp"
#include "app/domain/component.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::creator {

struct Token {
  std::string slug;
  std::string version;  // "" if not pinned

  friend auto operator<=>(const Token&, const Token&) = default;
};

// "slug" or "slug@version".
std::string spelled(const Token& token);

struct SelectionRequest {
  std::optional<std::vector<Token>> components;  // std::nullopt: the recommended stack
  std::vector<Token> plugins;                    // sorted by slug, each slug once
  // Slugs of `plugins`: what loads first, in that order; each once.
  std::vector<std::string> order = {};
  bool optimized = false;
  std::string settings = {};  // settings_text() of app/creator/settings.hpp; "" = none
};

// Splits at ',', trims, drops empty tokens, sorts. Absent or empty `components` mean the
// recommended stack; a value without a token ("components=,") means an empty selection. Of several
// pins of a plugin the last in the order of versions stays (decision S1). Of `order` the first of
// each slug stays, and nothing is sorted.
SelectionRequest parse_selection_request(std::optional<std::string_view> components,
                                         std::optional<std::string_view> plugins, bool optimized,
                                         std::optional<std::string_view> order = std::nullopt);

// What a selection may name (decision S16): slugs after parse_selection_request() has dropped
// duplicates, without what is bundled.
inline constexpr std::size_t kMaxPlugins = 100;
inline constexpr std::size_t kMaxComponents = 200;
// And what the files of its plugins may be together.
inline constexpr std::uint64_t kMaxPluginBytes = 256U << 20;
inline constexpr std::uint64_t kMaxPluginFiles = 10'000;
inline constexpr std::uint64_t kMaxPluginPathBytes = 1U << 20;

// Throw domain::Failure, a bad_request with a sentence for people as its cause, if there is too
// much.
void check_size(const SelectionRequest& request);
// So if `order` names what `plugins` does not (decision S35).
void check_order(const SelectionRequest& request);
// The files of all plugins of a selection.
void check_files(const domain::FileTotals& totals);

// The rules of that kind that `version` of the component has; null = any version.
inline auto rules_of(const domain::Component& component, domain::RuleKind kind,
                     const domain::ComponentVersion* version) {
  return component.rules | std::views::filter([kind, version](const domain::Rule& rule) {
           return rule.kind == kind &&
                  (version == nullptr || rule.versions.contains(version->version));
         });
}

// True if the rule is about that version of the component that it names; null = any version.
inline bool is_about(const domain::Rule& rule, const domain::ComponentVersion* version) {
  return version == nullptr || rule.with.contains(version->version);
}

struct Selected {
  const domain::Component* component = nullptr;       // of the catalog; never null
  const domain::ComponentVersion* version = nullptr;  // of that component; not null in a Selection
  bool bundled = false;                               // added only by another's bundles rule
};

struct Selection {
  std::vector<Selected> components;  // in load order: sort_order, then slug
  // Of the recommended stack: what is not here, and what stands in (decision S1b).
  std::vector<base::Message> absences = {};
};

struct Unavailable {
  std::string component;
  std::string name;
  base::Message reason;
};
struct Conflict {
  std::string component;
  std::string with;
  base::Message reason;
};
// A component that meets a requirement, in these versions.
struct Accepted {
  const domain::Component* component = nullptr;  // of the catalog; never null
  domain::VersionRange versions = {};
};
struct MissingRequire {
  std::string component;
  std::string requires_;
  base::Message reason;
  domain::VersionRange versions = {};  // of what is required
  // What else does as well; empty for what a plugin requires.
  std::vector<Accepted> others = {};
  // The plugin of the selection, by its slug, that has to give way to it; "" = none.
  std::string instead_of = {};
};
struct LayerConflict {
  std::string layer;
  std::vector<std::string> components;
};

// What a rule of one of the two says against the other, whichever way round; the rules of `one`
// come first. std::nullopt if they go together. A version may be null: any version.
std::optional<Conflict> conflict_of(const Selected& one, const Selected& other);

// All problems of a selection (decision S3). Each list is sorted.
struct InvalidSelection {
  std::vector<std::string> unknown;
  std::vector<Unavailable> unavailable;
  std::vector<Conflict> conflicts;
  std::vector<MissingRequire> missing_requires;
  std::vector<LayerConflict> layer_conflicts;

  bool empty() const;
};

struct EmptySelection {};

using SelectionResult = std::variant<Selection, InvalidSelection, EmptySelection>;

// `published_plugins` are those of request.plugins that are known and published; others are skipped
// (decision S7). If there is one but no platform is selected, the selection is invalid. So it is
// with `unavailable`, the pinned versions of plugins that can't be chosen.
SelectionResult select(const SelectionRequest& request, const domain::Catalog& catalog,
                       const std::vector<std::string>& published_plugins,
                       const std::vector<Unavailable>& unavailable = {});
// The same of components that are named, whatever the recommended stack is.
SelectionResult select_named(const std::vector<Token>& components, const domain::Catalog& catalog,
                             const std::vector<std::string>& published_plugins,
                             const std::vector<Unavailable>& unavailable = {});

// The query string that reproduces a build (decision S9): of the components their selected
// versions, of the plugins those of `request`. Percent-encoded except for `,` and `@`, which are
// legal in a query and easier to read.
std::string download_query(const SelectionRequest& request, const Selection& selection);
// The request as it is, in canonical order: what is not pinned follows the latest version. "" for
// the recommended stack alone.
std::string request_query(const SelectionRequest& request);

// That of a server with the plugins of a pack, loaded in the pack's order, which is left out where
// it is that of the slugs. `server`: of domain::AddonPack; "" = the recommended server.
std::string pack_query(const std::vector<std::string>& slugs, const std::string& server = "");

bool has(const Selection& selection, std::string_view component);

// The selected platform component (layer amxmodx), or null.
const Selected* platform(const Selection& selection);
// The toolchain of the selected platform, or the newest one if its manifest names none. Without a
// platform there is nothing to compile, because select() refuses published plugins then.
const std::string& line_of(const Selection& selection);

// Checks the rules and layers of a stack whose components and versions are known, and finds all
// problems at once (decision S3).

// Keys and values point into the catalog.
struct Stack {
  const domain::Catalog& catalog;
  std::map<std::string_view, Selected> selected;  // by slug
  std::set<std::string_view> unavailable;         // requested, not mirrored, already reported
};

// The name of the component, or `slug` if the catalog has no name for it.
std::string name_of(const domain::Catalog& catalog, std::string_view slug);

// Why the component, or `version` of it, can't be chosen: that is not mirrored.
base::Message absence_of(const domain::Component& component, std::string_view version);

// Adds all problems to `invalid`: layer conflicts, conflicts, missing requirements, and `plugins`
// (slugs of directory plugins) without a platform.
void check_stack(const Stack& stack, const std::vector<std::string>& plugins,
                 InvalidSelection& invalid);

}  // namespace goldsmith::creator
