#include <algorithm>
#include <functional>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/cli/bundle_records.hpp"
#include "app/domain/record.hpp"

namespace goldsmith::cli {

void add_unless_empty(json::Object& object, std::string_view name, json::Value value) {
  const std::string* const text = value.as_string();
  const json::Array* const array = value.as_array();
  const json::Object* const members = value.as_object();
  if (value.is_null() || (text && text->empty()) || (array && array->empty()) ||
      (members && members->empty())) {
    return;
  }
  object.emplace(name, std::move(value));
}

namespace {

json::Value told_text(const std::optional<std::string>& text) {
  return text ? json::Value(*text) : json::Value();
}

json::Array texts_as_json(const std::vector<std::string>& all) {
  return json::array_of(all, std::identity());
}

json::Object told_install(const domain::InstallRules& rules) {
  json::Object object;
  add_unless_empty(object, "map", json::array_of(rules.map, [](const domain::PathMap& each) {
                     return json::Object{{each.is_file ? "file" : "from", each.from},
                                         {"to", each.to}};
                   }));
  add_unless_empty(object, "drop", texts_as_json(rules.drop));
  add_unless_empty(object, "executable", texts_as_json(rules.executables));
  return object;
}

json::Object told_places(const domain::Places& places) {
  json::Object object{{"file", places.file}, {"looked_for", texts_as_json(places.looked_for)}};
  add_unless_empty(object, "identity", texts_as_json(places.identity));
  return object;
}

json::Object told_advice(const domain::Advice& advice) {
  json::Object object{{"text", advice.text}};
  add_unless_empty(object, "versions", advice.versions.str());
  return object;
}

json::Object told_defect(const domain::Defect& defect) {
  json::Object object{{"text", defect.text}, {"source", defect.source}, {"hold", defect.holds}};
  if (defect.since) object.emplace("since", defect.since->str());
  if (defect.until) object.emplace("until", defect.until->str());
  return object;
}

// By version.
json::Object told_origins(const domain::Plugin& plugin) {
  json::Object origins;
  for (const domain::PluginVersion& version : plugin.versions) {
    domain::VersionOrigin origin = version.origin;
    for (std::string* const text : {&origin.repository, &origin.commit, &origin.path}) {
      *text = base::printable(*text);
    }
    add_unless_empty(origins, version.version.view(), domain::told(origin));
  }
  return origins;
}

json::Object told_loads(const domain::Loads& loads) {
  json::Object object;
  add_unless_empty(object, "gamedll", told_text(loads.gamedll));
  add_unless_empty(object, "metamod_loader", told_text(loads.metamod_loader));
  add_unless_empty(object, "metamod_plugin", told_text(loads.metamod_plugin));
  add_unless_empty(object, "toolchain", told_text(loads.toolchain));
  return object;
}

}  // namespace

json::Object told_component(const domain::Component& component) {
  json::Object overrides;
  for (const auto& [version, rules] : component.install_overrides) {
    overrides.emplace(version.str(), told_install(rules));
  }
  json::Object object{{"slug", component.slug},
                      {"name", component.name},
                      {"layer", domain::to_string(component.layer)},
                      {"is_default", component.is_default},
                      {"selectable", component.selectable},
                      {"sort_order", component.sort_order}};
  add_unless_empty(object, "description", component.description);
  add_unless_empty(object, "homepage", component.homepage);
  add_unless_empty(object, "license", component.license);
  add_unless_empty(object, "rules", domain::rules_json(component.rules));
  if (!component.upstream.empty()) object.emplace("upstream", domain::told(component.upstream));
  add_unless_empty(object, "install", told_install(component.install));
  add_unless_empty(object, "install_overrides", std::move(overrides));
  add_unless_empty(object, "configuration", texts_as_json(component.configuration));
  add_unless_empty(
      object, "secrets", json::array_of(component.secrets, [](const domain::Secret& each) {
        return json::Object{
            {"file", each.file}, {"setting", each.setting}, {"suggested", each.is_suggested}};
      }));
  add_unless_empty(object, "places", json::array_of(component.places, told_places));
  add_unless_empty(object, "loads", told_loads(component.loads));
  add_unless_empty(object, "advice", json::array_of(component.advice, told_advice));
  add_unless_empty(object, "defects", json::array_of(component.defects, told_defect));
  return object;
}

json::Object told_plugin(const domain::Plugin& plugin,
                         const std::function<std::string(const domain::PluginFile&)>& path_of) {
  const domain::PluginAbout& about = plugin.about;
  domain::PluginUpstream upstream = plugin.upstream;
  upstream.forget_findings();
  json::Array commands = json::array_of(about.commands, [](const domain::PluginCommand& each) {
    json::Object command{{"name", each.name}, {"help", each.help}};
    if (each.is_server_only) command.emplace("server_only", true);
    if (!each.is_computed && !each.is_server_only) command.emplace("flags", each.flags);
    return command;
  });
  json::Array versions = json::array_of(plugin.versions, [&](const domain::PluginVersion& each) {
    json::Object version{{"version", each.version}};
    add_unless_empty(version, "created_at", domain::to_json(each.created_at));
    add_unless_empty(version, "changes", each.changes);
    add_unless_empty(version, "files",
                     json::array_of(each.files, [&](const domain::PluginFile& file) {
                       return json::Object{{"path", path_of(file)},
                                           {"filename", file.filename},
                                           {"install_dir", file.install_dir},
                                           {"kind", file.kind},
                                           {"primary", file.is_primary}};
                     }));
    return version;
  });
  json::Object object{{"slug", plugin.slug},         {"name", plugin.name},
                      {"category", plugin.category}, {"toolchain", plugin.toolchain},
                      {"upstream", nullptr},         {"versions", std::move(versions)}};
  if (!upstream.empty()) object["upstream"] = domain::told(upstream);
  add_unless_empty(object, "author", plugin.author);
  add_unless_empty(object, "license", plugin.license);
  add_unless_empty(object, "tags", texts_as_json(plugin.tags));
  add_unless_empty(object, "original_url", plugin.original_url);
  add_unless_empty(object, "summary", plugin.summary);
  add_unless_empty(object, "description", about.description);
  add_unless_empty(object, "links", domain::to_json(about.links));
  add_unless_empty(object, "cvars", json::array_of(about.cvars, [](const domain::PluginCvar& each) {
                     return json::Object{
                         {"name", each.name}, {"default", each.default_value}, {"help", each.help}};
                   }));
  add_unless_empty(object, "commands", std::move(commands));
  add_unless_empty(object, "game_modes", texts_as_json(about.game_modes));
  return object;
}

std::string identity_of(const domain::Plugin& plugin) {
  domain::Plugin ordered = plugin;
  std::ranges::sort(ordered.versions, {}, &domain::PluginVersion::version);
  json::Object told =
      told_plugin(ordered, [](const domain::PluginFile& file) { return file.sha1; });
  add_unless_empty(told, "origins", told_origins(plugin));
  return base::sha256_hex(json::to_string(told));
}

void add_findings(json::Object& told, const domain::Plugin& plugin,
                  const std::map<domain::Version, std::string>& verdicts) {
  add_unless_empty(told, "origins", told_origins(plugin));
  json::Object members;
  for (const auto& [version, sha256] : verdicts) members.emplace(version.str(), sha256);
  add_unless_empty(told, "verdicts", std::move(members));
  const domain::PluginUpstream& upstream = plugin.upstream;
  json::Object found;
  add_unless_empty(found, "gone_since", domain::to_json(upstream.gone_since));
  add_unless_empty(found, "problem", base::printable(upstream.problem, "\n\t"));
  add_unless_empty(found, "problem_since", domain::to_json(upstream.problem_since));
  add_unless_empty(told, "found_upstream", std::move(found));
}

json::Object told_pack(const domain::AddonPack& pack) {
  json::Object object{{"slug", pack.slug},
                      {"name", pack.name},
                      {"plugins", json::array_of(pack.plugins, std::identity())}};
  add_unless_empty(object, "description", pack.description);
  add_unless_empty(object, "server", pack.server);
  return object;
}

}  // namespace goldsmith::cli
