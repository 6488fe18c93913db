#include "db/plugin_diff.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "app/domain/names.hpp"
#include "db/plugin_rows.hpp"

namespace goldsmith::db {
namespace {

[[noreturn]] void refuse(const domain::Plugin& plugin, const std::string& why) {
  throw Error(Error::Kind::constraint, "plugin " + plugin.slug + ": " + why);
}

void check_files(const domain::Plugin& plugin, const domain::PluginVersion& version) {
  const auto same_place = [](const domain::PluginFile& left, const domain::PluginFile& right) {
    return left.filename == right.filename && left.install_dir == right.install_dir;
  };
  const auto twice = std::adjacent_find(version.files.begin(), version.files.end(), same_place);
  if (twice != version.files.end()) {
    refuse(plugin, "version " + version.version + " has the file " + twice->install_dir + "/" +
                       twice->filename + " twice");
  }
}

bool same(const domain::PluginFile& left, const domain::PluginFile& right) {
  const auto fields = [](const domain::PluginFile& file) {
    return std::tie(file.filename, file.install_dir, file.kind, file.is_primary, file.sha1,
                    file.size_bytes, file.content);
  };
  return fields(left) == fields(right);
}

bool same(const domain::PluginVersion& left, const domain::PluginVersion& right) {
  return std::tie(left.version, left.created_at, left.status) ==
             std::tie(right.version, right.created_at, right.status) &&
         std::equal(left.files.begin(), left.files.end(), right.files.begin(), right.files.end(),
                    [](const auto& a, const auto& b) { return same(a, b); });
}

}  // namespace

void sort_files(domain::Plugin& plugin) {
  for (domain::PluginVersion& version : plugin.versions) {
    std::sort(version.files.begin(), version.files.end(), comes_before);
  }
}

void check_plugin(const domain::Plugin& plugin) {
  if (!domain::is_utf8(plugin.name)) refuse(plugin, "the name is not UTF-8");
  for (const std::string& tag : plugin.tags) {
    if (!domain::is_utf8(tag)) refuse(plugin, "a tag is not UTF-8");
  }
  std::vector<domain::Version> names;
  for (const domain::PluginVersion& version : plugin.versions) {
    names.push_back(version.version);
    check_files(plugin, version);
  }
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    refuse(plugin, "version " + *twice + " is named twice");
  }
}

void settle_times(domain::Plugin& plugin, const domain::Plugin* existing, domain::Timestamp now) {
  for (domain::PluginVersion& version : plugin.versions) {
    if (version.created_at && *version.created_at != now) continue;
    const domain::PluginVersion* known =
        existing ? version_of(*existing, version.version) : nullptr;
    version.created_at = known ? known->created_at : now;
  }
}

bool same_head(const domain::Plugin& left, const domain::Plugin& right) {
  const auto fields = [](const domain::Plugin& plugin) {
    return std::tie(plugin.name, plugin.category, plugin.author, plugin.license, plugin.tags,
                    plugin.original_url, plugin.toolchain, plugin.status);
  };
  return fields(left) == fields(right);
}

const domain::PluginVersion* version_of(const domain::Plugin& plugin,
                                        const domain::Version& version) {
  const auto found = std::find_if(plugin.versions.begin(), plugin.versions.end(),
                                  [&](const auto& each) { return each.version == version; });
  return found == plugin.versions.end() ? nullptr : &*found;
}

VersionChanges compare_versions(const domain::Plugin* existing, const domain::Plugin& plugin) {
  VersionChanges changes;
  if (existing) {
    for (const domain::PluginVersion& old : existing->versions) {
      const domain::PluginVersion* wanted = version_of(plugin, old.version);
      if (!wanted || !same(old, *wanted)) changes.removed.push_back(&old);
    }
  }
  for (const domain::PluginVersion& wanted : plugin.versions) {
    const domain::PluginVersion* old = existing ? version_of(*existing, wanted.version) : nullptr;
    if (!old || !same(*old, wanted)) changes.added.push_back(&wanted);
  }
  return changes;
}

}  // namespace goldsmith::db
