#include "db/component_store.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "db/component_rows.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"

namespace goldsmith::db {
namespace {

[[noreturn]] void refuse(const domain::Slug& slug, const std::string& why) {
  throw Error(Error::Kind::constraint, "component " + slug + ": " + why);
}

void check_all(const std::vector<domain::Component>& components) {
  std::vector<domain::Slug> slugs;
  slugs.reserve(components.size());
  for (const domain::Component& component : components) {
    slugs.push_back(component.slug);
  }
  std::sort(slugs.begin(), slugs.end());
  const auto twice = std::adjacent_find(slugs.begin(), slugs.end());
  if (twice != slugs.end()) refuse(*twice, "it is named twice");
}

void check_rules(const domain::Component& component, const ComponentIds& ids) {
  for (const domain::Rule& rule : component.rules) {
    if (ids.contains(rule.component)) continue;
    refuse(component.slug, fmt::format("its rule \"{}\" names the component \"{}\", which is "
                                       "neither known nor part of this import",
                                       domain::to_string(rule.kind), rule.component.view()));
  }
}

// Everything that a manifest says.
bool same(const domain::Component& stored, domain::Component wanted) {
  wanted.versions = stored.versions;
  return wanted == stored;
}

std::vector<ImportChange> import_all(Database& database,
                                     const std::vector<domain::Component>& components) {
  const auto stored = load_components(database);
  ComponentIds ids;
  for (const auto& [id, component] : stored) ids.emplace(component.slug, id);

  // All rows before their rules: a rule may name a component that comes later.
  std::vector<ImportChange> changes;
  for (const domain::Component& component : components) {
    const auto known = ids.find(component.slug);
    if (known == ids.end()) {
      ids.emplace(component.slug, insert_component(database, component));
      changes.push_back(ImportChange::created);
    } else if (same(stored.at(known->second), component)) {
      changes.push_back(ImportChange::unchanged);
    } else {
      update_component(database, known->second, component);
      changes.push_back(ImportChange::updated);
    }
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (changes[i] == ImportChange::unchanged) continue;
    check_rules(components[i], ids);
    replace_details(database, ids.at(components[i].slug), components[i], ids);
  }
  return changes;
}

// Apart from what is known of its content.
bool same_file(const domain::ManifestFile& left, const domain::ManifestFile& right) {
  return std::tie(left.path, left.size, left.executable) ==
         std::tie(right.path, right.size, right.executable);
}

void check_version(const domain::Slug& slug, const domain::ComponentVersion& version) {
  const auto same_path = [](const auto& left, const auto& right) {
    return left.path == right.path;
  };
  const auto twice = std::adjacent_find(version.files.begin(), version.files.end(), same_path);
  if (twice != version.files.end()) {
    refuse(slug, "version " + version.version + " has the path " + twice->path + " twice");
  }
}

// The file of the version is about to be superseded, unless it has the digest `keep`.
void note_superseded(Database& database, const VersionName& name, const std::string& keep) {
  database.execute(
      "INSERT INTO superseded_files (slug, version, digest, superseded_at)"
      " SELECT c.slug, v.version, v.digest, UTC_TIMESTAMP() FROM component_versions v"
      " JOIN components c ON c.id = v.component_id"
      " WHERE c.slug = ? AND v.version = ? AND v.digest <> ?"
      " ON DUPLICATE KEY UPDATE superseded_at = UTC_TIMESTAMP()",
      {name.slug, name.version, keep});
}

// `table` lists something of each version, and is t in `columns`.
std::unique_ptr<Rows> rows_of_version(Database& database, std::string_view columns,
                                      std::string_view table, const domain::Slug& slug,
                                      const domain::Version& version) {
  const std::string sql = fmt::format(
      "SELECT {} FROM components c JOIN component_versions v ON v.component_id = c.id"
      " JOIN {} t ON t.version_id = v.id"
      " WHERE c.slug = ? AND v.version = ? ORDER BY t.position",
      columns, table);
  return database.query(sql, {slug, version});
}

// Columns path, size, executable and sha256, from `first` on.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  if (text.empty()) return words;
  for (const std::string_view word : base::split(text, ' ')) words.emplace_back(word);
  return words;
}

domain::ManifestFile read_manifest_file(const Rows& rows, unsigned first) {
  return {rows.text(first), static_cast<std::uint64_t>(rows.integer(first + 1)),
          rows.integer(first + 2) != 0, rows.text(first + 3)};
}

std::vector<VersionName> versions_with_a_file(Database& database, const std::string& condition,
                                              const std::vector<Parameter>& params) {
  std::vector<VersionName> names;
  const auto rows = database.query(
      "SELECT c.slug, v.version FROM component_versions v"
      " JOIN components c ON c.id = v.component_id"
      " WHERE EXISTS (SELECT 1 FROM component_files f WHERE f.version_id = v.id AND " +
          condition + ") ORDER BY c.slug, v.id",
      params);
  while (rows->next()) names.push_back({read_slug(*rows, 1), read_version(*rows, 2)});
  return names;
}

}  // namespace

