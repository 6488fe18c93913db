#include "db/bulk_insert.hpp"
#include "db/component_rows.hpp"
#include "db/typed_rows.hpp"

namespace goldsmith::db {

void load_upstreams(Database& database, ComponentsById& components) {
  const auto heads = database.query(
      "SELECT component_id, github, tag, version, signature_suffix, signature_key"
      " FROM component_upstreams");
  while (heads->next()) {
    domain::Upstream& upstream = components.at(heads->integer(1)).upstream;
    upstream.github = heads->text(2);
    upstream.tag = heads->text(3);
    upstream.version = read_optional_version(*heads, 4);
    if (const auto suffix = read_optional_text(*heads, 5)) {
      upstream.signature = {*suffix, heads->text(6)};
    }
  }
  const auto files = database.query(
      "SELECT component_id, pattern FROM component_upstream_files ORDER BY component_id, position");
  while (files->next()) {
    domain::Upstream& upstream = components.at(files->integer(1)).upstream;
    (upstream.github.empty() ? upstream.urls : upstream.assets).push_back(files->text(2));
  }
  const auto pins = database.query(
      "SELECT component_id, version, sha256 FROM component_upstream_pins"
      " ORDER BY component_id, version, position");
  while (pins->next()) {
    components.at(pins->integer(1))
        .upstream.sha256[read_version(*pins, 2)]
        .push_back(pins->text(3));
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
