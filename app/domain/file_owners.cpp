#include "app/domain/file_owners.hpp"

#include "app/sys/text.hpp"

namespace goldsmith::domain {

void FileOwners::add(std::string_view path, std::string_view owner) {
  owners_.try_emplace(sys::to_lower_ascii(path), owner);
}

std::string_view FileOwners::find(std::string_view path) const {
  const auto found = owners_.find(sys::to_lower_ascii(path));
  return found == owners_.end() ? std::string_view() : found->second;
}

void FileOwners::mark(PluginVersion& version) const {
  const PluginFile* entry = entry_point(version);
  for (PluginFile& file : version.files) {
    const bool is_asked_for = entry == &file || (entry != nullptr && is_binary_of(file, *entry));
    file.owner = is_asked_for ? std::string_view() : find(path_on_server(file));
  }
}

void FileOwners::remove_foreign(PluginVersion& version) const {
  mark(version);
  std::erase_if(version.files, is_foreign);
}

void FileOwners::remove_foreign(Plugin& plugin) const {
  for (PluginVersion& version : plugin.versions) remove_foreign(version);
}

}  // namespace goldsmith::domain
