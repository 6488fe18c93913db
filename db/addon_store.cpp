#include "db/addon_store.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "db/database.hpp"
#include "db/migrations.hpp"
#include "db/plugin_rows.hpp"

namespace goldsmith::db {

namespace {

// Columns of addon_packs, which is a. The plugin count includes unpublished ones (decision P2).
constexpr std::string_view kPackColumns =
    "a.slug, a.name, a.description,"
    " (SELECT COUNT(*) FROM addon_pack_plugins x WHERE x.pack_id = a.id), a.downloads,"
    " a.created_at, a.id, a.status, a.server";

domain::AddonSummary read_pack_summary(const Rows& rows) {
  return {read_slug(rows, 1),      rows.text(2), rows.text(3), rows.integer(4), rows.integer(5),
          read_timestamp(rows, 6), rows.text(9)};
}

std::string select_packs(std::string_view rest) {
  std::string sql = "SELECT ";
  sql += kPackColumns;
  sql += " FROM addon_packs a ";
  return sql += rest;
}

struct StoredPack {
  std::int64_t id = 0;
  domain::AddonPack pack;
};

StoredPack read_pack(const Rows& rows) {
  StoredPack stored;
  stored.pack.slug = read_slug(rows, 1);
  stored.pack.name = rows.text(2);
  stored.pack.description = rows.text(3);
  stored.pack.downloads = rows.integer(5);
  stored.pack.created_at = read_timestamp(rows, 6);
  stored.id = rows.integer(7);
  stored.pack.status = read_status(rows, 8);
  stored.pack.server = rows.text(9);
  return stored;
}

std::vector<domain::Slug> load_plugin_slugs(Database& database, std::int64_t pack_id) {
  std::vector<domain::Slug> slugs;
  const auto rows = database.query(
      "SELECT p.slug FROM addon_pack_plugins x JOIN plugins p ON p.id = x.plugin_id"
      " WHERE x.pack_id = ? ORDER BY x.position",
      {pack_id});
  while (rows->next()) slugs.push_back(read_slug(*rows, 1));
  return slugs;
}

std::optional<StoredPack> load_pack(Database& database, const domain::Slug& slug) {
  const auto rows = database.query(select_packs("WHERE a.slug = ?"), {slug});
  if (!rows->next()) return std::nullopt;
  StoredPack stored = read_pack(*rows);
  stored.pack.plugins = load_plugin_slugs(database, stored.id);
  return stored;
}

std::vector<domain::AddonPack> load_packs(Database& database, std::string_view rest,
                                          std::initializer_list<Parameter> params = {}) {
  std::vector<domain::AddonPack> packs;
  const auto rows = database.query(select_packs(rest), params);
  while (rows->next()) {
    StoredPack stored = read_pack(*rows);
    stored.pack.plugins = load_plugin_slugs(database, stored.id);
    packs.push_back(std::move(stored.pack));
  }
  return packs;
}

[[noreturn]] void refuse(const domain::AddonPack& pack, const std::string& why) {
  throw Error(Error::Kind::constraint, "addon pack " + pack.slug + ": " + why);
}

// In curation order. Throws for an unknown and for a duplicate plugin.
std::vector<std::int64_t> find_plugin_ids(Database& database, const domain::AddonPack& pack) {
  std::vector<std::int64_t> ids;
  for (const domain::Slug& slug : pack.plugins) {
    const std::int64_t id = find_plugin_id(database, slug);
    if (id == 0) refuse(pack, "there is no plugin \"" + slug + "\"; import it first");
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
      refuse(pack, "plugin " + slug + " is named twice");
    }
    ids.push_back(id);
  }
  return ids;
}

std::int64_t insert_pack(Database& database, const domain::AddonPack& pack) {
  database.execute(
      "INSERT INTO addon_packs (slug, name, description, status, downloads, created_at, server)"
      " VALUES (?, ?, ?, ?, ?, COALESCE(?, UTC_TIMESTAMP()), ?)",
      {pack.slug, pack.name, pack.description, domain::to_string(pack.status), pack.downloads,
       nullable(pack.created_at), pack.server});
  return database.last_insert_id();
}

// All but the counter, which the importer sets at creation alone.
void update_pack(Database& database, std::int64_t id, const domain::AddonPack& pack) {
  database.execute(
      "UPDATE addon_packs SET name = ?, description = ?, status = ?, created_at = ?, server = ?"
      " WHERE id = ?",
      {pack.name, pack.description, domain::to_string(pack.status), nullable(pack.created_at),
       pack.server, id});
  database.execute("DELETE FROM addon_pack_plugins WHERE pack_id = ?", {id});
}

bool same(const domain::AddonPack& left, const domain::AddonPack& right) {
  const auto fields = [](const domain::AddonPack& pack) {
    return std::tie(pack.name, pack.description, pack.status, pack.created_at, pack.plugins,
                    pack.server);
  };
  return fields(left) == fields(right);
}

void insert_plugins(Database& database, std::int64_t pack_id,
                    const std::vector<std::int64_t>& plugin_ids) {
  std::vector<Parameter> values;
  std::int64_t position = 0;
  for (const std::int64_t plugin_id : plugin_ids) {
    values.insert(values.end(), {pack_id, position++, plugin_id});
  }
  insert_rows(database, "INSERT INTO addon_pack_plugins (pack_id, position, plugin_id) VALUES", 3,
              values);
}

}  // namespace

