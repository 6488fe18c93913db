#include "test/unit/creator/builders.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "app/base/digest.hpp"

namespace goldsmith::creator {

using domain::Component;
using domain::Layer;
using domain::RuleKind;

A::A(const domain::Slug& slug, Layer layer, std::int64_t sort_order) {
  value_.slug = slug;
  value_.layer = layer;
  value_.sort_order = sort_order;
}

A& A::rule(RuleKind kind, const domain::Slug& slug, std::string note) {
  value_.rules.push_back({kind, slug, std::move(note)});
  return *this;
}

A& A::named(std::string name) {
  value_.name = std::move(name);
  return *this;
}

A& A::by_default() {
  value_.is_default = true;
  return *this;
}

A& A::never_a_choice() {
  value_.selectable = false;
  return *this;
}

A& A::needs(const domain::Slug& slug, std::string note) {
  return rule(RuleKind::requires_, slug, std::move(note));
}

A& A::clashes_with(const domain::Slug& slug, std::string note) {
  return rule(RuleKind::conflicts, slug, std::move(note));
}

A& A::likes(const domain::Slug& slug, std::string note) {
  return rule(RuleKind::recommends, slug, std::move(note));
}

A& A::brings(const domain::Slug& slug) { return rule(RuleKind::bundles, slug, ""); }

A& A::advises(std::string text) {
  value_.advice.push_back({std::move(text)});
  return *this;
}

A& A::has_defect(std::string text, std::string_view since, std::string_view until, bool holds) {
  domain::Defect defect{std::move(text), domain::Version::parse(since),
                        domain::Version::parse(until), "https://example.org/" + value_.slug, holds};
  value_.defects.push_back(std::move(defect));
  return *this;
}

A& A::rule_in(std::string_view range) {
  value_.rules.back().versions = domain::VersionRange::parse(range).value();
  return *this;
}

A& A::about(std::string_view range) {
  value_.rules.back().with = domain::VersionRange::parse(range).value();
  return *this;
}

A& A::advice_in(std::string_view range) {
  value_.advice.back().versions = domain::VersionRange::parse(range).value();
  return *this;
}

A& A::loads(domain::Loads loads) {
  value_.loads = std::move(loads);
  return *this;
}

A& A::version(const domain::Version& version, std::optional<domain::Timestamp> released_at,
              std::vector<domain::ManifestFile> files) {
  domain::ComponentVersion mirrored;
  mirrored.digest = "digest of " + value_.slug + " " + version;
  mirrored.version = version;
  mirrored.released_at = released_at;
  mirrored.files = std::move(files);
  value_.versions.push_back(std::move(mirrored));
  return *this;
}

A& A::with(std::initializer_list<std::string_view> paths) {
  std::vector<domain::ManifestFile> files;
  for (const std::string_view path : paths) files.push_back({std::string(path), 1, false});
  return version("1.0", "2024-01-01 00:00:00"_utc, std::move(files));
}

std::vector<Component> usual_stack() {
  return {
      A("engine", Layer::engine, 10).by_default().with({"hlds_linux"}),
      A("game", Layer::gamedll, 20)
          .by_default()
          .loads({"dlls/cs.so", {}, {}, {}})
          .with({"cstrike/dlls/cs.so"}),
      A("loader", Layer::metamod, 30)
          .by_default()
          .loads({{}, "addons/metamod/loader.so", {}, {}})
          .with({"cstrike/addons/metamod/loader.so"}),
      A("platform", Layer::amxmodx, 40)
          .by_default()
          .loads({{}, {}, "addons/amxmodx/dlls/platform.so", "1.10"})
          .with({"cstrike/addons/amxmodx/dlls/platform.so"}),
  };
}

domain::Catalog catalog_of(std::vector<Component> components) {
  return domain::Catalog(std::move(components));
}

std::vector<Component> operator+(std::vector<Component> left, const std::vector<Component>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

SelectionRequest asking(std::string_view components, std::string_view plugins) {
  return parse_selection_request(components, plugins, false);
}

Selection valid(const SelectionRequest& request, const domain::Catalog& catalog,
                const std::vector<std::string>& published_plugins) {
  SelectionResult result = select(request, catalog, published_plugins);
  return std::get<Selection>(std::move(result));
}

InvalidSelection invalid(const SelectionRequest& request, const domain::Catalog& catalog,
                         const std::vector<std::string>& published_plugins) {
  SelectionResult result = select(request, catalog, published_plugins);
  return std::get<InvalidSelection>(std::move(result));
}

std::vector<std::string> spelled(const Selection& selection) {
  std::vector<std::string> tokens;
  for (const Selected& each : selection.components) {
    tokens.push_back(each.component->slug + "@" + each.version->version +
                     (each.bundled ? "+" : ""));
  }
  return tokens;
}

// What plans know by its digest alone.
std::map<std::string, std::string>& stored_contents() {
  static std::map<std::string, std::string> contents;
  return contents;
}

domain::PluginFile plugin_file(std::string install_dir, std::string filename, std::string content) {
  domain::PluginFile file;
  const std::size_t dot = filename.rfind('.');
  file.kind = dot == std::string::npos ? "" : filename.substr(dot + 1);
  file.install_dir = std::move(install_dir);
  file.filename = std::move(filename);
  file.size_bytes = static_cast<std::int64_t>(content.size());
  file.sha256 = base::sha256_hex(content);
  stored_contents()[file.sha256] = std::move(content);
  return file;
}

PluginOutcome compiled(std::string slug, std::string stem,
                       std::vector<domain::PluginFile> more_files) {
  CompiledPlugin plugin;
  plugin.version.version = "1.0";
  plugin.version.files = std::move(more_files);
  plugin.version.files.push_back(
      plugin_file("addons/amxmodx/scripting", stem + ".sma", "source of " + slug));
  plugin.version.files.back().is_primary = true;
  plugin.binary = "binary of " + slug;
  plugin.content_digest = "content of " + slug;
  plugin.toolchain_fingerprint = "toolchain";
  return {std::move(slug), std::move(plugin)};
}

PluginOutcome skipped(std::string slug, SkipReason reason) { return {std::move(slug), reason}; }

Plan planned(const SelectionRequest& request, const domain::Catalog& catalog,
             std::vector<PluginOutcome> plugins, std::vector<domain::OverlaySection> overlays) {
  return make_plan({request, valid(request, catalog), std::move(plugins), std::move(overlays)});
}

std::vector<std::string> paths(const Plan& plan) {
  std::vector<std::string> found;
  for (const PlannedFile& file : plan.files) found.push_back(file.path);
  return found;
}

std::string content_of(const Plan& plan, std::string_view path) {
  const PlannedFile* file = find_file(plan, path);
  if (file == nullptr) return "(none)";
  if (std::holds_alternative<PlannedFile::FromDepot>(file->source)) return "(depot)";
  const auto* content = std::get_if<std::string>(&file->source);
  return content == nullptr ? stored_contents().at(file->sha256) : *content;
}

std::string source_of(const Plan& plan, std::string_view path) {
  const PlannedFile* file = find_file(plan, path);
  return file == nullptr ? "(none)" : file->from + "/" + std::string(to_string(file->origin));
}

bool mentions(const std::vector<std::string>& notes, std::string_view text) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

}  // namespace goldsmith::creator