domain::Catalog ComponentStore::load_catalog() {
  std::vector<domain::Component> components;
  database_.read([&] {
    for (auto& [id, component] : load_components(database_)) {
      components.push_back(std::move(component));
    }
  });
  return domain::Catalog(std::move(components));
}

void ComponentStore::each_game_file(
    const std::function<void(std::string_view path, const domain::Slug& slug,
                             const std::string& name)>& visit) {
  const auto rows = database_.query(
      "SELECT DISTINCT c.sort_order, c.slug, c.name, f.path FROM components c"
      " JOIN component_versions v ON v.component_id = c.id"
      " JOIN component_files f ON f.version_id = v.id"
      " WHERE f.path LIKE 'cstrike/%' ORDER BY c.sort_order, c.slug");
  while (rows->next()) visit(rows->text(4), read_slug(*rows, 2), rows->text(3));
}

std::vector<domain::ManifestFile> ComponentStore::load_files(const domain::Slug& slug,
                                                             const domain::Version& version) {
  std::vector<domain::ManifestFile> files;
  const auto rows = rows_of_version(database_, "t.path, t.size, t.executable, t.sha256, t.natives",
                                    "component_files", slug, version);
  while (rows->next()) {
    files.push_back(read_manifest_file(*rows, 1));
    if (!rows->is_null(5)) files.back().natives = words_of(rows->text(5));
  }
  return files;
}

domain::VersionFiles ComponentStore::load_all_files(std::string_view ending) {
  const auto rows = database_.query(
      "SELECT c.slug, v.version, v.id, f.path, f.size, f.executable, f.sha256 FROM components c"
      " JOIN component_versions v ON v.component_id = c.id"
      " JOIN component_files f ON f.version_id = v.id"
      " WHERE RIGHT(f.path, CHAR_LENGTH(?)) = ? ORDER BY v.id, f.position",
      {ending, ending});
  domain::VersionFiles files;
  std::vector<domain::ManifestFile>* current = nullptr;
  std::int64_t id = 0;
  while (rows->next()) {
    if (current == nullptr || rows->integer(3) != id) {
      current = &files[{read_slug(*rows, 1), read_version(*rows, 2)}];
      id = rows->integer(3);
    }
    current->push_back(read_manifest_file(*rows, 4));
  }
  return files;
}

std::map<domain::Slug, std::vector<domain::ManifestFile>, std::less<>>
ComponentStore::load_files_below(const std::vector<VersionName>& names, std::string_view folder) {
  std::map<domain::Slug, std::vector<domain::ManifestFile>, std::less<>> files;
  if (names.empty()) return files;
  std::string sql =
      "SELECT c.slug, f.path, f.size, f.executable, f.sha256, f.natives"
      " FROM components c JOIN component_versions v ON v.component_id = c.id"
      " JOIN component_files f ON f.version_id = v.id"
      " WHERE LEFT(f.path, CHAR_LENGTH(?)) = ? AND (c.slug, v.version) IN (";
  std::vector<Parameter> params{folder, folder};
  for (const VersionName& name : names) {
    sql += params.size() > 2 ? ", (?, ?)" : "(?, ?)";
    params.emplace_back(name.slug);
    params.emplace_back(name.version);
  }
  const auto rows = database_.query(sql + ") ORDER BY c.slug, f.position", params);
  while (rows->next()) {
    auto& of_component = files[read_slug(*rows, 1)];
    of_component.push_back(read_manifest_file(*rows, 2));
    if (!rows->is_null(6)) of_component.back().natives = words_of(rows->text(6));
  }
  return files;
}

