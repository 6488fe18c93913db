#include "db/component_store.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "db/component_rows.hpp"
#include "db/database.hpp"
#include "db/migrations.hpp"
#include "db/records.hpp"

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

// What `read` makes of what the table `t` lists of a version.
template <class Read>
auto of_version(Database& database, Read read, std::string_view table, const domain::Slug& slug,
                const domain::Version& version) {
  return Records(database, read,
                 fmt::format("FROM components c JOIN component_versions v ON v.component_id = c.id"
                             " JOIN {} t ON t.version_id = v.id"
                             " WHERE c.slug = ? AND v.version = ? ORDER BY t.position",
                             table),
                 {slug, version})
      .all();
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  if (text.empty()) return words;
  for (const std::string_view word : base::split(text, ' ')) words.emplace_back(word);
  return words;
}

// Of component_files, which is t.
domain::ManifestFile read_manifest_file(Row& row) {
  return {row.text("t.path"), row.size("t.size"), row.flag("t.executable"), row.text("t.sha256")};
}

domain::ManifestFile read_file_with_natives(Row& row) {
  domain::ManifestFile file = read_manifest_file(row);
  if (const auto natives = row.nullable_text("t.natives")) file.natives = words_of(*natives);
  return file;
}

VersionName read_version_name(Row& row) { return {row.slug("c.slug"), row.version("v.version")}; }

std::vector<VersionName> versions_with_a_file(Database& database, const std::string& condition,
                                              const std::vector<Parameter>& params) {
  return Records(database, read_version_name,
                 "FROM component_versions v JOIN components c ON c.id = v.component_id"
                 " WHERE EXISTS (SELECT 1 FROM component_files f WHERE f.version_id = v.id AND " +
                     condition + ") ORDER BY c.slug, v.id",
                 params)
      .all();
}

}  // namespace

domain::Catalog ComponentStore::load_catalog() {
  std::vector<domain::Component> components;
  database_.read([&] {
    components.clear();
    for (auto& [id, component] : load_components(database_)) {
      components.push_back(std::move(component));
    }
  });
  return domain::Catalog(std::move(components));
}

void ComponentStore::each_game_file(
    const std::function<void(std::string_view path, const domain::Slug& slug,
                             const std::string& name)>& visit) {
  struct GameFile {
    std::int64_t order = 0;
    domain::Slug slug;
    std::string name;
    std::string path;
  };
  const auto read = [](Row& row) {
    return GameFile{row.integer("DISTINCT c.sort_order"), row.slug("c.slug"), row.text("c.name"),
                    row.text("f.path")};
  };
  Records rows(database_, read,
               "FROM components c JOIN component_versions v ON v.component_id = c.id"
               " JOIN component_files f ON f.version_id = v.id"
               " WHERE f.path LIKE 'cstrike/%' ORDER BY c.sort_order, c.slug");
  while (const auto file = rows.next()) visit(file->path, file->slug, file->name);
}

std::vector<domain::ManifestFile> ComponentStore::load_files(const domain::Slug& slug,
                                                             const domain::Version& version) {
  return of_version(database_, read_file_with_natives, "component_files", slug, version);
}

domain::VersionFiles ComponentStore::load_all_files(std::string_view ending) {
  struct Read {
    std::int64_t id = 0;
    VersionName name;
    domain::ManifestFile file;
  };
  const auto read = [](Row& row) {
    return Read{row.integer("v.id"), read_version_name(row), read_manifest_file(row)};
  };
  Records rows(database_, read,
               "FROM components c JOIN component_versions v ON v.component_id = c.id"
               " JOIN component_files t ON t.version_id = v.id"
               " WHERE RIGHT(t.path, CHAR_LENGTH(?)) = ? ORDER BY v.id, t.position",
               {ending, ending});
  domain::VersionFiles files;
  std::vector<domain::ManifestFile>* current = nullptr;
  std::int64_t id = 0;
  while (auto row = rows.next()) {
    if (current == nullptr || row->id != id) {
      current = &files[{row->name.slug, row->name.version}];
      id = row->id;
    }
    current->push_back(std::move(row->file));
  }
  return files;
}

std::map<domain::Slug, std::vector<domain::ManifestFile>, std::less<>>
ComponentStore::load_files_below(const std::vector<VersionName>& names, std::string_view folder) {
  std::map<domain::Slug, std::vector<domain::ManifestFile>, std::less<>> files;
  if (names.empty()) return files;
  std::string rest =
      "FROM components c JOIN component_versions v ON v.component_id = c.id"
      " JOIN component_files t ON t.version_id = v.id"
      " WHERE LEFT(t.path, CHAR_LENGTH(?)) = ? AND (c.slug, v.version) IN (";
  std::vector<Parameter> params{folder, folder};
  for (const VersionName& name : names) {
    rest += params.size() > 2 ? ", (?, ?)" : "(?, ?)";
    params.emplace_back(name.slug);
    params.emplace_back(name.version);
  }
  const auto read = [](Row& row) {
    return std::pair{row.slug("c.slug"), read_file_with_natives(row)};
  };
  Records rows(database_, read, rest + ") ORDER BY c.slug, t.position", params);
  while (auto row = rows.next()) files[row->first].push_back(std::move(row->second));
  return files;
}

