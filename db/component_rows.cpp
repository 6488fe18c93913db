#include "db/component_rows.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "db/database.hpp"
#include "db/records.hpp"

namespace goldsmith::db {

namespace {

// What belongs to a component, by the component's id.
template <typename Value>
using OfComponent = std::pair<std::int64_t, Value>;

OfComponent<domain::Component> read_component(Row& row) {
  OfComponent<domain::Component> read{row.integer("id"), {}};
  domain::Component& component = read.second;
  component.slug = row.slug("slug");
  component.name = row.text("name");
  component.description = row.text("description");
  component.homepage = row.text("homepage");
  component.license = row.text("license");
  component.layer = row.parsed("layer", &domain::parse_layer, "layer");
  component.is_default = row.flag("is_default");
  component.selectable = row.flag("selectable");
  component.sort_order = row.integer("sort_order");
  component.loads = {row.optional_text("loads_gamedll"), row.optional_text("loads_metamod_loader"),
                     row.optional_text("loads_metamod_plugin"),
                     row.optional_text("loads_toolchain")};
  return read;
}

domain::VersionRange read_range(Row& row, std::string_view column) {
  return row.parsed(column, &domain::VersionRange::parse, "range of versions");
}

void load_rules(Database& database, ComponentsById& components) {
  const auto read = [](Row& row) {
    return OfComponent<domain::Rule>{
        row.integer("r.component_id"),
        {row.parsed("r.rule", &domain::parse_rule_kind, "rule"), row.slug("c.slug"),
         row.text("r.note"), read_range(row, "r.versions"), read_range(row, "r.with_versions")}};
  };
  Records rows(database, read,
               "FROM component_rules r JOIN components c ON c.id = r.target_id"
               " ORDER BY r.component_id, r.position");
  while (auto row = rows.next()) {
    components.at(row->first).rules.push_back(std::move(row->second));
  }
}

// The rules for every version, or for one.
domain::InstallRules& install_rules(domain::Component& component,
                                    const std::optional<domain::Version>& version) {
  return version ? component.install_overrides[*version] : component.install;
}

// Of the file that the last lines were about, or of the next one.
domain::Places& places_of(domain::Component& component, const std::string& file) {
  if (component.places.empty() || component.places.back().file != file) {
    component.places.push_back({file, {}});
  }
  return component.places.back();
}

struct InstallLine {
  std::int64_t component_id = 0;
  std::optional<domain::Version> version;
  std::string kind;
  std::string pattern;
  std::string target;
};

InstallLine read_install_line(Row& row) {
  return {row.integer("i.component_id"), row.optional_version("i.version"), row.text("l.kind"),
          row.text("l.pattern"), row.text("l.target")};
}

void load_installs(Database& database, ComponentsById& components) {
  Records rows(database, read_install_line,
               "FROM component_installs i LEFT JOIN component_install_lines l"
               " ON l.component_id = i.component_id AND l.version = i.version"
               " ORDER BY i.component_id, i.version, l.position");
  while (const auto line = rows.next()) {
    domain::Component& component = components.at(line->component_id);
    domain::InstallRules& rules = install_rules(component, line->version);
    const auto& [id, version, kind, pattern, target] = *line;
    if (kind == "map" || kind == "file") rules.map.push_back({pattern, target, kind == "file"});
    if (kind == "drop") rules.drop.push_back(pattern);
    if (kind == "executable") rules.executables.push_back(pattern);
    if (kind == "configuration") component.configuration.push_back(pattern);
    if (kind == "secret" || kind == "suggested_secret") {
      component.secrets.push_back({pattern, target, kind != "secret"});
    }
    if (kind == "place") places_of(component, pattern).looked_for.push_back(target);
    if (kind == "identity") places_of(component, pattern).identity.push_back(target);
  }
}

void load_advice(Database& database, ComponentsById& components) {
  const auto read = [](Row& row) {
    return OfComponent<domain::Advice>{row.integer("component_id"),
                                       {row.text("advice"), read_range(row, "versions")}};
  };
  Records rows(database, read, "FROM component_advice ORDER BY component_id, position");
  while (auto row = rows.next()) {
    components.at(row->first).advice.push_back(std::move(row->second));
  }
}

OfComponent<domain::ComponentVersion> read_component_version(Row& row) {
  OfComponent<domain::ComponentVersion> read{row.integer("v.component_id"), {}};
  domain::ComponentVersion& version = read.second;
  version.version = row.version("v.version");
  version.released_at = row.optional_timestamp("v.released_at");
  version.size_bytes = row.size("v.size_bytes");
  version.file_count = row.size("v.file_count");
  version.digest = row.text("v.digest");
  version.is_released = row.flag("v.is_released");
  const std::string reason = row.text("v.held_reason");
  const auto kind = row.optional("v.held_kind", &domain::parse_hold_kind, "kind of hold");
  if (const auto held_at = row.optional_timestamp("v.held_at")) {
    version.held = {reason, *held_at, kind.value_or(domain::HoldKind::hand)};
  }
  version.mirrored_at = row.optional_timestamp("m.mirrored_at");
  const auto verified = row.optional("m.verified", &domain::parse_verification, "verification");
  version.verified = verified.value_or(version.verified);
  version.source.repository = row.integer("COALESCE(m.github_repository, 0)");
  version.source.owner = row.integer("COALESCE(m.github_owner, 0)");
  return read;
}

void load_versions(Database& database, ComponentsById& components) {
  Records rows(database, read_component_version,
               "FROM component_versions v"
               " LEFT JOIN component_mirrorings m ON m.version_id = v.id");
  while (auto row = rows.next()) {
    components.at(row->first).versions.push_back(std::move(row->second));
  }
}

// `component`: of the rules for every version; null for those of one.
void insert_install(Database& database, std::int64_t id, std::string_view version,
                    const domain::InstallRules& rules, const domain::Component* component) {
  database.execute("INSERT INTO component_installs (component_id, version) VALUES (?, ?)",
                   {id, version});
  std::vector<Parameter> values;
  std::int64_t position = 0;
  const auto add = [&](std::string_view kind, std::string_view pattern, std::string_view target) {
    values.insert(values.end(), {id, version, position++, kind, pattern, target});
  };
  for (const domain::PathMap& map : rules.map) {
    add(map.is_file ? "file" : "map", map.from, map.to);
  }
  for (const std::string& glob : rules.drop) add("drop", glob, "");
  for (const std::string& glob : rules.executables) add("executable", glob, "");
  if (component != nullptr) {
    for (const std::string& glob : component->configuration) add("configuration", glob, "");
    for (const domain::Secret& each : component->secrets) {
      add(each.is_suggested ? "suggested_secret" : "secret", each.file, each.setting);
    }
    for (const domain::Places& each : component->places) {
      for (const std::string& place : each.looked_for) add("place", each.file, place);
      for (const std::string& setting : each.identity) add("identity", each.file, setting);
    }
  }
  insert_rows(database,
              "INSERT INTO component_install_lines"
              " (component_id, version, position, kind, pattern, target) VALUES",
              6, values);
}

// What a statement's parameters, which refer to texts, can refer to.
template <typename Bound>
std::vector<std::string> ranges_of(const std::vector<Bound>& all,
                                   domain::VersionRange Bound::* range) {
  std::vector<std::string> ranges;
  ranges.reserve(all.size());
  for (const Bound& each : all) ranges.push_back((each.*range).str());
  return ranges;
}

void insert_advice(Database& database, std::int64_t id, const std::vector<domain::Advice>& advice) {
  const std::vector<std::string> ranges = ranges_of(advice, &domain::Advice::versions);
  std::vector<Parameter> values;
  for (std::size_t i = 0; i < advice.size(); ++i) {
    values.insert(values.end(), {id, static_cast<std::int64_t>(i), advice[i].text, ranges[i]});
  }
  insert_rows(database,
              "INSERT INTO component_advice (component_id, position, advice, versions) VALUES", 4,
              values);
}

void insert_rules(Database& database, std::int64_t id, const std::vector<domain::Rule>& rules,
                  const ComponentIds& ids) {
  const std::vector<std::string> versions = ranges_of(rules, &domain::Rule::versions);
  const std::vector<std::string> with = ranges_of(rules, &domain::Rule::with);
  std::vector<Parameter> values;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const domain::Rule& rule = rules[i];
    values.insert(values.end(), {id, static_cast<std::int64_t>(i), domain::to_string(rule.kind),
                                 ids.at(rule.component), rule.note, versions[i], with[i]});
  }
  insert_rows(database,
              "INSERT INTO component_rules"
              " (component_id, position, rule, target_id, note, versions, with_versions) VALUES",
              7, values);
}

// Parameters refer to them.
std::vector<std::string> natives_as_text(const std::vector<domain::ManifestFile>& files) {
  std::vector<std::string> texts;
  for (const domain::ManifestFile& file : files) {
    texts.push_back(file.natives ? base::join(*file.natives, " ") : std::string());
  }
  return texts;
}

void insert_files(Database& database, std::int64_t version_id,
                  const std::vector<domain::ManifestFile>& files,
                  const std::vector<domain::FileOrigin>& origins) {
  std::vector<Parameter> values;
  values.reserve(files.size() * 9);
  const std::vector<std::string> natives = natives_as_text(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const domain::ManifestFile& file = files[i];
    const domain::FileOrigin* origin = origins.empty() ? nullptr : &origins.at(i);
    values.insert(
        values.end(),
        {version_id, static_cast<std::int64_t>(i), file.path, static_cast<std::int64_t>(file.size),
         file.executable, file.sha256, file.natives ? Parameter(natives[i]) : nullptr,
         origin ? Parameter(static_cast<std::int64_t>(origin->source)) : nullptr,
         origin ? std::string_view(origin->path) : std::string_view()});
  }
  insert_rows(
      database,
      "INSERT INTO component_files"
      " (version_id, position, path, size, executable, sha256, natives, source, source_path)"
      " VALUES",
      9, values);
}

// The columns after the slug, in the order of both statements below.
std::vector<Parameter> head_values(const domain::Component& component) {
  return {component.name,
          component.description,
          component.homepage,
          component.license,
          domain::to_string(component.layer),
          component.is_default,
          component.selectable,
          component.sort_order,
          text_or_empty(component.loads.gamedll),
          text_or_empty(component.loads.metamod_loader),
          text_or_empty(component.loads.metamod_plugin),
          text_or_empty(component.loads.toolchain)};
}

}  // namespace

