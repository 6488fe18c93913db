#include <algorithm>
#include <set>

#include "app/manifest/manifest.hpp"
#include "app/manifest/rules.hpp"

namespace goldsmith::manifest {
namespace {

constexpr std::size_t kMaxPlugins = 1000;

std::vector<domain::Slug> read_plugin_slugs(const Node& node) {
  std::vector<domain::Slug> slugs;
  for (const Node& element : read_elements(node, kMaxPlugins)) {
    const domain::Slug slug = read_slug(element);
    if (std::find(slugs.begin(), slugs.end(), slug) != slugs.end()) {
      element.refuse("is listed twice; a pack names each plugin once");
    }
    slugs.push_back(slug);
  }
  return slugs;
}

domain::AddonPack read_pack(const Node& node, const StoredPackStatus& stored) {
  const Fields fields(
      node, {"slug", "name", "description", "status", "created_at", "downloads", "plugins"});
  domain::AddonPack pack;
  pack.slug = read_slug(fields.required("slug"));
  pack.name = read_name(fields.required("name"));
  pack.description = text_or_empty(fields, "description", read_text);
  const std::optional<domain::Status> status = stored ? stored(pack.slug) : std::nullopt;
  pack.status = value_or(fields, "status", read_status, status.value_or(domain::Status::draft));
  pack.created_at = value_or(fields, "created_at", read_timestamp, pack.created_at);
  pack.downloads = value_or(fields, "downloads", read_count, std::int64_t{0});
  if (const std::optional<Node> plugins = fields.optional("plugins")) {
    pack.plugins = read_plugin_slugs(*plugins);
  }
  return pack;
}

}  // namespace

std::vector<domain::AddonPack> read_addons(const std::filesystem::path& path,
                                           const StoredPackStatus& stored) {
  std::vector<domain::AddonPack> packs;
  std::set<domain::Slug> slugs;
  read_objects(path, [&](const Node& node) {
    packs.push_back(read_pack(node, stored));
    if (!slugs.insert(packs.back().slug).second) {
      node.location().member("slug").fail("\"" + packs.back().slug +
                                          "\" is listed twice; a file names each pack once");
    }
  });
  return packs;
}

}  // namespace goldsmith::manifest
