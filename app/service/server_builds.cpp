#include "app/service/server_builds.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/archive/zip.hpp"

namespace goldsmith::service {
namespace {

using creator::PluginOutcome;

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
    recipe.parts.push_back({depot.file_of(selected.component->slug, selected.version->version),
                            {},
                            selected.version->digest});
  }
  for (const creator::PlannedFile& file : plan.files) {
    if (const auto* from = std::get_if<creator::PlannedFile::FromDepot>(&file.source)) {
      recipe.parts[from->component].paths.push_back(file.path);
    } else {
      recipe.inline_entries.push_back(
          {file.path, std::get<std::string>(file.source), file.executable});
    }
  }
  std::erase_if(recipe.parts, [](const auto& part) { return part.paths.empty(); });
  return recipe;
}

// A platform whose manifest names no toolchain gets the newest.
const std::string& line_of(const domain::Component& platform) {
  const std::string& line = platform.loads.toolchain;
  return line.empty() ? domain::toolchain_lines().back() : line;
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
                               const std::function<bool()>& take_compile) {
  auto catalog = std::make_shared<const domain::Catalog>(dependencies_.components.load_catalog());
  std::vector<PluginOutcome> plugins;
  std::vector<std::string> published;
  for (const std::string& slug : request.plugins) {
    plugins.push_back(look_up(slug));
    if (plugins.back().state != PluginOutcome::State::unknown) published.push_back(slug);
  }

  creator::SelectionResult result = creator::select(request, *catalog, published);
  if (auto* invalid = std::get_if<creator::InvalidSelection>(&result)) return std::move(*invalid);
  if (std::holds_alternative<creator::EmptySelection>(result)) return creator::EmptySelection{};

  auto& selection = std::get<creator::Selection>(result);
  ResolvedPlan resolved;
  resolved.catalog = catalog;
  resolved.versions = load_files(selection, dependencies_.components);
  if (const creator::Selected* platform = creator::platform(selection)) {
    for (PluginOutcome& plugin : plugins) {
      compile(plugin, line_of(*platform->component), take_compile);
    }
  }
  std::vector<domain::OverlaySection> overlays;
  if (request.optimized) overlays = dependencies_.overlays.load();
  resolved.plan =
      creator::make_plan({request, std::move(selection), std::move(plugins), std::move(overlays)});
  return resolved;
}

// `compiled` here means: there is something to compile; compile() settles it.
PluginOutcome ServerBuilds::look_up(const std::string& slug) const {
  PluginOutcome outcome;
  outcome.slug = slug;
  const auto plugin = dependencies_.plugins.find(slug);
  if (!plugin) return outcome;
  outcome.state = PluginOutcome::State::unpublished;
  if (plugin->versions.empty()) return outcome;
  auto version = dependencies_.plugins.find_version(slug, plugin->versions.front().version);
  if (!version) return outcome;
  outcome.state = domain::entry_point(*version) ? PluginOutcome::State::compiled
                                                : PluginOutcome::State::no_source;
  outcome.version = std::move(*version);
  return outcome;
}

void ServerBuilds::compile(PluginOutcome& plugin, const std::string& toolchain_line,
                           const std::function<bool()>& take_compile) const {
  if (plugin.state != PluginOutcome::State::compiled) return;
  Artefact artefact = dependencies_.artefacts.get(toolchain_line, plugin.version, take_compile);
  if (artefact.binary.empty()) plugin.state = PluginOutcome::State::rejected;
  plugin.binary = std::move(artefact.binary);
  plugin.content_digest = std::move(artefact.content_digest);
  plugin.toolchain = std::move(artefact.toolchain_fingerprint);
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

archive::ArchiveCache::Outcome ServerBuilds::build(const creator::Plan& plan,
                                                   const std::function<bool()>& take_build) const {
  return dependencies_.cache.ensure(make_recipe(plan, dependencies_.depot), take_build);
}

}  // namespace goldsmith::service
