#include "app/service/server_builds.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "app/archive/zip.hpp"
#include "app/creator/plugin_requirements.hpp"
#include "app/service/server_plugins.hpp"

namespace goldsmith::service {
namespace {

archive::Recipe make_recipe(const creator::Plan& plan, const archive::Depot& depot) {
  archive::Recipe recipe;
  recipe.build_hash = plan.build_hash;
  for (const creator::Selected& selected : plan.selection.components) {
    const domain::ComponentVersion& version = *selected.version;
    recipe.depot_files.push_back(
        {depot.place_of(selected.component->slug, version.version, version.digest),
         {},
         version.digest});
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

// The toolchain of the selected platform, or the newest one if its manifest names none. Without a
// platform there is nothing to compile, because select() refuses published plugins then.
const std::string& line_of(const creator::Selection& selection) {
  const creator::Selected* platform = creator::platform(selection);
  if (!platform || !platform->component->loads.toolchain) {
    return domain::toolchain_lines().back();
  }
  return *platform->component->loads.toolchain;
}

creator::SelectionResult select(const creator::SelectionRequest& request,
                                const domain::Catalog& catalog, const AskedPlugins& asked) {
  std::vector<std::string> published;
  for (const AskedPlugin& plugin : asked.plugins) {
    if (plugin.is_published()) published.push_back(plugin.token.slug);
  }
  return creator::select(request, catalog, published, asked.unavailable);
}

// Replaces each selected version by a copy that has its files, and keeps the copies alive.
std::vector<std::shared_ptr<const domain::ComponentVersion>> load_files(
    CatalogCache& catalog, creator::Selection& selection) {
  std::vector<std::shared_ptr<const domain::ComponentVersion>> versions;
  for (creator::Selected& selected : selection.components) {
    versions.push_back(catalog.with_files(selected.component->slug, *selected.version));
    selected.version = versions.back().get();
  }
  return versions;
}

// The directory plugin that registers a library; null if none is known to.
using PluginOfLibrary = std::function<const db::LibraryPlugin*(const std::string& library)>;

// The component whose latest version `has` what a plugin lacks, rather a recommended one; null if
// there is none.
template <typename Has>
const domain::Component* provider_of(const domain::Catalog& all, CatalogCache& catalog, Has has) {
  const domain::Component* best = nullptr;
  for (const domain::Component& component : all.components()) {
    if (!component.selectable || component.versions.empty()) continue;
    if (best != nullptr && (best->is_default || !component.is_default)) continue;
    if (has(*catalog.with_files(component.slug, *component.latest()))) best = &component;
  }
  return best;
}

// The component that has the include for which a plugin does not compile; null if none has. Another
// platform is another choice, not an addition.
const domain::Component* provider_of_include(const creator::PluginOutcome& plugin,
                                             const domain::Catalog& all, CatalogCache& catalog) {
  if (plugin.missing_include.empty() || plugin.passed_over) return nullptr;
  const auto* provider = provider_of(all, catalog, [&](const domain::ComponentVersion& version) {
    return creator::has_include(version, plugin.missing_include);
  });
  if (provider == nullptr || provider->layer == domain::Layer::amxmodx) return nullptr;
  return provider;
}

// The component, or else the directory plugin, that has what a plugin lacks; std::nullopt if none
// has, or it is in the selection and does not help.
std::optional<creator::MissingRequire> provided(const creator::UnmetNeed& unmet,
                                                const creator::Selection& selection,
                                                const std::vector<creator::PluginOutcome>& plugins,
                                                const domain::Catalog& all, CatalogCache& catalog,
                                                const PluginOfLibrary& plugin_of) {
  const auto* component = provider_of(all, catalog, [&](const domain::ComponentVersion& version) {
    return creator::ships(version, unmet.need);
  });
  if (component != nullptr) {
    if (creator::has(selection, component->slug)) return std::nullopt;
    return creator::missing_require(unmet, *component);
  }
  const db::LibraryPlugin* other = unmet.need.is_class ? nullptr : plugin_of(unmet.need.name);
  const bool is_asked_for =
      other != nullptr && std::any_of(plugins.begin(), plugins.end(), [&](const auto& plugin) {
        return plugin.slug == other->slug.view();
      });
  if (other == nullptr || is_asked_for) return std::nullopt;
  return creator::missing_require(unmet, other->slug, other->name);
}

// What the selection lacks to compile and to load its plugins. Adds to the outcome of a plugin what
// nobody has.
std::vector<creator::MissingRequire> missing_requires(const creator::Selection& selection,
                                                      CompiledPlugins& compiled,
                                                      const domain::Catalog& all,
                                                      CatalogCache& catalog,
                                                      const PluginOfLibrary& plugin_of) {
  std::vector<creator::PluginOutcome>& plugins = compiled.plugins;
  std::vector<creator::MissingRequire> missing;
  for (const creator::PluginOutcome& plugin : plugins) {
    const auto* provider = provider_of_include(plugin, all, catalog);
    if (provider == nullptr || creator::has(selection, provider->slug)) continue;
    missing.push_back(creator::missing_include(plugin, *provider));
  }
  for (const creator::UnmetNeed& unmet : creator::unmet_needs(selection, plugins)) {
    if (auto require = provided(unmet, selection, plugins, all, catalog, plugin_of)) {
      missing.push_back(std::move(*require));
      continue;
    }
    creator::note_unmet(unmet, plugins);
    compiled.is_final = false;  // a check may find the plugin that registers it
  }
  return missing;
}

constexpr std::size_t kPlans = 32U << 20;  // bytes of all that are kept

// A plan's share of the memory, roughly.
std::size_t weigh(const creator::Plan& plan) {
  std::size_t bytes = 1000 + sizeof(ResolvedPlan);
  for (const creator::PlannedFile& file : plan.files) {
    bytes += sizeof file + file.path.size() + file.sha256.size();
    if (const auto* content = std::get_if<std::string>(&file.source)) bytes += content->size();
  }
  for (const std::string& note : plan.notes) bytes += 2 * (sizeof note + note.size());
  bytes += plan.requested.size() * sizeof(creator::RequestedPlugin);
  return bytes;
}

}  // namespace

Resolved ServerBuilds::resolve(const creator::SelectionRequest& request,
                               const std::optional<domain::Permit>& may_compile,
                               std::uint64_t epoch) {
  // Taken before anything is read: a change in between makes the plan too old, never too young.
  // Without plugins, nothing depends on toolchains.
  const std::pair basis{
      epoch, request.plugins.empty() ? basis_.second : dependencies_.toolchains.generation()};
  if (basis != basis_) plans_.clear();
  basis_ = basis;
  const auto* const cached = plans_.find(creator::request_query(request));
  return cached != nullptr ? *cached : make_plan(request, may_compile, epoch);
}

Resolved ServerBuilds::make_plan(const creator::SelectionRequest& request,
                                 const std::optional<domain::Permit>& may_compile,
                                 std::uint64_t epoch) {
  auto catalog = dependencies_.catalog.catalog(epoch);
  ServerPlugins plugins(dependencies_.plugins, dependencies_.compiled_plugins);
  AskedPlugins asked = plugins.look_up(request.plugins);
  creator::SelectionResult result = select(request, *catalog, asked);
  if (auto* invalid = std::get_if<creator::InvalidSelection>(&result)) return std::move(*invalid);
  if (std::holds_alternative<creator::EmptySelection>(result)) return creator::EmptySelection{};

  auto& selection = std::get<creator::Selection>(result);
  auto resolved = std::make_shared<ResolvedPlan>();
  resolved->catalog = std::move(catalog);
  resolved->versions = load_files(dependencies_.catalog, selection);
  const std::string& line = line_of(selection);
  auto outcome = plugins.compile(std::move(asked.plugins), line,
                                 dependencies_.includes.of(selection), may_compile);
  if (auto* obstacle = std::get_if<CompileObstacle>(&outcome)) return std::move(*obstacle);
  auto& compiled = std::get<CompiledPlugins>(outcome);
  creator::InvalidSelection lacking;
  lacking.unavailable = std::move(compiled.unavailable);
  lacking.missing_requires =
      missing_requires(selection, compiled, *resolved->catalog, dependencies_.catalog,
                       [&](const std::string& library) {
                         return dependencies_.libraries.find(library, line, epoch);
                       });
  if (!lacking.empty()) return lacking;
  creator::note_unlisted(selection, compiled.plugins);
  std::vector<domain::OverlaySection> overlays;
  if (request.optimized) overlays = dependencies_.overlays.load();
  resolved->plan = creator::make_plan(
      {request, std::move(selection), std::move(compiled.plugins), std::move(overlays)});
  if (compiled.is_final) {
    plans_.put(creator::request_query(request), resolved, weigh(resolved->plan), kPlans);
  }
  return resolved;
}

creator::Preview ServerBuilds::preview(const creator::Plan& plan,
                                       const creator::PlannedFile& file) const {
  if (const auto* content = std::get_if<std::string>(&file.source)) {
    return creator::preview(*content, content->size());
  }
  const auto& from = std::get<creator::PlannedFile::FromDepot>(file.source);
  const creator::Selected& selected = plan.selection.components[from.component];
  const archive::ZipReader zip(dependencies_.depot.require(
      selected.component->slug, selected.version->version, selected.version->digest));
  return creator::preview(zip.read_start(zip.entry(file.path), creator::kPreviewLimit + 3),
                          file.size);
}

archive::Acquisition ServerBuilds::acquire(const creator::Plan& plan,
                                           const domain::Permit& may_build) const {
  // A cached archive needs no recipe, which would list all files of the selection.
  if (const auto found = acquire(plan)) return *found;
  return dependencies_.cache.build(make_recipe(plan, dependencies_.depot), may_build,
                                   dependencies_.limits);
}

}  // namespace goldsmith::service
