// From a validated stack to the exact list of files of its archive. Pure (decisions S5 to S13).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/creator/selection.hpp"
#include "app/domain/overlay.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::creator {

enum class Origin { upstream, generated, edited, plugin };
std::string_view to_string(Origin origin);

// What became of one requested directory plugin.
struct PluginOutcome {
  enum class State {
    compiled,
    unknown,      // no such published plugin
    unpublished,  // no published version with files
    no_source,    // nothing to compile
    rejected      // the compiler rejected it
  };
  std::string slug;
  State state = State::unknown;
  domain::PluginVersion version;  // with content; of `compiled`
  std::string binary;             // the .amxx; of `compiled`
  std::string content_digest;     // of the version's files; of `compiled`
  std::string toolchain;          // fingerprint; of `compiled`
};

struct PlanInput {
  SelectionRequest request;
  Selection selection;  // versions with their files loaded
  std::vector<PluginOutcome> plugins;
  std::vector<domain::OverlaySection> overlays;
};

struct PlannedFile {
  // Taken from the depot ZIP of selection.components[component].
  struct FromDepot {
    std::size_t component;
  };
  std::string path;
  std::uint64_t size = 0;
  bool executable = false;
  std::string from;  // component slug, "svc", "svc-optimized" or "plugin:SLUG"
  Origin origin = Origin::upstream;
  std::variant<FromDepot, std::string> source;  // or the bytes themselves
};

struct Plan {
  std::string build_hash;
  bool optimized = false;
  Selection selection;
  std::vector<PlannedFile> files;  // by path, each path once
  std::uint64_t total_bytes = 0;
  std::vector<std::string> notes;
  std::string download_query;  // "components=…&plugins=…&optimized=1", encoded (decision S9)
};

Plan make_plan(PlanInput input);

// Null when `path` is not in the plan (exact match, no normalisation).
const PlannedFile* find_file(const Plan& plan, std::string_view path);

}  // namespace goldsmith::creator