AddonPage AddonStore::list(std::int64_t offset, std::int64_t limit) {
  AddonPage page;
  database_.read([&] {
    const auto count =
        database_.query("SELECT COUNT(*) FROM addon_packs WHERE status = 'published'");
    if (count->next()) page.total = count->integer(1);
    if (offset >= page.total) return;
    const auto rows = database_.query(
        // MySQL would read and sort them all.
        select_packs("FORCE INDEX (addon_packs_listed) WHERE a.status = 'published' ORDER BY "
                     "a.downloads DESC, a.slug"
                     " LIMIT ? OFFSET ?"),
        {limit, offset});
    while (rows->next()) page.addons.push_back(read_pack_summary(*rows));
  });
  return page;
}

std::optional<domain::AddonDetail> AddonStore::find(const domain::Slug& slug) {
  std::optional<domain::AddonDetail> detail;
  const std::string plugins_sql =
      select_summaries() +
      " JOIN addon_pack_plugins x ON x.plugin_id = p.id"
      " WHERE x.pack_id = ? AND p.status = 'published' ORDER BY x.position";
  database_.read([&] {
    const auto pack =
        database_.query(select_packs("WHERE a.slug = ? AND a.status = 'published'"), {slug});
    if (!pack->next()) return;
    detail = domain::AddonDetail{read_pack_summary(*pack), {}};
    const auto rows = database_.query(plugins_sql, {pack->integer(7)});
    while (rows->next()) detail->plugins.push_back(read_summary(*rows));
  });
  return detail;
}

std::vector<domain::AddonPack> AddonStore::list_all() {
  std::vector<domain::AddonPack> packs;
  database_.read([&] { packs = load_packs(database_, "ORDER BY a.slug"); });
  return packs;
}

std::vector<domain::AddonPack> AddonStore::presets(std::int64_t limit) {
  std::vector<domain::AddonPack> packs;
  database_.read([&] {
    packs = load_packs(
        database_,
        "FORCE INDEX (addon_packs_listed) WHERE a.status = 'published' AND a.server <> ''"
        " AND NOT EXISTS (SELECT 1 FROM addon_pack_plugins x JOIN plugins p ON p.id = x.plugin_id"
        " WHERE x.pack_id = a.id AND (p.status <> 'published' OR p.latest_version = ''))"
        " ORDER BY a.downloads DESC, a.slug LIMIT ?",
        {limit});
  });
  return packs;
}

ImportChange AddonStore::import(const domain::AddonPack& wanted) {
  ImportChange outcome = ImportChange::unchanged;
  change(database_, [&] {
    domain::AddonPack pack = wanted;
    const std::vector<std::int64_t> plugin_ids = find_plugin_ids(database_, pack);
    const auto stored = load_pack(database_, pack.slug);
    if (!stored) {
      insert_plugins(database_, insert_pack(database_, pack), plugin_ids);
      outcome = ImportChange::created;
      return true;
    }
    if (!pack.created_at) pack.created_at = stored->pack.created_at;
    if (same(stored->pack, pack)) return false;
    update_pack(database_, stored->id, pack);
    insert_plugins(database_, stored->id, plugin_ids);
    outcome = ImportChange::updated;
    return true;
  });
  return outcome;
}

bool AddonStore::set_status(const domain::Slug& slug, domain::Status status) {
  bool found = false;
  change(database_, [&] {
    const auto rows = database_.query("SELECT id FROM addon_packs WHERE slug = ?", {slug});
    found = rows->next();
    return found && database_.execute("UPDATE addon_packs SET status = ? WHERE id = ?",
                                      {domain::to_string(status), rows->integer(1)}) > 0;
  });
  return found;
}

bool AddonStore::remove(const domain::Slug& slug) {
  bool removed = false;
  change(database_, [&] {
    removed = database_.execute("DELETE FROM addon_packs WHERE slug = ?", {slug}) > 0;
    return removed;
  });
  return removed;
}

std::set<std::string> public_names(Database& database) {
  std::set<std::string> names;
  const auto rows = database.query(
      "SELECT CONCAT('key ', sha256) FROM api_keys WHERE NOT disabled"
      " UNION ALL SELECT CONCAT('plugin ', slug) FROM plugins WHERE status = 'published'"
      " UNION ALL SELECT CONCAT('plugin ', p.slug, ' ', v.version)"
      " FROM plugin_versions v JOIN plugins p ON p.id = v.plugin_id WHERE v.status = 'published'"
      " UNION ALL SELECT CONCAT('pack ', slug) FROM addon_packs WHERE status = 'published'"
      " UNION ALL SELECT CONCAT('component ', c.slug, ' ', v.version)"
      " FROM component_versions v JOIN components c ON c.id = v.component_id"
      " UNION ALL SELECT CONCAT('offered ', c.slug, ' ', v.version)"
      " FROM component_versions v JOIN components c ON c.id = v.component_id"
      " WHERE v.held_at IS NULL");
  while (rows->next()) names.insert(rows->text(1));
  return names;
}

}  // namespace goldsmith::db
