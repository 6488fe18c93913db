#include "handlers/views/server_view.hpp"

#include "app/base/text.hpp"
#include "app/creator/recommended.hpp"
#include "app/creator/requirements.hpp"
#include "app/domain/version.hpp"

namespace goldsmith::handlers::views {
namespace {

// "" = it is not held.
std::string held(const domain::ComponentVersion& version) {
  return version.held ? version.held->reason : "";
}

json::Object version_json(const domain::ComponentVersion& version, bool is_latest) {
  return {{"version", version.version},
          {"is_latest", is_latest},
          {"held", held(version)},
          {"released_at", domain::format_timestamp(version.released_at)},
          {"size_bytes", version.size_bytes},
          {"file_count", version.file_count}};
}

// What is not known is "" or empty, never absent.
void add_provenance(const domain::ComponentVersion& version, json::Object& object) {
  const domain::Source first = version.sources.empty() ? domain::Source{} : version.sources.front();
  const auto release = domain::github_tag(first.url);
  object["source_url"] = first.url;
  object["source_sha256"] = first.sha256;
  object["sources"] = json::array_of(version.sources, [](const domain::Source& source) {
    return json::Object{{"url", source.url}, {"sha256", source.sha256}};
  });
  object["release_url"] = release ? release->page() : "";
  object["mirrored_at"] = domain::format_timestamp(version.mirrored_at);
  object["verified"] = domain::to_string(version.verified);
}

json::Object accepted_json(const creator::Accepted& accepted) {
  return {{"component", accepted.component->slug}, {"versions", accepted.versions.str()}};
}

// What the latest version requires.
json::Array needs_json(const domain::Component& component, const domain::Catalog& catalog) {
  return json::array_of(creator::requirements_of({&component, component.latest()}, catalog),
                        [](const creator::Requirement& each) {
                          return json::Object{
                              {"text", creator::in_words(each).english()},
                              {"any_of", json::array_of(each.any_of, accepted_json)}};
                        });
}

json::Object component_fields(const domain::Component& component, const domain::Catalog& catalog) {
  return {{"slug", component.slug},
          {"name", component.name},
          {"description", component.description},
          {"homepage", component.homepage},
          {"license", component.license},
          {"layer", domain::to_string(component.layer)},
          {"is_default", creator::recommended(catalog).has(component.slug)},
          {"selectable", component.selectable},
          {"sort_order", component.sort_order},
          {"rules", domain::rules_json(component.rules)},
          {"needs", needs_json(component, catalog)},
          {"defects", domain::defects_json(component.defects)}};
}

json::Object selected_json(const creator::Selected& selected) {
  const domain::Component& component = *selected.component;
  return {{"slug", component.slug},
          {"name", component.name},
          {"layer", domain::to_string(component.layer)},
          {"license", component.license},
          {"homepage", component.homepage},
          {"version", selected.version->version},
          {"held", held(*selected.version)}};
}

json::Object requested_json(const creator::RequestedPlugin& plugin) {
  return {
      {"slug", plugin.slug},
      {"name", plugin.name},
      {"version", plugin.version},
      {"status", creator::to_string(plugin.status)},
      {"reason", plugin.reason},
      {"hint", plugin.hint},
      {"needs", json::Array(plugin.needs.begin(), plugin.needs.end())},
      {"binary", plugin.binary},
      {"load_order", plugin.place},
      {"frame_percent", plugin.frame_percent ? json::Value(*plugin.frame_percent) : json::Value()}};
}

json::Object start_json(const db::BuildStart& start) {
  return {{"outcome", start.outcome},
          {"at", domain::format_timestamp(start.at)},
          {"plugins_running", start.plugins_running},
          {"plugins_faulty", start.plugins_faulty},
          {"plays", start.plays},
          {"messages", json::Array(start.messages.begin(), start.messages.end())}};
}

json::Object file_fields(const creator::PlannedFile& file) {
  return {{"path", file.path},
          {"size", file.size},
          {"executable", file.executable},
          {"from", file.from},
          {"origin", creator::to_string(file.origin)}};
}

json::Object compared_build(const creator::Plan& plan,
                            const creator::ArchiveDigests::Archive& archive, const Urls& urls) {
  json::Array held_components;
  for (const creator::Selected& each : plan.selection.components) {
    if (!each.version->held) continue;
    held_components.push_back(json::Object{{"slug", each.component->slug},
                                           {"version", each.version->version},
                                           {"reason", held(*each.version)}});
  }
  return {{"build_hash", plan.build_hash},
          {"download_url", urls.server_download(plan.download_query)},
          {"page_url", urls.server_page(plan.download_query)},
          {"optimized", plan.optimized},
          {"held", std::move(held_components)},
          {"start", archive.start ? start_json(*archive.start) : json::Value()}};
}

json::Array notes_json(const VersionNotes& notes) {
  return json::array_of(notes, [](const VersionNote& note) {
    return json::Object{{"version", note.version}, {"text", note.text}};
  });
}

json::Object changed_file(const creator::FileChange& change) {
  const auto size = [](const creator::PlannedFile* file) {
    return file != nullptr ? json::Value(file->size) : json::Value();
  };
  return {{"path", change.file().path},
          {"change", creator::to_string(change.change())},
          {"from_size", size(change.from)},
          {"to_size", size(change.to)},
          {"configuration", change.is_configuration},
          {"source", change.file().from},
          {"origin", creator::to_string(change.file().origin)}};
}

json::Object changed_setting(const ComparedSetting& setting) {
  const auto value = [](const std::optional<std::string>& text) {
    return text ? json::Value(*text) : json::Value();
  };
  return {{"path", setting.path},
          {"name", setting.change.name},
          {"from", value(setting.change.from)},
          {"to", value(setting.change.to)}};
}

}  // namespace

json::Object catalog_component(const domain::Component& component, const domain::Catalog& catalog,
                               const Urls& urls) {
  json::Object object = component_fields(component, catalog);
  object["detail_url"] = urls.component(component.slug);
  object["versions"] = json::array_of(component.versions, [&](const auto& version) {
    return version_json(version, &version == component.latest());
  });
  return object;
}

json::Object component_detail(const domain::Component& component, const domain::Catalog& catalog) {
  json::Object object = component_fields(component, catalog);
  object["versions"] = json::array_of(component.versions, [&](const auto& version) {
    json::Object item = version_json(version, &version == component.latest());
    add_provenance(version, item);
    item["files"] = json::array_of(version.files, [](const domain::ManifestFile& file) {
      return json::Object{
          {"path", file.path}, {"size", file.size}, {"executable", file.executable}};
    });
    return item;
  });
  return object;
}

json::Object layer(const domain::LayerInfo& layer) {
  return {{"key", layer.key}, {"label", layer.label}, {"exclusive", layer.exclusive}};
}

json::Object plan(const creator::Plan& plan, const creator::ArchiveDigests::Archive& archive,
                  const Urls& urls) {
  const auto text = [](const std::string& note) { return note; };
  return {{"archive_sha256", archive.sha256},
          {"build_hash", plan.build_hash},
          {"start", archive.start ? start_json(*archive.start) : json::Value()},
          {"download_url", urls.server_download(plan.download_query)},
          {"optimized", plan.optimized},
          {"file_count", plan.files.size()},
          {"total_bytes", plan.total_bytes},
          {"components", json::array_of(plan.selection.components, selected_json)},
          {"plugins", json::array_of(plan.requested, requested_json)},
          {"files", json::array_of(plan.files, file_fields)},
          {"notes", plan.notes.empty() ? json::Value() : json::array_of(plan.notes, text)}};
}

json::Object comparison(const ComparedServers& compared, const Urls& urls) {
  json::Array components;
  for (std::size_t i = 0; i < compared.changes.components.size(); ++i) {
    const creator::ComponentChange& each = compared.changes.components[i];
    components.push_back(json::Object{{"slug", each.component->slug},
                                      {"name", each.component->name},
                                      {"change", creator::to_string(each.change)},
                                      {"from_version", each.from_version},
                                      {"to_version", each.to_version},
                                      {"notes", notes_json(compared.component_notes[i])}});
  }
  json::Array plugins;
  for (std::size_t i = 0; i < compared.changes.plugins.size(); ++i) {
    const creator::PluginChange& each = compared.changes.plugins[i];
    plugins.push_back(json::Object{{"slug", each.slug},
                                   {"name", each.name},
                                   {"change", creator::to_string(each.change)},
                                   {"from_version", each.from_version},
                                   {"to_version", each.to_version},
                                   {"changes", notes_json(compared.plugin_notes[i])}});
  }
  return {{"from", compared_build(compared.from, compared.from_archive, urls)},
          {"to", compared_build(compared.to, compared.to_archive, urls)},
          {"components", std::move(components)},
          {"plugins", std::move(plugins)},
          {"files", json::array_of(compared.changes.files, changed_file)},
          {"settings", json::array_of(compared.settings, changed_setting)},
          {"truncated", !compared.are_notes_all || !compared.are_texts_all}};
}

json::Object preview(const creator::PlannedFile& file, creator::Preview preview) {
  json::Object object = file_fields(file);
  object["content"] = std::move(preview.content);
  object["binary"] = preview.binary;
  object["truncated"] = preview.truncated;
  return object;
}

json::Object invalid_selection(const creator::InvalidSelection& invalid) {
  json::Object object;
  const auto put = [&](const char* name, json::Array items) {
    if (!items.empty()) object[name] = std::move(items);
  };
  put("unknown", json::array_of(invalid.unknown, [](const std::string& slug) { return slug; }));
  put("unavailable", json::array_of(invalid.unavailable, [](const creator::Unavailable& item) {
        return json::Object{
            {"component", item.component}, {"name", item.name}, {"reason", item.reason.english()}};
      }));
  put("conflicts", json::array_of(invalid.conflicts, [](const creator::Conflict& item) {
        return json::Object{
            {"component", item.component}, {"with", item.with}, {"reason", item.reason.english()}};
      }));
  put("missing_requires", json::array_of(invalid.missing_requires, [](const auto& item) {
        json::Object told{{"component", item.component},
                          {"requires", item.requires_},
                          {"reason", item.reason.english()},
                          {"versions", item.versions.str()}};
        if (!item.others.empty()) told["others"] = json::array_of(item.others, accepted_json);
        if (!item.instead_of.empty()) told["instead_of"] = "plugin:" + item.instead_of;
        return told;
      }));
  put("layer_conflicts", json::array_of(invalid.layer_conflicts, [](const auto& item) {
        return json::Object{{"layer", item.layer},
                            {"components", base::join(item.components, ",")}};
      }));
  return object;
}

}  // namespace goldsmith::handlers::views