std::vector<domain::Source> ComponentStore::load_sources(const domain::Slug& slug,
                                                         const domain::Version& version) {
  std::vector<domain::Source> sources;
  const auto rows = rows_of_version(database_, "t.url, t.size, t.sha256, t.stamp",
                                    "component_sources", slug, version);
  while (rows->next()) {
    sources.push_back({rows->text(1), static_cast<std::uint64_t>(rows->integer(2)), rows->text(3),
                       rows->text(4)});
  }
  return sources;
}

std::map<domain::Version, std::string, std::less<>> ComponentStore::load_notes(
    const domain::Slug& slug) {
  std::map<domain::Version, std::string, std::less<>> notes;
  const auto rows = database_.query(
      "SELECT v.version, v.notes FROM component_versions v JOIN components c ON c.id = "
      "v.component_id"
      " WHERE c.slug = ? AND v.notes IS NOT NULL",
      {slug});
  while (rows->next()) notes.emplace(read_version(*rows, 1), rows->text(2));
  return notes;
}

std::vector<domain::FileOrigin> ComponentStore::load_origins(const domain::Slug& slug,
                                                             const domain::Version& version) {
  std::vector<domain::FileOrigin> origins;
  const auto rows =
      rows_of_version(database_, "t.source, t.source_path", "component_files", slug, version);
  while (rows->next()) {
    if (rows->is_null(1)) return {};
    origins.push_back({static_cast<std::size_t>(rows->integer(1)), rows->text(2)});
  }
  return origins;
}

std::vector<ImportChange> ComponentStore::import(const std::vector<domain::Component>& components) {
  check_all(components);
  std::vector<ImportChange> changes;
  change(database_, [&] {
    changes = import_all(database_, components);
    return std::any_of(changes.begin(), changes.end(),
                       [](ImportChange each) { return each != ImportChange::unchanged; });
  });
  return changes;
}

bool ComponentStore::put_version(const domain::Slug& slug,
                                 const domain::ComponentVersion& version) {
  const auto by_path = [](const auto& left, const auto& right) { return left.path < right.path; };
  domain::ComponentVersion sorted = version;
  if (version.origins.empty()) {
    std::sort(sorted.files.begin(), sorted.files.end(), by_path);
  } else if (version.origins.size() != version.files.size() ||
             !std::is_sorted(version.files.begin(), version.files.end(), by_path)) {
    throw std::invalid_argument("the origins of the files are not those of files by path");
  }
  check_version(slug, sorted);
  bool known = false;
  change(database_, [&] {
    const std::int64_t id = find_component_id(database_, slug);
    known = id != 0;
    if (known) {
      note_superseded(database_, {slug, sorted.version}, sorted.digest);
      replace_version(database_, id, sorted);
    }
    return known;
  });
  return known;
}

bool ComponentStore::record_contents(const VersionName& name,
                                     const std::vector<domain::ManifestFile>& files) {
  std::vector<std::optional<std::string>> natives;  // parameters refer to them
  for (const domain::ManifestFile& file : files) {
    natives.push_back(file.natives ? std::optional(base::join(*file.natives, " ")) : std::nullopt);
  }
  bool is_same = false;
  change(database_, [&] {
    const std::vector<domain::ManifestFile> recorded = load_files(name.slug, name.version);
    is_same = std::equal(recorded.begin(), recorded.end(), files.begin(), files.end(), same_file);
    std::uint64_t changed = 0;
    for (std::size_t i = 0; is_same && i < files.size(); ++i) {
      changed += database_.execute(
          "UPDATE component_files f JOIN component_versions v ON v.id = f.version_id"
          " JOIN components c ON c.id = v.component_id SET f.sha256 = ?,"
          " f.natives = COALESCE(?, f.natives)"
          " WHERE c.slug = ? AND v.version = ? AND f.position = ?",
          {files[i].sha256, natives[i] ? Parameter(*natives[i]) : nullptr, name.slug, name.version,
           static_cast<std::int64_t>(i)});
    }
    return changed > 0;
  });
  return is_same;
}

