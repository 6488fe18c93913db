#include "app/creator/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "app/base/digest.hpp"
#include "app/creator/file_times.hpp"
#include "app/creator/load_order.hpp"
#include "app/creator/name_clashes.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/creator/settings.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::creator {

namespace {

// In load order, so that the later of two components with the same path wins (decision S6).
FileSet component_files(const Selection& selection) {
  FileSet files;
  for (std::size_t i = 0; i < selection.components.size(); ++i) {
    const Selected& selected = selection.components[i];
    for (const domain::ManifestFile& file : selected.version->files) {
      files.insert_or_assign(file.path, PlannedFile{file.path, file.size, file.executable,
                                                    file.sha256, selected.component->slug.str(),
                                                    Origin::upstream, PlannedFile::FromDepot{i}});
    }
  }
  return files;
}

void edit(PlannedFile& file, std::string content) {
  file.size = content.size();
  file.sha256 = base::sha256_hex(content);
  file.from = "svc-optimized";
  file.origin = Origin::edited;
  file.source = std::move(content);
}

// Replaces each of `files` for which a section applies (decision S13). Ignores sections for paths
// that no selected component ships.
void apply_overlays(std::vector<domain::OverlaySection> sections, const Selection& selection,
                    FileSet& files) {
  std::set<std::optional<domain::Slug>> slugs = {std::nullopt};  // a section of none always applies
  for (const Selected& selected : selection.components) slugs.insert(selected.component->slug);
  std::sort(sections.begin(), sections.end(), [](const auto& left, const auto& right) {
    return std::tie(left.path, left.position, left.component, left.content) <
           std::tie(right.path, right.position, right.component, right.content);
  });

  std::map<std::string_view, std::string> contents;
  for (const domain::OverlaySection& section : sections) {
    if (!slugs.contains(section.component) || !files.contains(section.path)) continue;
    std::string& content = contents[section.path];
    content += section.content;
    if (!section.content.ends_with('\n')) content += '\n';
  }
  for (auto& [path, content] : contents) edit(files.find(path)->second, std::move(content));
}

void add_generated(const Selection& selection, FileSet& files) {
  put_bytes(files, kLiblistPath, liblist_gam(selection), "svc", Origin::generated);
  put_bytes(files, kMetamodListPath, metamod_plugins_ini(selection), "svc", Origin::generated);
}

// Before the files of plugins, of which none takes their places.
void add_settings(const std::string& settings, std::string binary, FileSet& files) {
  if (binary.empty()) return;
  const auto put = [&](const std::string& path, std::string content) {
    put_bytes(files, path, std::move(content), "svc", Origin::generated);
  };
  const domain::PluginVersion plugin = settings_plugin();
  put(std::string(kSettingsPath), settings_cfg(parse_settings(settings)));
  put(std::string(kPluginFolder) + "/" + std::string(kSettingsBinary), std::move(binary));
  put(domain::path_on_server(plugin.files.front()), plugin.files.front().content);
}

// Callers pass them sorted, but the plan must not depend on that.
void sort_unique(std::vector<PluginOutcome>& plugins) {
  std::stable_sort(
      plugins.begin(), plugins.end(),
      [](const PluginOutcome& left, const PluginOutcome& right) { return left.slug < right.slug; });
  plugins.erase(std::unique(plugins.begin(), plugins.end(),
                            [](const PluginOutcome& left, const PluginOutcome& right) {
                              return left.slug == right.slug;
                            }),
                plugins.end());
}

std::vector<PlannedPlugin> planned(const std::vector<const PluginOutcome*>& plugins) {
  std::vector<PlannedPlugin> all;
  for (const PluginOutcome* plugin : plugins) {
    const auto& compiled = std::get<CompiledPlugin>(plugin->result);
    all.push_back({plugin->slug, compiled.version.version, compiled.content_digest,
                   compiled.toolchain_fingerprint});
  }
  return all;
}

// Increment whenever a code change alters the bytes of the archive of an unchanged selection.
constexpr std::string_view kFormat = "goldsmith server archive 2\n";

// A line of fields, each preceded by its length, so that different lists of fields never give the
// same text.
void add_line(base::Sha256& hash, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields) {
    hash.update(std::to_string(field.size())).update(":").update(field).update(" ");
  }
  hash.update("\n");
}

std::string seconds_of(domain::Timestamp time) {
  return std::to_string(time.time_since_epoch().count());
}

// SHA-256 in hex of everything that determines the archive (decision S8): the components with the
// digests of their mirrored content, the compiled plugins with files in it, and every file that is
// not of a component, each with its time. Equal hashes mean equal bytes, on every host.
std::string build_hash(const Selection& selection, const std::vector<PlannedPlugin>& plugins,
                       const std::vector<PlannedFile>& files) {
  base::Sha256 hash;
  hash.update(kFormat);
  for (const Selected& selected : selection.components) {
    add_line(hash, {"component", selected.component->slug, selected.version->version,
                    selected.version->digest, seconds_of(time_of(*selected.version))});
  }
  for (const PlannedPlugin& plugin : plugins) {
    add_line(hash, {"plugin", plugin.slug, plugin.version, plugin.content_digest,
                    plugin.toolchain_fingerprint});
  }
  for (const PlannedFile& file : files) {
    if (std::holds_alternative<PlannedFile::FromDepot>(file.source)) continue;
    add_line(hash, {"file", file.path, file.executable ? "executable" : "plain", file.sha256,
                    seconds_of(file.modified)});
  }
  return hash.finish_hex();
}

