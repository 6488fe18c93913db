#include "app/service/file_owners.hpp"

#include "app/creator/generated_files.hpp"

namespace goldsmith::service {
namespace {

std::string named(const std::string& title, const domain::Slug& slug) {
  return title + " (" + slug.str() + ")";
}

}  // namespace

domain::FileOwners file_owners(db::ComponentStore& components, const domain::Catalog& catalog) {
  domain::FileOwners owners;
  for (const std::string_view path :
       {creator::kLiblistPath, creator::kMetamodListPath, creator::kPluginListPath}) {
    owners.add(path, "the server creator");
  }
  components.each_game_file(
      [&](std::string_view path, const domain::Slug& slug, const std::string& name) {
        owners.add(path, named(name.empty() ? slug.str() : name, slug));
      });
  for (const domain::Component& component : catalog.components()) {
    for (const std::string& glob : component.configuration) {
      if (glob.find_first_of("*?[") == glob.npos) {
        owners.add(glob, named(component.title(), component.slug));
      }
    }
  }
  return owners;
}

}  // namespace goldsmith::service