std::vector<VersionName> ComponentStore::without_natives() {
  return versions_with_a_file(
      database_, "f.natives IS NULL AND (f.path = ? OR f.path REGEXP ?)",
      {domain::kAmxModXFile,
       "^cstrike/addons/amxmodx/(modules/[^/]+_amxx_i386[.]so|scripting/include/.+[.]inc)$"});
}

void ComponentStore::each_include(
    const std::function<void(const VersionName& name, std::string_view path,
                             const std::vector<std::string>& names)>& visit) {
  const auto rows = database_.query(
      "SELECT c.slug, v.version, f.path, f.natives FROM components c"
      " JOIN component_versions v ON v.component_id = c.id"
      " JOIN component_files f ON f.version_id = v.id"
      " WHERE f.natives IS NOT NULL AND f.path LIKE ? ORDER BY c.slug, v.id, f.position",
      {"cstrike/addons/amxmodx/scripting/include/%.inc"});
  while (rows->next()) {
    visit({read_slug(*rows, 1), read_version(*rows, 2)}, rows->text(3), words_of(rows->text(4)));
  }
}

bool ComponentStore::hold(const VersionName& name, const std::optional<domain::Hold>& hold) {
  return set_hold(name, hold, false);
}

bool ComponentStore::release(const VersionName& name) { return set_hold(name, std::nullopt, true); }

bool ComponentStore::set_hold(const VersionName& name, const std::optional<domain::Hold>& hold,
                              bool is_released) {
  bool is_known = false;
  change(database_, [&] {
    const auto rows = database_.query(
        "SELECT v.id FROM component_versions v JOIN components c ON c.id = v.component_id"
        " WHERE c.slug = ? AND v.version = ?",
        {name.slug, name.version});
    is_known = rows->next();
    if (!is_known) return false;
    return database_.execute(
               "UPDATE component_versions SET held_reason = ?, held_at = ?,"
               " is_released = (? OR (is_released AND ?)) WHERE id = ?",
               {hold ? Parameter(hold->reason) : nullptr, hold ? Parameter(hold->at) : nullptr,
                is_released, !hold, rows->integer(1)}) > 0;
  });
  return is_known;
}

void ComponentStore::remove_versions(const std::vector<VersionName>& versions) {
  change(database_, [&] {
    std::uint64_t removed = 0;
    for (const auto& [slug, version] : versions) {
      note_superseded(database_, {slug, version}, "");
      removed += database_.execute(
          "DELETE v FROM component_versions v JOIN components c ON c.id = v.component_id"
          " WHERE c.slug = ? AND v.version = ?",
          {slug, version});
    }
    return removed > 0;
  });
}

std::vector<SupersededFile> ComponentStore::superseded(std::chrono::seconds age) {
  std::vector<SupersededFile> files;
  const auto rows = database_.query(
      "SELECT s.slug, s.version, s.digest FROM superseded_files s"
      " WHERE s.superseded_at <= UTC_TIMESTAMP() - INTERVAL ? SECOND AND NOT EXISTS"
      " (SELECT 1 FROM component_versions v JOIN components c ON c.id = v.component_id"
      "  WHERE c.slug = s.slug AND v.version = s.version AND v.digest = s.digest)"
      " ORDER BY s.slug, s.version, s.digest",
      {std::int64_t{age.count()}});
  while (rows->next()) {
    files.push_back({read_slug(*rows, 1), read_version(*rows, 2), rows->text(3)});
  }
  return files;
}

void ComponentStore::forget_superseded(std::chrono::seconds age) {
  database_.execute(
      "DELETE FROM superseded_files WHERE superseded_at <= UTC_TIMESTAMP() - INTERVAL ? SECOND",
      {std::int64_t{age.count()}});
}

}  // namespace goldsmith::db