std::int64_t find_component_id(Database& database, const domain::Slug& slug) {
  const auto rows = database.query("SELECT id FROM components WHERE slug = ?", {slug});
  return rows->next() ? rows->integer(1) : 0;
}

ComponentsById load_components(Database& database) {
  auto components = Records(database, read_component, "FROM components").all<ComponentsById>();
  load_rules(database, components);
  load_upstreams(database, components);
  load_installs(database, components);
  load_advice(database, components);
  load_defects(database, components);
  load_versions(database, components);
  return components;
}

std::int64_t insert_component(Database& database, const domain::Component& component) {
  std::vector<Parameter> values = head_values(component);
  values.emplace_back(component.slug);
  database.execute(
      "INSERT INTO components (name, description, homepage, license, layer, is_default, selectable,"
      " sort_order, loads_gamedll, loads_metamod_loader, loads_metamod_plugin, loads_toolchain,"
      " slug) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      values);
  return database.last_insert_id();
}

void update_component(Database& database, std::int64_t id, const domain::Component& component) {
  std::vector<Parameter> values = head_values(component);
  values.emplace_back(id);
  database.execute(
      "UPDATE components SET name = ?, description = ?, homepage = ?, license = ?, layer = ?,"
      " is_default = ?, selectable = ?, sort_order = ?, loads_gamedll = ?,"
      " loads_metamod_loader = ?, loads_metamod_plugin = ?, loads_toolchain = ? WHERE id = ?",
      values);
}

void replace_details(Database& database, std::int64_t id, const domain::Component& component,
                     const ComponentIds& ids) {
  database.execute("DELETE FROM component_rules WHERE component_id = ?", {id});
  database.execute("DELETE FROM component_upstreams WHERE component_id = ?", {id});
  database.execute("DELETE FROM component_installs WHERE component_id = ?", {id});
  database.execute("DELETE FROM component_advice WHERE component_id = ?", {id});
  insert_rules(database, id, component.rules, ids);
  insert_upstream(database, id, component.upstream);
  insert_install(database, id, "", component.install, &component);
  for (const auto& [version, rules] : component.install_overrides) {
    insert_install(database, id, version, rules, nullptr);
  }
  insert_advice(database, id, component.advice);
  replace_defects(database, id, component.defects);
}

void replace_version(Database& database, std::int64_t component_id,
                     const domain::ComponentVersion& version) {
  const bool is_held = version.held && version.held->kind != domain::HoldKind::defect;
  database.execute("DELETE FROM component_versions WHERE component_id = ? AND version = ?",
                   {component_id, version.version});
  database.execute(
      "INSERT INTO component_versions"
      " (component_id, version, released_at, size_bytes, file_count, digest, held_reason, held_at,"
      " held_kind, notes, is_released) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {component_id, version.version, nullable(version.released_at),
       static_cast<std::int64_t>(version.size_bytes), static_cast<std::int64_t>(version.file_count),
       version.digest, is_held ? Parameter(version.held->reason) : nullptr,
       is_held ? Parameter(version.held->at) : nullptr,
       is_held ? Parameter(domain::to_string(version.held->kind)) : nullptr,
       version.notes.empty() ? nullptr : Parameter(version.notes), version.is_released});
  const std::int64_t id = database.last_insert_id();
  insert_files(database, id, version.files, version.origins);
  insert_sources(database, id, version.sources);
  database.execute(
      "INSERT INTO component_mirrorings"
      " (version_id, mirrored_at, verified, github_repository, github_owner)"
      " VALUES (?, UTC_TIMESTAMP(), ?, ?, ?)",
      {id, domain::to_string(version.verified), version.source.repository, version.source.owner});
}

