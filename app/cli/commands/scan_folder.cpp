#include <algorithm>
#include <system_error>

#include "app/cli/commands/plugin_scan.hpp"
#include "app/domain/names.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "plugin.json";
constexpr const char* kProposed = "proposed";

using Contents = std::map<std::string, std::string>;  // by path

std::string place_of(const domain::PluginFile& file) {
  return file.install_dir.empty() ? file.filename : file.install_dir + '/' + file.filename;
}

// Newest first: it is what the plugin's folder has as its own, and older ones below their version.
std::vector<const ScannedPlugin*> versions_of(const ScannedPlugin& plugin) {
  std::vector<const ScannedPlugin*> versions{&plugin};
  versions.insert(versions.end(), plugin.others.begin(), plugin.others.end());
  std::sort(versions.begin(), versions.end(), [](const auto* one, const auto* other) {
    return domain::natural_order(one->version.version, other->version.version) > 0;
  });
  return versions;
}

// Where a version's files are in the plugin's folder.
std::string folder_in(const ScannedPlugin& plugin, const ScannedPlugin& version) {
  return plugin.others.empty() ? "" : version.version.version.str() + '/';
}

json::Object view(const ScannedPlugin& plugin, const ScannedPlugin& version) {
  json::Array files;
  for (const domain::PluginFile& file : version.version.files) {
    json::Object entry{{"path", folder_in(plugin, version) + place_of(file)},
                       {"install_dir", file.install_dir}};
    if (file.is_primary) entry.emplace("primary", true);
    files.emplace_back(std::move(entry));
  }
  return {{"version", version.version.version}, {"files", std::move(files)}};
}

Contents contents_of(const ScannedPlugin& plugin, const ManifestOptions& options) {
  Contents contents;
  for (const ScannedPlugin* version : versions_of(plugin)) {
    for (const domain::PluginFile& file : version->version.files) {
      contents.emplace(folder_in(plugin, *version) + place_of(file), file.content);
    }
  }
  contents.insert_or_assign(kManifest, json::to_pretty_string(manifest_of(plugin, options)) + "\n");
  return contents;
}

// "" if there is none.
std::string digest_on_disk(const fs::path& file) {
  std::error_code error;
  return fs::exists(fs::symlink_status(file, error)) ? sys::sha256_hex(sys::read_file(file)) : "";
}

void write(const fs::path& file, const std::string& content) {
  fs::create_directories(file.parent_path());
  sys::write_atomically(file, content);
}

// The fields, and the files, in which a proposal differs from what is there.
std::string differences(const fs::path& folder, const Contents& proposed) {
  std::vector<std::string> names;
  try {
    const json::Value there = json::parse(sys::read_file(folder / kManifest));
    const json::Value other = json::parse(proposed.at(kManifest));
    for (const auto& [name, value] : *other.as_object()) {
      const json::Object* const object = there.as_object();
      const auto found = object ? object->find(name) : json::Object::const_iterator{};
      if (!object || found == object->end() || found->second != value) names.push_back(name);
    }
  } catch (const std::exception&) {
    names.emplace_back(kManifest);
  }
  for (const auto& [path, content] : proposed) {
    if (path == kManifest || digest_on_disk(folder / path) == sys::sha256_hex(content)) continue;
    names.push_back(path);
  }
  constexpr std::size_t kMostNamed = 6;
  const std::string more = names.size() > kMostNamed ? ", …" : "";
  names.resize(std::min(names.size(), kMostNamed));
  return sys::join(names, ", ") + more;
}

class PluginFolder {
 public:
  PluginFolder(fs::path folder, Contents contents, RecordedPlugin& record)
      : folder_(std::move(folder)), contents_(std::move(contents)), record_(record) {
    std::string all;
    for (const auto& [path, content] : contents_) {
      digests_.emplace(path, sys::sha256_hex(content));
      all += path + '\n' + digests_[path] + '\n';
    }
    found_ = sys::sha256_hex(all);
  }

  // For a plugin that has become a version of another one. True if nothing of it is left.
  bool remove() {
    if (is_edited()) return false;
    remove_stale();
    fs::remove_all(folder_ / kProposed);
    record_.files.clear();
    return true;
  }

  // Returns what a person should know; "" for nothing.
  std::string update() {
    const bool is_new = digest_on_disk(folder_ / kManifest).empty();
    std::string remark;
    if (is_new || !is_edited() || is_as_found()) {
      write_all();
    } else if (found_ != record_.found_sha256) {
      propose();
      remark = folder_.string() + " was edited and is kept; " + kProposed +
               "/ in it is what the scan found, with other " + differences(folder_, contents_);
    }
    record_.found_sha256 = found_;
    return remark;
  }

 private:
  bool is_edited() const {
    if (record_.files.empty()) return true;  // by whoever made it
    return std::any_of(record_.files.begin(), record_.files.end(), [&](const auto& each) {
      return digest_on_disk(folder_ / each.first) != each.second;
    });
  }

  bool is_as_found() const {
    return std::all_of(digests_.begin(), digests_.end(), [&](const auto& each) {
      return digest_on_disk(folder_ / each.first) == each.second;
    });
  }