// Registers them in the order of load_order(), as far as plugins_svc_ini() can keep it, and notes
// their places. `outcomes`: those of which `plugins` tells, in the same order.
void add_plugin_list(const std::vector<PluginOutcome>& outcomes,
                     const std::vector<std::string>& first, std::vector<RequestedPlugin>& plugins,
                     FileSet& files) {
  const bool has_settings = files.contains(kSettingsPath);
  std::vector<LoadedPlugin> loaded;
  std::vector<RequestedPlugin*> registered;
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    if (plugins[i].binary.empty()) continue;
    const auto& compiled = std::get<CompiledPlugin>(outcomes[i].result);
    loaded.push_back({plugins[i].slug, &compiled.needs});
    registered.push_back(&plugins[i]);
  }
  if (loaded.empty() && !has_settings) return;
  std::vector<std::string> binaries;
  for (const LoadPlace& each : load_order(loaded, first)) {
    binaries.push_back(registered[each.plugin]->binary);
    registered[each.plugin]->is_bound = each.is_bound;
  }
  std::vector<std::string> ordered = loadable_order(binaries);
  for (RequestedPlugin* plugin : registered) {
    const auto found = std::find(ordered.begin(), ordered.end(), plugin->binary);
    plugin->place = static_cast<std::size_t>(found - ordered.begin()) + 1;
  }
  if (has_settings) ordered.emplace_back(kSettingsBinary);  // it has the last word
  put_bytes(files, kPluginListPath, plugins_svc_ini(ordered), "svc", Origin::generated);
}

// Pins what is asked for to the versions that are in the build.
void pin(std::vector<Token>& asked, const std::vector<PlannedPlugin>& planned) {
  std::map<std::string_view, std::string> versions;
  for (const PlannedPlugin& plugin : planned) versions[plugin.slug] = plugin.version.str();
  for (Token& token : asked) {
    const auto found = versions.find(token.slug);
    if (found != versions.end()) token.version = found->second;
  }
}

// What names a build when anything newer is there, too: only what is in it, all of it pinned. A
// flag that changed nothing would change something once there is another overlay.
std::string build_query(SelectionRequest request, Selection selection,
                        const std::vector<PlannedPlugin>& planned,
                        const std::vector<PlannedFile>& files) {
  const auto is_left_out = [&](std::string_view slug) {
    return std::none_of(planned.begin(), planned.end(),
                        [&](const PlannedPlugin& each) { return each.slug == slug; });
  };
  std::erase_if(request.plugins, [&](const Token& token) { return is_left_out(token.slug); });
  std::erase_if(request.order, is_left_out);
  request.optimized = std::any_of(files.begin(), files.end(), [](const PlannedFile& file) {
    return file.origin == Origin::edited;
  });
  for (Selected& each : selection.components) each.bundled = false;
  return download_query(request, selection);
}

base::Message recommendation(const domain::Component& component, const domain::Rule& rule) {
  base::Message other = rule.with.in_words(rule.component.view());
  if (rule.note.empty()) {
    return base::Message("{component} works better with {other}.",
                         {{"component", component.title()}, {"other", std::move(other)}});
  }
  return base::Message("{component} works better with {other}: {note}",
                       {{"component", component.title()},
                        {"other", std::move(other)},
                        {"note", base::Message(rule.note)}});
}

// That the version is held, why, and what is handed out in its place.
base::Message hold_of(const Selected& selected) {
  const domain::Component& component = *selected.component;
  const domain::ComponentVersion& version = *selected.version;
  const bool is_defect = version.held->kind == domain::HoldKind::defect;
  const domain::Defect* const defect =
      is_defect ? component.holding_defect(version.version) : nullptr;
  std::vector<base::Message::Value> values{
      {"component", component.title()},
      {"version", version.version.str()},
      {"reason", defect != nullptr ? domain::told(*defect) : base::Message(version.held->reason)}};
  const domain::ComponentVersion* const latest = component.latest();
  if (latest == nullptr) {
    return {base::N_("{component} {version} is held here: {reason}"), std::move(values)};
  }
  values.emplace_back("latest", latest->version.str());
  return {base::N_("{component} {version} is held here, and {latest} is the latest: {reason}"),
          std::move(values)};
}

bool is_followed(const domain::Rule& rule, const Selection& selection) {
  return std::any_of(
      selection.components.begin(), selection.components.end(), [&](const Selected& each) {
        return each.component->slug == rule.component && is_about(rule, each.version);
      });
}

}  // namespace