void load_upstreams(Database& database, ComponentsById& components) {
  const auto read_head = [](Row& row) {
    OfComponent<domain::Upstream> read{row.integer("component_id"), {}};
    read.second.github = row.text("github");
    read.second.tag = row.text("tag");
    read.second.version = row.optional_version("version");
    const auto suffix = row.optional_text("signature_suffix");
    const std::string key = row.text("signature_key");
    if (suffix) read.second.signature = {*suffix, key};
    return read;
  };
  Records heads(database, read_head, "FROM component_upstreams");
  while (auto head = heads.next()) components.at(head->first).upstream = std::move(head->second);

  const auto read_file = [](Row& row) {
    return OfComponent<std::string>{row.integer("component_id"), row.text("pattern")};
  };
  Records files(database, read_file,
                "FROM component_upstream_files ORDER BY component_id, position");
  while (auto file = files.next()) {
    domain::Upstream& upstream = components.at(file->first).upstream;
    (upstream.github.empty() ? upstream.urls : upstream.assets).push_back(std::move(file->second));
  }

  struct Pin {
    std::int64_t component_id = 0;
    domain::Version version;
    std::string sha256;
  };
  const auto read_pin = [](Row& row) {
    return Pin{row.integer("component_id"), row.version("version"), row.text("sha256")};
  };
  Records pins(database, read_pin,
               "FROM component_upstream_pins ORDER BY component_id, version, position");
  while (auto pin = pins.next()) {
    components.at(pin->component_id).upstream.sha256[pin->version].push_back(pin->sha256);
  }
}

