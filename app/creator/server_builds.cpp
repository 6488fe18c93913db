#include "app/creator/server_builds.hpp"

#include <fcntl.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/compile/content.hpp"
#include "app/creator/plugin_requirements.hpp"
#include "app/creator/provider_choice.hpp"
#include "app/creator/server_plugins.hpp"
#include "app/creator/settings.hpp"
#include "app/domain/names.hpp"
#include "app/domain/natives.hpp"

namespace goldsmith::creator {
namespace {

// A file of a plugin as an entry that is read when the archive is written. An archive never gets
// other bytes than those that its hash was computed from.
archive::StreamedFile streamed(const creator::PlannedFile& file,
                               const compile::PluginSources& plugins) {
  const auto& from = std::get<creator::PlannedFile::FromPlugin>(file.source);
  const auto read = [from, &file, &plugins] {
    std::string content = plugins.read(from.version_id, from.position);
    if (base::sha256_hex(content) == file.sha256) return content;
    throw archive::ZipError(file.path +
                            ": its content in the database is not what the build was "
                            "planned with");
  };
  return {file.path, file.size, file.executable, read, file.modified};
}

// Refers to `plan`.
archive::Recipe make_recipe(const creator::Plan& plan, const archive::Depot& depot,
                            const compile::PluginSources& plugins) {
  archive::Recipe recipe;
  recipe.build_hash = plan.build_hash;
  for (const creator::Selected& selected : plan.selection.components) {
    const domain::ComponentVersion& version = *selected.version;
    recipe.depot_files.push_back(
        {depot.file_of(selected.component->slug, version.version, version.digest),
         {},
         version.digest});
  }
  for (const creator::PlannedFile& file : plan.files) {
    if (const auto* from = std::get_if<creator::PlannedFile::FromDepot>(&file.source)) {
      recipe.depot_files[from->component].paths.push_back(file.path);
      recipe.depot_files[from->component].modified = file.modified;
    } else if (const auto* content = std::get_if<std::string>(&file.source)) {
      recipe.inline_entries.push_back({file.path, *content, file.executable, file.modified});
    } else {
      recipe.streamed_entries.push_back(streamed(file, plugins));
    }
  }
  std::erase_if(recipe.depot_files, [](const auto& file) { return file.paths.empty(); });
  return recipe;
}

// Of the versions that are in the build: an older one that took the place of the newest may have
// more.
void check_files(const std::vector<creator::PluginOutcome>& plugins) {
  domain::FileTotals totals;
  for (const creator::PluginOutcome& plugin : plugins) {
    const auto* compiled = std::get_if<creator::CompiledPlugin>(&plugin.result);
    if (compiled != nullptr) totals.add(compiled->version);
  }
  creator::check_files(totals);
}

creator::SelectionResult select(const creator::SelectionRequest& request,
                                const domain::Catalog& catalog, const AskedPlugins& asked) {
  std::vector<std::string> published;
  for (const AskedPlugin& plugin : asked.plugins) {
    if (plugin.is_published()) published.push_back(plugin.token.slug);
  }
  return creator::select(request, catalog, published, asked.unavailable);
}

// The cvars of the plugins that are asked for and known.
std::vector<domain::PluginCvar> cvars_of(const AskedPlugins& asked, db::PluginStore& plugins) {
  std::vector<domain::Slug> slugs;
  for (const AskedPlugin& plugin : asked.plugins) {
    const auto slug = domain::Slug::parse(plugin.token.slug);
    if (slug && plugin.is_published()) slugs.push_back(*slug);
  }
  return plugins.cvars(slugs);
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

// The component that has the include for which a plugin does not compile; null if none has. Another
// platform is another choice, not an addition.
const domain::Component* provider_of_include(const creator::PluginOutcome& plugin,
                                             const domain::Catalog& all, CatalogCache& catalog) {
  if (plugin.missing_include.empty() || plugin.passed_over) return nullptr;
  const domain::Component* best = nullptr;  // rather a recommended one
  for (const domain::Component& component : all.components()) {
    if (!component.selectable || component.latest() == nullptr) continue;
    if (best != nullptr && (best->is_default || !component.is_default)) continue;
    const auto version = catalog.with_files(component.slug, *component.latest());
    if (creator::has_include(*version, plugin.missing_include)) best = &component;
  }
  if (best == nullptr || best->layer == domain::Layer::amxmodx) return nullptr;
  return best;
}

// The components that the selection lacks to compile its plugins.
std::vector<creator::MissingRequire> missing_includes(
    const creator::Selection& selection, const std::vector<creator::PluginOutcome>& plugins,
    const domain::Catalog& all, CatalogCache& catalog) {
  std::vector<creator::MissingRequire> missing;
  for (const creator::PluginOutcome& plugin : plugins) {
    const auto* provider = provider_of_include(plugin, all, catalog);
    if (provider == nullptr || creator::has(selection, provider->slug)) continue;
    missing.push_back(creator::missing_include(plugin, *provider));
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
    if (const auto* plugin = std::get_if<creator::PlannedFile::FromPlugin>(&file.source)) {
      for (const std::string& wad : plugin->wads) bytes += sizeof wad + wad.size();
    }
  }
  for (const std::string& note : plan.notes) bytes += 2 * (sizeof note + note.size());
  bytes += plan.requested.size() * sizeof(creator::RequestedPlugin);
  return bytes;
}

// What a start with the line showed of plugins of which nothing else is said.
void note_starts(std::vector<creator::PluginOutcome>& plugins, const std::string& line) {
  for (creator::PluginOutcome& plugin : plugins) {
    const auto* compiled = std::get_if<creator::CompiledPlugin>(&plugin.result);
    if (compiled == nullptr || !plugin.obstacles.empty()) continue;
    for (const domain::StartVerdict& start : compiled->version.starts) {
      if (start.toolchain != line || start.result != domain::StartVerdict::Result::faulty) continue;
      std::vector<base::Message::Value> values{{"line", line}};
      if (start.messages.empty()) {
        plugin.obstacles.emplace_back(
            base::N_("when it was started here with AMX Mod X {line}, it did not run."),
            std::move(values));
      } else {
        values.emplace_back("message", start.messages.front());
        plugin.obstacles.emplace_back(
            base::N_("when it was started here with AMX Mod X {line}, it did not run: {message}."),
            std::move(values));
      }
    }
  }
}

// What the plugins take of a frame, as measured with the line.
void add_costs(std::vector<creator::PluginOutcome>& plugins, const std::string& line) {
  for (creator::PluginOutcome& plugin : plugins) {
    const auto* compiled = std::get_if<creator::CompiledPlugin>(&plugin.result);
    if (compiled == nullptr) continue;
    for (const domain::StartVerdict& start : compiled->version.starts) {
      if (start.toolchain == line) plugin.frame_percent = start.frame_percent;
    }
  }
}

// What belongs to somebody else is left out of a build.
void mark_foreign_files(std::vector<creator::PluginOutcome>& plugins, CatalogCache& catalog,
                        std::uint64_t epoch) {
  if (plugins.empty()) return;
  const auto owners = catalog.file_owners(epoch);
  for (creator::PluginOutcome& plugin : plugins) {
    auto* compiled = std::get_if<creator::CompiledPlugin>(&plugin.result);
    if (compiled != nullptr) owners->mark(compiled->version);
  }
}

std::filesystem::path depot_file(const Stock& stock, const creator::Selected& selected) {
  return stock.depot.require(selected.component->slug, selected.version->version,
                             selected.version->digest);
}

std::size_t length_by_lead(char byte) {
  const auto lead = static_cast<unsigned char>(byte);
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  return lead >= 0xC0 ? 2 : 1;
}

// End of the last complete code point in the first `limit` bytes. If the text is not UTF-8, the
// result is meaningless but in bounds.
std::size_t whole_code_points(std::string_view text, std::size_t limit) {
  std::size_t lead = limit;
  while (lead > 0 && limit - lead < 4) {
    --lead;
    if (!base::is_utf8_continuation(text[lead])) {
      return lead + length_by_lead(text[lead]) > limit ? lead : limit;
    }
  }
  return limit;
}

}  // namespace

Resolved ServerBuilds::resolve(const creator::SelectionRequest& request,
                               const std::optional<domain::Permit>& may_compile,
                               std::uint64_t epoch) {
  // Taken before anything is read: a change in between makes the plan too old, never too young.
  // Without plugins, nothing depends on toolchains.
  const bool has_plugins = !request.plugins.empty();
  const Basis basis{epoch, has_plugins ? compile_.watch.generation() : basis_.toolchains,
                    has_plugins ? verdicts_() : basis_.verdicts};
  if (basis != basis_) plans_.clear();
  basis_ = basis;
  const auto* const cached = plans_.find(creator::request_query(request));
  if (cached != nullptr) return *cached;
  return compile::repeat_if_gone([&] { return make_plan(request, may_compile, epoch); });
}

std::string ServerBuilds::own_binary(const domain::PluginVersion& own, const std::string& line,
                                     const std::optional<domain::Permit>& may_compile) const {
  domain::PluginVersion plugin = own;
  compile::describe(plugin);
  compile::CompiledOutcome outcome = compiled_plugins_.get(line, plugin, may_compile);
  if (auto* binary = std::get_if<compile::CompiledBinary>(&outcome)) {
    return std::move(binary->binary);
  }
  throw compile::no_compiler("toolchain " + line + " does not compile " +
                             plugin.files.front().filename);
}

Resolved ServerBuilds::make_plan(const creator::SelectionRequest& request,
                                 const std::optional<domain::Permit>& may_compile,
                                 std::uint64_t epoch) {
  auto catalog = stock_.catalog.catalog(epoch);
  ServerPlugins plugins(stock_.plugin_sources, compiled_plugins_);
  AskedPlugins asked = plugins.look_up(request.plugins);
  creator::SelectionResult result = select(request, *catalog, asked);
  if (auto* invalid = std::get_if<creator::InvalidSelection>(&result)) return std::move(*invalid);
  if (std::holds_alternative<creator::EmptySelection>(result)) return creator::EmptySelection{};

  auto& selection = std::get<creator::Selection>(result);
  if (!request.settings.empty()) {
    creator::check_settings(creator::parse_settings(request.settings),
                            cvars_of(asked, stock_.plugins));
    if (creator::platform(selection) == nullptr) creator::fail_without_platform();
  }
  auto resolved = std::make_shared<ResolvedPlan>();
  resolved->catalog = std::move(catalog);
  resolved->versions = load_files(stock_.catalog, selection);
  const std::string& line = line_of(selection);
  CompiledPlugins compiled =
      plugins.compile(std::move(asked.plugins), line, stock_.includes.of(selection), may_compile);
  check_files(compiled.plugins);
  creator::InvalidSelection lacking;
  lacking.unavailable = std::move(compiled.unavailable);
  lacking.missing_requires =
      missing_includes(selection, compiled.plugins, *resolved->catalog, stock_.catalog);
  std::ranges::move(
      chosen_providers(selection, compiled, *providers_.at(epoch),
                       [&](const auto& slugs) { return stock_.plugins.families(slugs); }),
      std::back_inserter(lacking.missing_requires));
  if (!lacking.empty()) return lacking;
  creator::note_unlisted(selection, compiled.plugins);
  note_starts(compiled.plugins, line);
  add_costs(compiled.plugins, line);
  mark_foreign_files(compiled.plugins, stock_.catalog, epoch);
  std::vector<domain::OverlaySection> overlays;
  if (request.optimized) overlays = stock_.overlays.load();
  std::string settings;
  if (!request.settings.empty()) settings = own_binary(settings_plugin(), line, may_compile);
  resolved->plan = creator::make_plan({request, std::move(selection), std::move(compiled.plugins),
                                       std::move(overlays), std::move(settings)});
  if (compiled.is_final) {
    plans_.put(creator::request_query(request), resolved, weigh(resolved->plan), kPlans);
  }
  return resolved;
}

const archive::ZipReader& PlannedTexts::zip_of(std::size_t component) {
  const auto open = zips_.find(component);
  if (open != zips_.end()) return open->second;
  const creator::Selected& selected = plan_.selection.components[component];
  return zips_.try_emplace(component, depot_file(stock_, selected)).first->second;
}

creator::Preview PlannedTexts::read(const creator::PlannedFile& file) {
  if (const auto* content = std::get_if<std::string>(&file.source)) {
    return creator::preview(*content, content->size());
  }
  if (const auto* stored = std::get_if<creator::PlannedFile::FromPlugin>(&file.source)) {
    const std::string content = stock_.plugin_sources.read(stored->version_id, stored->position);
    return creator::preview(content, content.size());
  }
  const archive::ZipReader& zip =
      zip_of(std::get<creator::PlannedFile::FromDepot>(file.source).component);
  return creator::preview(zip.read_start(zip.entry(file.path), creator::kPreviewLimit + 3),
                          file.size);
}

archive::Acquired ServerBuilds::acquire(const creator::Plan& plan,
                                        const domain::Permit& may_build) const {
  // A cached archive needs no recipe, which would list all files of the selection.
  if (const auto found = acquire(plan)) return *found;
  return archives_.build(make_recipe(plan, stock_.depot, stock_.plugin_sources), may_build,
                         compile_.limits);
}

void ServerBuilds::provide_resource(std::string_view name, const creator::Plan& plan,
                                    const creator::PlannedFile& file, std::string_view path) const {
  const auto read = [&]() -> std::string {
    if (const auto* content = std::get_if<std::string>(&file.source)) return *content;
    if (const auto* stored = std::get_if<creator::PlannedFile::FromPlugin>(&file.source)) {
      return stock_.plugin_sources.read(stored->version_id, stored->position);
    }
    const auto& from = std::get<creator::PlannedFile::FromDepot>(file.source);
    const archive::ZipReader zip(depot_file(stock_, plan.selection.components[from.component]));
    return zip.read(zip.entry(file.path), archive::ResourceCache::kLargest);
  };
  resources_.provide(name, path, file.sha256, read);
}

base::UniqueFd ServerBuilds::open(const creator::Plan& plan,
                                  const std::filesystem::path& folder) const {
  try {
    return base::open_file(archives_.file_of(plan.build_hash), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (const base::FileError&) {
    base::UniqueFd file = base::unnamed_file(folder);
    const archive::Recipe recipe = make_recipe(plan, stock_.depot, stock_.plugin_sources);
    archive::PreparedArchive(recipe).write(file.get(), folder);
    return file;
  }
}

Preview preview(std::string_view start, std::uint64_t size, std::size_t limit) {
  Preview result;
  result.truncated = size > limit;
  const std::string_view shown = start.substr(0, limit);
  if (!base::is_text(shown)) {
    result.binary = true;
    return result;
  }
  const std::size_t end = result.truncated ? whole_code_points(shown, shown.size()) : shown.size();
  // A code point across the limit must be valid UTF-8, too, if it is complete.
  std::string_view across;
  if (end < shown.size()) across = start.substr(end, length_by_lead(start[end]));
  const bool complete = !across.empty() && across.size() == length_by_lead(across.front());
  if (domain::is_utf8(shown.substr(0, end)) && (!complete || domain::is_utf8(across))) {
    result.content = shown.substr(0, end);
  } else {
    result.charset = base::detect_code_page(shown);
    result.content = base::from_code_page(shown, result.charset);
  }
  return result;
}

}  // namespace goldsmith::creator
