// Addon packs. Functions throw db::Error.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"
#include "db/database.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::db {

struct AddonPage {
  std::int64_t total = 0;
  std::vector<domain::AddonSummary> addons;
};

class AddonStore {
 public:
  explicit AddonStore(Database& database) : database_(database) {}

  AddonPage list(std::int64_t offset, std::int64_t limit);  // published; downloads desc., slug
  std::optional<domain::AddonDetail> find(const domain::Slug& slug);  // published

  std::vector<domain::AddonPack> list_all();
  // The published ones with a server of their own of which every plugin is published, in the order
  // of list(), at most so many.
  std::vector<domain::AddonPack> presets(std::int64_t limit);
  // Creates the pack or makes it equal to `pack`; the counter is set at creation alone. An unknown
  // or duplicate plugin: db::Error{constraint}, which names it; nothing is changed then.
  ImportChange import(const domain::AddonPack& pack);
  // False if there is no such pack.
  bool set_status(const domain::Slug& slug, domain::Status status);
  bool remove(const domain::Slug& slug);

 private:
  Database& database_;
};

// What callers can get, by name.

// "key SHA256" of each key that is not disabled, "plugin SLUG", "plugin SLUG VERSION" and "pack
// SLUG" of what is published (a published version of a draft, too), "component SLUG VERSION" of
// what is mirrored, and "offered SLUG VERSION" of what of that is not held, as of one point in
// time. Throws Error.
std::set<std::string> public_names(Database& database);

}  // namespace goldsmith::db