void insert_upstream(Database& database, std::int64_t component_id,
                     const domain::Upstream& upstream) {
  if (upstream.empty()) return;
  const domain::Signature signature = upstream.signature.value_or(domain::Signature{});
  database.execute(
      "INSERT INTO component_upstreams"
      " (component_id, github, tag, version, signature_suffix, signature_key)"
      " VALUES (?, ?, ?, ?, ?, ?)",
      {component_id, upstream.github, upstream.tag, text_or_empty(upstream.version),
       signature.suffix, signature.key});
  std::vector<Parameter> values;
  std::int64_t position = 0;
  for (const std::string& pattern : upstream.github.empty() ? upstream.urls : upstream.assets) {
    values.insert(values.end(), {component_id, position++, pattern});
  }
  insert_rows(database,
              "INSERT INTO component_upstream_files (component_id, position, pattern) VALUES", 3,
              values);
  values.clear();
  for (const auto& [version, digests] : upstream.sha256) {
    position = 0;
    for (const std::string& digest : digests) {
      values.insert(values.end(), {component_id, version, position++, digest});
    }
  }
  insert_rows(
      database,
      "INSERT INTO component_upstream_pins (component_id, version, position, sha256) VALUES", 4,
      values);
}

void insert_sources(Database& database, std::int64_t version_id,
                    const std::vector<domain::Source>& sources) {
  std::vector<Parameter> values;
  std::int64_t position = 0;
  for (const domain::Source& source : sources) {
    values.insert(values.end(),
                  {version_id, position++, source.url, static_cast<std::int64_t>(source.size),
                   source.sha256, source.stamp});
  }
  insert_rows(
      database,
      "INSERT INTO component_sources (version_id, position, url, size, sha256, stamp) VALUES", 6,
      values);
}

}  // namespace goldsmith::db