std::vector<domain::Source> ComponentStore::load_sources(const domain::Slug& slug,
                                                         const domain::Version& version) {
  const auto read = [](Row& row) {
    return domain::Source{row.text("t.url"), row.size("t.size"), row.text("t.sha256"),
                          row.text("t.stamp")};
  };
  return of_version(database_, read, "component_sources", slug, version);
}

std::map<domain::Version, std::string, std::less<>> ComponentStore::load_notes(
    const domain::Slug& slug) {
  const auto read = [](Row& row) {
    return std::pair{row.version("v.version"), row.text("v.notes")};
  };
  return Records(database_, read,
                 "FROM component_versions v JOIN components c ON c.id = v.component_id"
                 " WHERE c.slug = ? AND v.notes IS NOT NULL",
                 {slug})
      .all<std::map<domain::Version, std::string, std::less<>>>();
}

std::vector<domain::FileOrigin> ComponentStore::load_origins(const domain::Slug& slug,
                                                             const domain::Version& version) {
  const auto read = [](Row& row) {
    const auto source = row.nullable_integer("t.source");
    std::string path = row.text("t.source_path");
    return source ? std::optional(domain::FileOrigin{static_cast<std::size_t>(*source), path})
                  : std::nullopt;
  };
  std::vector<domain::FileOrigin> origins;
  for (auto& origin : of_version(database_, read, "component_files", slug, version)) {
    if (!origin) return {};
    origins.push_back(std::move(*origin));
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
  struct Include {
    VersionName name;
    std::string path;
    std::vector<std::string> natives;
  };
  const auto read = [](Row& row) {
    return Include{read_version_name(row), row.text("f.path"), words_of(row.text("f.natives"))};
  };
  Records rows(database_, read,
               "FROM components c JOIN component_versions v ON v.component_id = c.id"
               " JOIN component_files f ON f.version_id = v.id"
               " WHERE f.natives IS NOT NULL AND f.path LIKE ? ORDER BY c.slug, v.id, f.position",
               {"cstrike/addons/amxmodx/scripting/include/%.inc"});
  while (const auto include = rows.next()) visit(include->name, include->path, include->natives);
}

bool ComponentStore::hold(const VersionName& name, const domain::Hold& hold) {
  return set_hold(name, hold, false);
}

bool ComponentStore::settle(const VersionName& name, const std::optional<domain::Hold>& hold) {
  return set_hold(name, hold, false, true);
}

bool ComponentStore::release(const VersionName& name) { return set_hold(name, std::nullopt, true); }

bool ComponentStore::set_hold(const VersionName& name, const std::optional<domain::Hold>& hold,
                              bool is_released, bool is_of_trial) {
  const auto unstarted = domain::to_string(domain::HoldKind::unstarted);
  bool is_known = false;
  change(database_, [&] {
    const auto rows = database_.query(
        "SELECT v.id, COALESCE(v.held_kind, '') FROM component_versions v"
        " JOIN components c ON c.id = v.component_id"
        " WHERE c.slug = ? AND v.version = ? FOR UPDATE",
        {name.slug, name.version});
    is_known = rows->next() && (!is_of_trial || rows->text(2) == unstarted);
    if (!is_known) return false;
    return database_.execute(
               "UPDATE component_versions SET held_reason = ?, held_at = ?, held_kind = ?,"
               " is_released = (? OR (is_released AND ?)) WHERE id = ?",
               {hold ? Parameter(hold->reason) : nullptr, hold ? Parameter(hold->at) : nullptr,
                hold ? Parameter(domain::to_string(hold->kind)) : nullptr, is_released, !hold,
                rows->integer(1)}) > 0;
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
  const auto read = [](Row& row) {
    return SupersededFile{row.slug("s.slug"), row.version("s.version"), row.text("s.digest")};
  };
  return Records(database_, read,
                 "FROM superseded_files s"
                 " WHERE s.superseded_at <= UTC_TIMESTAMP() - INTERVAL ? SECOND AND NOT EXISTS"
                 " (SELECT 1 FROM component_versions v JOIN components c ON c.id = v.component_id"
                 "  WHERE c.slug = s.slug AND v.version = s.version AND v.digest = s.digest)"
                 " ORDER BY s.slug, s.version, s.digest",
                 {std::int64_t{age.count()}})
      .all();
}

void ComponentStore::forget_superseded(std::chrono::seconds age) {
  database_.execute(
      "DELETE FROM superseded_files WHERE superseded_at <= UTC_TIMESTAMP() - INTERVAL ? SECOND",
      {std::int64_t{age.count()}});
}

}  // namespace goldsmith::db