  void write_all() {
    remove_stale();
    for (const auto& [path, content] : contents_) {
      if (digest_on_disk(folder_ / path) != digests_.at(path)) write(folder_ / path, content);
    }
    fs::remove_all(folder_ / kProposed);
    record_.files = digests_;
  }

  // What the scan wrote, and is not found any more, with the folders that are empty then.
  void remove_stale() const {
    for (const auto& [path, digest] : record_.files) {
      if (digests_.contains(path) || !domain::is_relative_path(path)) continue;
      if (digest_on_disk(folder_ / path) != digest) continue;
      fs::remove(folder_ / path);
      for (fs::path parent = (folder_ / path).parent_path();
           parent != folder_.parent_path() && fs::is_empty(parent); parent = parent.parent_path()) {
        fs::remove(parent);
      }
    }
  }

  void propose() const {
    fs::remove_all(folder_ / kProposed);
    for (const auto& [path, content] : contents_) write(folder_ / kProposed / path, content);
  }

  const fs::path folder_;
  const Contents contents_;
  RecordedPlugin& record_;
  std::map<std::string, std::string> digests_;
  std::string found_;
};

}  // namespace

json::Object manifest_of(const ScannedPlugin& plugin, const ManifestOptions& options) {
  const std::vector<const ScannedPlugin*> versions = versions_of(plugin);
  const ScannedPlugin& newest = *versions.front();
  const scan::SourceFacts& facts = newest.facts;
  json::Array cvars;
  for (const scan::CvarFact& cvar : facts.cvars) {
    cvars.emplace_back(
        json::Object{{"name", cvar.name}, {"default", cvar.default_value}, {"help", cvar.help}});
  }
  json::Array commands;
  for (const scan::CommandFact& command : facts.commands) {
    json::Object entry{{"name", command.name}, {"help", command.help}};
    if (command.flags) entry.emplace("flags", *command.flags);
    commands.emplace_back(std::move(entry));
  }
  json::Array made;
  for (const ScannedPlugin* version : versions) made.emplace_back(view(plugin, *version));
  json::Object manifest{{"slug", plugin.slug},
                        {"name", newest.name()},
                        {"summary", newest.prose.summary},
                        {"description", newest.prose.description},
                        {"category", options.category},
                        {"author", facts.author},
                        {"license", facts.license},
                        {"original_url", facts.url},
                        {"cvars", std::move(cvars)},
                        {"commands", std::move(commands)},
                        {"toolchain", newest.toolchain},
                        {"versions", std::move(made)}};
  if (options.is_published) manifest.emplace("status", "published");
  return manifest;
}

std::vector<std::string> write_manifests(const fs::path& folder, const ScannedPlugins& plugins,
                                         const ManifestOptions& options, ScanRecord& record) {
  std::vector<std::string> remarks;
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.slug.empty()) continue;
    RecordedPlugin& recorded = record.plugins()[plugin.slug.str()];
    recorded.source = plugin.path;
    recorded.source_sha256 = plugin.source_sha256;
    const fs::path place = folder / plugin.slug.view();
    if (plugin.is_written()) {
      std::string remark = PluginFolder(place, contents_of(plugin, options), recorded).update();
      if (!remark.empty()) remarks.push_back(std::move(remark));
    } else if (!recorded.files.empty() && !digest_on_disk(place / kManifest).empty()) {
      const bool is_answered = plugin.is_skipped || !plugin.part_of.empty();
      if (is_answered && PluginFolder(place, {}, recorded).remove()) continue;
      remarks.push_back(place.string() + " is of an earlier scan and is kept; now: " +
                        plugin.state() + (plugin.why.empty() ? "" : ", " + plugin.why));
    }
  }
  return remarks;
}

std::string write_pack(const fs::path& folder, const ScannedPlugins& plugins,
                       const domain::Slug& pack, bool is_published, ScanRecord& record) {
  constexpr std::size_t kMostPlugins = 1000;
  json::Array slugs;
  std::size_t left_out = 0;
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.state() != "ready") continue;
    if (slugs.size() == kMostPlugins) {
      ++left_out;
    } else {
      slugs.emplace_back(plugin.slug);
    }
  }
  json::Object manifest{{"slug", pack}, {"name", pack}, {"plugins", std::move(slugs)}};
  if (is_published) manifest.emplace("status", "published");
  const std::string text = json::to_pretty_string(manifest) + "\n";
  const fs::path file = folder / "addon.json";
  const std::string there = digest_on_disk(file);
  const bool is_edited = !there.empty() && there != record.pack_sha256();
  if (is_edited && there != sys::sha256_hex(text)) {
    write(folder / "addon.json.proposed", text);
    return file.string() + " was edited and is kept; addon.json.proposed is what the scan found";
  }
  write(file, text);
  record.pack_sha256() = sys::sha256_hex(text);
  if (left_out == 0) return "";
  return file.string() + " lacks " + std::to_string(left_out) +
         " of the plugins: a pack has at most 1000";
}

}  // namespace goldsmith::cli
