#include "app/cli/foreign_files.hpp"

#include <set>

#include "app/service/file_owners.hpp"
#include "app/service/plugin_content.hpp"

namespace goldsmith::cli {
namespace {

std::string sentence(const std::string& path, std::string_view owner) {
  return path + " is a file of " + std::string(owner);
}

}  // namespace

domain::FileOwners file_owners(Context& context) {
  db::ComponentStore components = context.components();
  return service::file_owners(components, components.load_catalog());
}

std::vector<std::string> foreign_files(domain::PluginVersion version,
                                       const domain::FileOwners& owners) {
  owners.mark(version);
  std::vector<std::string> all;
  for (const domain::PluginFile& file : version.files) {
    if (domain::is_foreign(file)) all.push_back(sentence(domain::path_on_server(file), file.owner));
  }
  return all;
}

std::vector<std::string> foreign_files(const domain::Plugin& plugin,
                                       const domain::FileOwners& owners) {
  std::set<std::string> all;
  for (const domain::PluginVersion& version : plugin.versions) {
    for (std::string& each : foreign_files(version, owners)) all.insert(std::move(each));
  }
  return {all.begin(), all.end()};
}

std::string foreign_binary(const domain::PluginVersion& version, const domain::FileOwners& owners) {
  const domain::PluginFile* entry = domain::entry_point(version);
  if (entry == nullptr) return "";
  const std::string path = "cstrike/" + service::installed_binary(*entry);
  const std::string_view owner = owners.find(path);
  return owner.empty() ? "" : sentence(path, owner) + ", too; servers with that keep theirs";
}

}  // namespace goldsmith::cli