std::vector<base::Message> component_notes(const Selection& selection) {
  std::vector<base::Message> notes = selection.absences;
  for (const Selected& each : selection.components) {
    if (each.version->held) notes.push_back(hold_of(each));
  }
  for (const Selected& each : selection.components) {
    std::set<std::string_view> noted;
    for (const domain::Rule& rule :
         rules_of(*each.component, domain::RuleKind::recommends, each.version)) {
      if (is_followed(rule, selection) || !noted.insert(rule.component).second) continue;
      notes.push_back(recommendation(*each.component, rule));
    }
  }
  return notes;
}

std::vector<base::Message> component_advice(const Selection& selection) {
  std::vector<base::Message> texts;
  for (const Selected& each : selection.components) {
    for (const domain::Defect* defect : each.component->told_defects(*each.version)) {
      texts.push_back(base::Message("{component} {version}: {defect}",
                                    {{"component", each.component->title()},
                                     {"version", each.version->version.str()},
                                     {"defect", domain::told(*defect)}}));
    }
    for (const domain::Advice& advice : each.component->advice) {
      if (advice.versions.contains(each.version->version)) texts.emplace_back(advice.text);
    }
  }
  return texts;
}

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::upstream:
      return "upstream";
    case Origin::generated:
      return "generated";
    case Origin::edited:
      return "edited";
    case Origin::plugin:
      return "plugin";
  }
  return "upstream";
}

Plan make_plan(PlanInput input) {
  FileSet files = component_files(input.selection);
  if (input.request.optimized) apply_overlays(std::move(input.overlays), input.selection, files);
  add_generated(input.selection, files);
  add_settings(input.request.settings, std::move(input.settings_binary), files);
  sort_unique(input.plugins);
  AddedPlugins plugins = add_plugins(input.plugins, files);
  add_plugin_list(input.plugins, input.request.order, plugins.requested, files);
  set_times(input.selection, plugins.included, files);

  Plan plan;
  plan.optimized = input.request.optimized;
  plan.files.reserve(files.size());
  for (auto& [path, file] : files) {
    plan.total_bytes += file.size;
    plan.files.push_back(std::move(file));
  }
  plan.plugins = planned(plugins.included);
  plan.build_hash = build_hash(input.selection, plan.plugins, plan.files);
  plan.notes = base::english(component_notes(input.selection));
  plan.requested = std::move(plugins.requested);
  note_name_clashes(plan.files, plan.requested);
  for (const RequestedPlugin& plugin : plan.requested) {
    std::ranges::move(base::english(plugin.notes), std::back_inserter(plan.notes));
  }
  std::ranges::move(base::english(component_advice(input.selection)),
                    std::back_inserter(plan.notes));
  plan.selection_id = selection_id(input.request);
  pin(input.request.plugins, plan.plugins);
  plan.download_query = download_query(input.request, input.selection);
  plan.build_query =
      build_query(std::move(input.request), input.selection, plan.plugins, plan.files);
  plan.selection = std::move(input.selection);
  return plan;
}

Plan partial_plan(const Plan& base, Plan plan) {
  plan.completes = plan.build_hash;
  plan.build_hash = base::Sha256()
                        .update("goldsmith partial archive 1\nfrom ")
                        .update(base.build_hash)
                        .update("\nto ")
                        .update(plan.completes)
                        .update("\n")
                        .update(checksum_list(plan))
                        .finish_hex();
  plan.from = base.build_hash;
  std::erase_if(plan.files, [&](const PlannedFile& file) {
    const PlannedFile* former = find_file(base, file.path);
    return former != nullptr && is_same_file(*former, file);
  });
  plan.total_bytes = 0;
  for (const PlannedFile& file : plan.files) plan.total_bytes += file.size;
  return plan;
}

std::string selection_id(const SelectionRequest& request) {
  constexpr std::size_t kDigits = 32;
  const SelectionRequest asked{request.components, request.plugins};
  return base::sha256_hex("goldsmith selection 1\n" + request_query(asked)).substr(0, kDigits);
}

std::string archive_query(const Plan& plan) {
  return plan.build_query + (plan.from.empty() ? "" : "&from=" + plan.from);
}

bool is_same_file(const PlannedFile& one, const PlannedFile& other) {
  return !one.sha256.empty() && one.sha256 == other.sha256 && one.executable == other.executable;
}

const PlannedFile* find_file(const Plan& plan, std::string_view path) {
  const auto found = std::lower_bound(
      plan.files.begin(), plan.files.end(), path,
      [](const PlannedFile& file, std::string_view wanted) { return file.path < wanted; });
  return found != plan.files.end() && found->path == path ? &*found : nullptr;
}

// No path has a backslash or a line feed (decision R15), which sha256sum would want escaped.
std::string checksum_list(const Plan& plan) {
  std::string list;
  for (const PlannedFile& file : plan.files) {
    list.append(file.sha256).append("  ").append(file.path).append("\n");
  }
  return list;
}

}  // namespace goldsmith::creator
