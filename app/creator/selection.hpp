// From a caller's words to a validated stack. Pure: the same request and catalog give the same
// answer (decisions S1 to S4).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/domain/component.hpp"

namespace goldsmith::creator {

struct Token {
  std::string slug;
  std::string version;  // "" = the latest

  friend auto operator<=>(const Token&, const Token&) = default;
};

struct SelectionRequest {
  std::optional<std::vector<Token>> components;  // nothing = the recommended stack
  std::vector<std::string> plugins;              // sorted, each once
  bool optimized = false;
};

// Splits on ',', trims, drops empty tokens, sorts. Absent `components` = the recommended stack;
// present but without a token ("components=,") = an empty selection.
SelectionRequest parse_selection_request(std::optional<std::string_view> components,
                                         std::optional<std::string_view> plugins, bool optimized);

struct Selected {
  const domain::Component* component = nullptr;       // of the catalog; never null
  const domain::ComponentVersion* version = nullptr;  // of that component; never null
  bool bundled = false;                               // only there because another bundles it
};

struct Selection {
  std::vector<Selected> components;  // in load order: sort_order, then slug
};

struct Unavailable {
  std::string component;
  std::string name;
  std::string reason;
};
struct Conflict {
  std::string component;
  std::string with;
  std::string reason;
};
struct MissingRequire {
  std::string component;
  std::string requires_;
  std::string reason;
};
struct LayerConflict {
  std::string layer;
  std::vector<std::string> components;
};

// Everything that is wrong, at once (decision S3). Each list is sorted.
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

// `published_plugins`: those of request.plugins that are known and published (an unknown one is
// skipped, decision S7); with at least one of them and no platform selected the result is invalid.
SelectionResult select(const SelectionRequest& request, const domain::Catalog& catalog,
                       const std::vector<std::string>& published_plugins);

// The selected platform component (layer amxmodx), or null.
const Selected* platform(const Selection& selection);

}  // namespace goldsmith::creator
