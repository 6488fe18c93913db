#include "db/addon_store.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "db/database.hpp"
#include "db/migrations.hpp"
#include "db/plugin_rows.hpp"
#include "db/records.hpp"

namespace goldsmith::db {

namespace {

struct StoredPack {
  std::int64_t id = 0;
  domain::AddonPack pack;
  std::int64_t plugin_count = 0;  // unpublished ones included (decision P2)
};

// Of addon_packs, which is a; without the slugs of its plugins.
StoredPack read_pack(Row& row) {
  StoredPack stored;
  stored.id = row.integer("a.id");
  stored.pack.slug = row.slug("a.slug");
  stored.pack.name = row.text("a.name");
  stored.pack.description = row.text("a.description");
  stored.pack.downloads = row.integer("a.downloads");
  stored.pack.created_at = row.timestamp("a.created_at");
  stored.pack.status = read_status(row, "a.status");
  stored.pack.server = row.text("a.server");
  stored.plugin_count =
      row.integer("(SELECT COUNT(*) FROM addon_pack_plugins x WHERE x.pack_id = a.id)");
  return stored;
}

domain::AddonSummary summary_of(const StoredPack& stored) {
  const domain::AddonPack& pack = stored.pack;
  return {pack.slug,      pack.name,        pack.description, stored.plugin_count,
          pack.downloads, *pack.created_at, pack.server};
}

std::vector<domain::Slug> load_plugin_slugs(Database& database, std::int64_t pack_id) {
  return Records(database, [](Row& row) { return row.slug("p.slug"); },
                 "FROM addon_pack_plugins x JOIN plugins p ON p.id = x.plugin_id"
                 " WHERE x.pack_id = ? ORDER BY x.position",
                 {pack_id})
      .all();
}

std::vector<StoredPack> load_packs(Database& database, std::string_view rest,
                                   std::initializer_list<Parameter> params = {}) {
  return Records(database, read_pack, "FROM addon_packs a " + std::string(rest), params).all();
}

std::vector<domain::AddonPack> whole_packs(Database& database, std::vector<StoredPack> packs) {
  std::vector<domain::AddonPack> whole;
  for (StoredPack& each : packs) {
    each.pack.plugins = load_plugin_slugs(database, each.id);
    whole.push_back(std::move(each.pack));
  }
  return whole;
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
    page = {};
    const auto count =
        database_.query("SELECT COUNT(*) FROM addon_packs WHERE status = 'published'");
    if (count->next()) page.total = count->integer(1);
    if (offset >= page.total) return;
    const auto packs = load_packs(database_,
                                  // MySQL would read and sort them all.
                                  "FORCE INDEX (addon_packs_listed) WHERE a.status = 'published'"
                                  " ORDER BY a.downloads DESC, a.slug LIMIT ? OFFSET ?",
                                  {limit, offset});
    for (const StoredPack& each : packs) page.addons.push_back(summary_of(each));
  });
  return page;
}

std::optional<domain::AddonDetail> AddonStore::find(const domain::Slug& slug) {
  std::optional<domain::AddonDetail> detail;
  database_.read([&] {
    detail = {};
    const auto packs = load_packs(database_, "WHERE a.slug = ? AND a.status = 'published'", {slug});
    if (packs.empty()) return;
    Records plugins(database_, read_summary,
                    "FROM " + std::string(kPluginTables) +
                        " JOIN addon_pack_plugins x ON x.plugin_id = p.id"
                        " WHERE x.pack_id = ? AND p.status = 'published' ORDER BY x.position",
                    {packs.front().id});
    detail = domain::AddonDetail{summary_of(packs.front()), plugins.all()};
  });
  return detail;
}

std::vector<domain::AddonPack> AddonStore::list_all() {
  std::vector<domain::AddonPack> packs;
  database_.read([&] { packs = whole_packs(database_, load_packs(database_, "ORDER BY a.slug")); });
  return packs;
}

std::vector<domain::AddonPack> AddonStore::presets(std::int64_t limit) {
  std::vector<domain::AddonPack> packs;
  database_.read([&] {
    packs = whole_packs(
        database_,
        load_packs(
            database_,
            "FORCE INDEX (addon_packs_listed) WHERE a.status = 'published' AND a.server <> ''"
            " AND NOT EXISTS (SELECT 1 FROM addon_pack_plugins x"
            " JOIN plugins p ON p.id = x.plugin_id"
            " WHERE x.pack_id = a.id AND (p.status <> 'published' OR p.latest_version = ''))"
            " ORDER BY a.downloads DESC, a.slug LIMIT ?",
            {limit}));
  });
  return packs;
}

ImportChange AddonStore::import(const domain::AddonPack& wanted) {
  ImportChange outcome = ImportChange::unchanged;
  change(database_, [&] {
    domain::AddonPack pack = wanted;
    const std::vector<std::int64_t> plugin_ids = find_plugin_ids(database_, pack);
    const auto stored = load_packs(database_, "WHERE a.slug = ?", {pack.slug});
    if (stored.empty()) {
      insert_plugins(database_, insert_pack(database_, pack), plugin_ids);
      outcome = ImportChange::created;
      return true;
    }
    const std::int64_t id = stored.front().id;
    const domain::AddonPack before = whole_packs(database_, stored).front();
    if (!pack.created_at) pack.created_at = before.created_at;
    if (same(before, pack)) return false;
    update_pack(database_, id, pack);
    insert_plugins(database_, id, plugin_ids);
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
