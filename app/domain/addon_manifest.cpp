#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "app/domain/manifest.hpp"
#include "app/domain/manifest_fields.hpp"

namespace goldsmith::domain {

namespace {

constexpr std::size_t kMaxPlugins = 1000;

std::vector<Slug> read_plugin_slugs(const Node& node) {
  std::vector<Slug> slugs;
  for (const Node& element : read_elements(node, kMaxPlugins)) {
    const Slug slug = read_slug(element);
    if (std::find(slugs.begin(), slugs.end(), slug) != slugs.end()) {
      element.refuse("is listed twice; a pack names each plugin once");
    }
    slugs.push_back(slug);
  }
  return slugs;
}

// Whether that can be chosen depends on the catalog.
std::string read_server(const Node& node) {
  std::string query = node.text(kUrlLimit);
  if (query.find_first_of(" \t\r\n\"<>?#") != query.npos) {
    node.refuse("is not the query of a link to the server creator, as in \"optimized=1\"");
  }
  return query;
}

AddonPack read_pack(const Node& node, const StoredPackStatus& stored) {
  const Fields fields(node, {"slug", "name", "description", "status", "created_at", "downloads",
                             "plugins", "server"});
  AddonPack pack;
  pack.slug = read_slug(fields.required("slug"));
  pack.name = read_name(fields.required("name"));
  fields.read("description", read_text, pack.description);
  const std::optional<Status> status = stored ? stored(pack.slug) : std::nullopt;
  pack.status = status.value_or(Status::draft);
  fields.read("status", read_status, pack.status);
  fields.read("created_at", read_timestamp, pack.created_at);
  fields.read("downloads", read_count, pack.downloads);
  fields.read("plugins", read_plugin_slugs, pack.plugins);
  fields.read("server", read_server, pack.server);
  return pack;
}

}  // namespace

AddonPack read_addon(const json::Value& object, const std::string& name,
                     const StoredPackStatus& stored) {
  return read_pack(Node(Location(name), object), stored);
}

std::vector<AddonPack> read_addons(const std::filesystem::path& path,
                                   const StoredPackStatus& stored) {
  std::vector<AddonPack> packs;
  std::set<Slug> slugs;
  read_objects(path, [&](const Node& node) {
    packs.push_back(read_pack(node, stored));
    if (!slugs.insert(packs.back().slug).second) {
      node.location().member("slug").fail("\"" + packs.back().slug +
                                          "\" is listed twice; a file names each pack once");
    }
  });
  return packs;
}

}  // namespace goldsmith::domain
