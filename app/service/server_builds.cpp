#include "app/service/server_builds.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/archive/zip.hpp"
#include "app/sys/overloaded.hpp"

namespace goldsmith::service {
namespace {

using creator::SkipReason;

// Replaces each selected version by a copy that has its files, and keeps the copies alive.
std::vector<std::shared_ptr<const domain::ComponentVersion>> load_files(
    creator::Selection& selection, db::ComponentStore& components) {
  std::vector<std::shared_ptr<const domain::ComponentVersion>> versions;
  for (creator::Selected& selected : selection.components) {
    auto version = std::make_shared<domain::ComponentVersion>(*selected.version);
    version->files = components.load_files(selected.component->slug, version->version);
    selected.version = version.get();
    versions.push_back(std::move(version));
  }
  return versions;
}

archive::Recipe make_recipe(const creator::Plan& plan, const archive::Depot& depot) {
  archive::Recipe recipe;
  recipe.build_hash = plan.build_hash;
  for (const creator::Selected& selected : plan.selection.components) {
    recipe.depot_files.push_back(
        {depot.file_of(selected.component->slug, selected.version->version),
         {},
         selected.version->digest});
  }
  for (const creator::PlannedFile& file : plan.files) {
    if (const auto* from = std::get_if<creator::PlannedFile::FromDepot>(&file.source)) {
      recipe.depot_files[from->component].paths.push_back(file.path);
    } else {
      recipe.inline_entries.push_back(
          {file.path, std::get<std::string>(file.source), file.executable});
    }
  }
  std::erase_if(recipe.depot_files, [](const auto& file) { return file.paths.empty(); });
  return recipe;
}

// The toolchain of the selected platform; of one whose manifest names none, the newest. Without a
// platform there is nothing to compile: select() refuses published plugins then.
const std::string& line_of(const creator::Selection& selection) {
  const creator::Selected* platform = creator::platform(selection);
  if (!platform || !platform->component->loads.toolchain) {
    return domain::toolchain_lines().back();
  }
  return *platform->component->loads.toolchain;
}

bool is_published(const std::variant<SkipReason, domain::PluginVersion>& found) {
  const auto* reason = std::get_if<SkipReason>(&found);
  return !reason || *reason != SkipReason::unknown;
}

std::string read_start_from_depot(const std::filesystem::path& zip, const std::string& path) {
  const archive::ZipReader reader(zip);
  const auto& entries = reader.entries();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& candidate) { return candidate.path == path; });
  if (entry == entries.end()) {
    throw archive::ZipError(zip.string() + ": no entry " + path + " although the manifest has it");
  }
  return reader.read_start(*entry, creator::kPreviewLimit + 3);
}

}  // namespace

Resolved ServerBuilds::resolve(const creator::SelectionRequest& request,
                               const std::optional<domain::Permit>& may_compile) const {
  auto catalog = std::make_shared<const domain::Catalog>(dependencies_.components.load_catalog());
  std::vector<Candidate> candidates;
  std::vector<std::string> published;
  for (const std::string& slug : request.plugins) {
    candidates.push_back(look_up(slug));
    if (is_published(candidates.back().found)) published.push_back(slug);
  }

  creator::SelectionResult result = creator::select(request, *catalog, published);
  if (auto* invalid = std::get_if<creator::InvalidSelection>(&result)) return std::move(*invalid);
  if (std::holds_alternative<creator::EmptySelection>(result)) return creator::EmptySelection{};

  auto& selection = std::get<creator::Selection>(result);
  ResolvedPlan resolved;
  resolved.catalog = catalog;
  resolved.versions = load_files(selection, dependencies_.components);
  std::vector<creator::PluginOutcome> plugins;
  for (Candidate& candidate : candidates) {
    auto compiled = compile(std::move(candidate), line_of(selection), may_compile);
    if (auto* obstacle = std::get_if<CompileObstacle>(&compiled)) return std::move(*obstacle);
    plugins.push_back(std::get<creator::PluginOutcome>(std::move(compiled)));
  }
  std::vector<domain::OverlaySection> overlays;
  if (request.optimized) overlays = dependencies_.overlays.load();
  resolved.plan =
      creator::make_plan({request, std::move(selection), std::move(plugins), std::move(overlays)});
  return resolved;
}

ServerBuilds::Candidate ServerBuilds::look_up(const std::string& asked) const {
  const auto slug = domain::Slug::parse(asked);
  const auto plugin = slug ? dependencies_.plugins.find(*slug) : std::nullopt;
  if (!plugin) return {asked, SkipReason::unknown};
  if (plugin->versions.empty()) return {asked, SkipReason::unpublished};
  auto version = dependencies_.plugins.find_version(*slug, plugin->versions.front().version);
  if (!version) return {asked, SkipReason::unpublished};
  if (!domain::entry_point(*version)) return {asked, SkipReason::no_source};
  return {asked, std::move(*version)};
}

std::variant<creator::PluginOutcome, CompileObstacle> ServerBuilds::compile(
    Candidate candidate, const std::string& toolchain_line,
    const std::optional<domain::Permit>& may_compile) const {
  using creator::PluginOutcome;
  using Result = std::variant<PluginOutcome, CompileObstacle>;
  if (const auto* reason = std::get_if<SkipReason>(&candidate.found)) {
    return PluginOutcome{std::move(candidate.slug), *reason};
  }
  auto& version = std::get<domain::PluginVersion>(candidate.found);
  return std::visit(
      sys::overloaded{[&](CompiledBinary&& compiled) -> Result {
                        return PluginOutcome{
                            std::move(candidate.slug),
                            creator::CompiledPlugin{std::move(version), std::move(compiled.binary),
                                                    std::move(compiled.content_digest),
                                                    std::move(compiled.toolchain_fingerprint)}};
                      },
                      [&](Rejected&&) -> Result {
                        return PluginOutcome{std::move(candidate.slug), SkipReason::rejected};
                      },
                      [](CompileObstacle&& obstacle) -> Result { return std::move(obstacle); }},
      dependencies_.compiled_plugins.get(toolchain_line, version, may_compile));
}

creator::Preview ServerBuilds::preview(const creator::Plan& plan,
                                       const creator::PlannedFile& file) const {
  if (const auto* content = std::get_if<std::string>(&file.source)) {
    return creator::preview(*content, content->size());
  }
  const auto& from = std::get<creator::PlannedFile::FromDepot>(file.source);
  const creator::Selected& selected = plan.selection.components[from.component];
  const auto zip = dependencies_.depot.file_of(selected.component->slug, selected.version->version);
  return creator::preview(read_start_from_depot(zip, file.path), file.size);
}

archive::ArchiveCache::Ensured ServerBuilds::build(const creator::Plan& plan,
                                                   const domain::Permit& may_build) const {
  WorkerShares& shares = dependencies_.shares;
  return dependencies_.cache.ensure(make_recipe(plan, dependencies_.depot), may_build,
                                    {[&] { return shares.wait_for_build(); },
                                     [&](std::uint64_t bytes) { return shares.build(bytes); }});
}

}  // namespace goldsmith::service
