#include "app/scan/manifest.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/record.hpp"

namespace goldsmith::scan {

namespace {

// Where a version's files are in the plugin's folder.
std::string folder_in(const ScannedPlugin& plugin, const ScannedPlugin& version) {
  return plugin.others.empty() ? "" : version.version.str() + '/';
}

json::Object view(const ScannedPlugin& plugin, const ScannedPlugin& version) {
  json::Array files;
  for (const ScannedFile& file : version.files) {
    json::Object entry{{"path", folder_in(plugin, version) + file.path},
                       {"install_dir", file.install_dir()}};
    if (&file == &version.files.front()) entry.emplace("primary", true);
    files.emplace_back(std::move(entry));
  }
  return {{"version", version.version}, {"files", std::move(files)}};
}

std::string category_of(const ScannedPlugin& plugin, const ManifestOptions& options) {
  if (!options.category.empty()) return options.category;
  return plugin.topics.category.empty() ? "general" : plugin.topics.category.str();
}

constexpr const char* kManifest = domain::kPluginManifest;
constexpr const char* kProposed = "proposed";

// "" if there is none.
std::string digest_on_disk(const base::HeldFolder& folder, const std::string& file) {
  return folder.entry(file) ? base::sha256_hex(folder.read(file)) : "";
}

// What a scan would have in the folder of a plugin; nothing = it has none.
struct Proposal {
  json::Object manifest = {};
  Contents files = {};
};

// The fields, and the files, in which a proposal differs from what is there.
std::string differences(const base::HeldFolder& folder, const std::string& plugin,
                        const Proposal& proposed) {
  std::vector<std::string> names;
  try {
    const json::Value there = json::parse(folder.read(plugin + kManifest));
    for (const auto& [name, value] : proposed.manifest) {
      const json::Object* const object = there.as_object();
      const auto found = object ? object->find(name) : json::Object::const_iterator{};
      if (!object || found == object->end() || found->second != value) names.push_back(name);
    }
  } catch (const std::exception&) {
    names.emplace_back(kManifest);
  }
  for (const auto& [path, read] : proposed.files) {
    if (digest_on_disk(folder, plugin + path) != base::sha256_hex(read())) names.push_back(path);
  }
  constexpr std::size_t kMostNamed = 6;
  const std::string more = names.size() > kMostNamed ? ", …" : "";
  names.resize(std::min(names.size(), kMostNamed));
  return base::join(names, ", ") + more;
}

class PluginFolder {
 public:
  PluginFolder(const base::HeldFolder& folder, const domain::Slug& slug, Proposal proposal,
               RecordedPlugin& record)
      : folder_(folder), place_(slug.str() + '/'), proposal_(std::move(proposal)), record_(record) {
    contents_ = proposal_.files;
    if (!proposal_.manifest.empty()) {
      contents_[kManifest] = [this] { return json::to_pretty_string(proposal_.manifest) + "\n"; };
    }
    std::string all;
    for (const auto& [path, read] : contents_) {
      digests_.emplace(path, base::sha256_hex(read()));
      all += path + '\n' + digests_[path] + '\n';
    }
    found_ = base::sha256_hex(all);
  }
  PluginFolder(const PluginFolder&) = delete;
  PluginFolder& operator=(const PluginFolder&) = delete;

  // For a plugin that has become a version of another one. True if nothing of it is left.
  bool remove() {
    if (is_edited()) return false;
    remove_stale();
    folder_.remove_all(place_ + kProposed);
    record_.files.clear();
    return true;
  }

  // Returns what a person should know; "" for nothing.
  std::string update() {
    const bool is_new = digest_of(kManifest).empty();
    std::string remark;
    if (is_new || !is_edited() || is_as_found()) {
      write_all();
    } else if (found_ != record_.found_sha256) {
      propose();
      remark = (folder_.path() / place_).parent_path().string() + " was edited and is kept; " +
               kProposed + "/ in it is what the scan found, with other " +
               differences(folder_, place_, proposal_);
    }
    record_.found_sha256 = found_;
    return remark;
  }

 private:
  std::string digest_of(const std::string& path) const {
    return digest_on_disk(folder_, place_ + path);
  }

  bool is_edited() const {
    if (record_.files.empty()) return true;  // by whoever made it
    return std::any_of(record_.files.begin(), record_.files.end(), [&](const auto& each) {
      return !domain::is_relative_path(each.first) || digest_of(each.first) != each.second;
    });
  }

  bool is_as_found() const {
    return std::all_of(digests_.begin(), digests_.end(),
                       [&](const auto& each) { return digest_of(each.first) == each.second; });
  }

  void write_all() {
    remove_stale();
    for (const auto& [path, read] : contents_) {
      if (digest_of(path) != digests_.at(path)) folder_.write(place_ + path, read());
    }
    folder_.remove_all(place_ + kProposed);
    record_.files = digests_;
  }

  // What the scan wrote, and is not found any more, with the folders that are empty then.
  void remove_stale() const {
    for (const auto& [path, digest] : record_.files) {
      if (digests_.contains(path) || !domain::is_relative_path(path)) continue;
      if (digest_of(path) != digest) continue;
      std::string name = place_ + path;
      while (folder_.remove(name) && name.find('/') != name.npos) name.erase(name.rfind('/'));
    }
  }

  void propose() const {
    folder_.remove_all(place_ + kProposed);
    for (const auto& [path, read] : contents_) {
      folder_.write(place_ + kProposed + '/' + path, read());
    }
  }

  const base::HeldFolder& folder_;
  const std::string place_;  // in it, with a slash at its end
  const Proposal proposal_;
  Contents contents_;  // of all that is written
  RecordedPlugin& record_;
  std::map<std::string, std::string> digests_;
  std::string found_;
};

}  // namespace

Contents files_beside(const ScannedPlugin& plugin) {
  Contents contents;
  for (const ScannedPlugin* version : versions_of(plugin)) {
    for (const ScannedFile& file : version->files) {
      contents.emplace(folder_in(plugin, *version) + file.path,
                       [version, &file] { return version->tree->read(*file.source); });
    }
  }
  contents.erase(domain::kPluginManifest);
  return contents;
}

json::Object manifest_of(const ScannedPlugin& plugin, const ManifestOptions& options) {
  const std::vector<const ScannedPlugin*> versions = versions_of(plugin);
  const ScannedPlugin& newest = *versions.front();
  const pawn::SourceFacts& facts = newest.facts;
  json::Array commands;
  for (const pawn::CommandFact& command : facts.commands) {
    json::Object entry{{"name", command.name}, {"help", command.help}};
    if (command.flags && !command.is_server_only) entry.emplace("flags", *command.flags);
    if (command.is_server_only) entry.emplace("server_only", true);
    commands.emplace_back(std::move(entry));
  }
  json::Array made;
  for (const ScannedPlugin* version : versions) made.emplace_back(view(plugin, *version));
  json::Object manifest{{"slug", plugin.slug},
                        {"name", newest.name()},
                        {"summary", newest.prose.summary},
                        {"description", newest.prose.description},
                        {"category", category_of(newest, options)},
                        {"author", facts.author},
                        {"license", facts.license},
                        {"original_url", facts.url},
                        {"cvars", domain::to_json(facts.cvars)},
                        {"commands", std::move(commands)},
                        {"toolchain", newest.toolchain},
                        {"versions", std::move(made)}};
  if (!newest.topics.tags.empty()) {
    manifest.emplace("tags",
                     json::array_of(newest.topics.tags, [](const auto& each) { return each.tag; }));
  }
  if (!newest.topics.game_modes.empty()) {
    manifest.emplace("game_modes", domain::to_json(newest.topics.game_modes));
  }
  if (options.is_published) manifest.emplace("status", "published");
  return manifest;
}

std::vector<std::string> write_manifests(const base::HeldFolder& folder,
                                         const ScannedPlugins& plugins,
                                         const ManifestOptions& options, ScanRecord& record) {
  std::vector<std::string> remarks;
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.slug.empty()) continue;
    if (const auto former = record.plugins().find(plugin.former);
        former != record.plugins().end()) {
      if (!PluginFolder(folder, *domain::Slug::parse(plugin.former), {}, former->second).remove()) {
        remarks.push_back((folder.path() / plugin.former).string() +
                          " was edited and is kept; the plugin is " + plugin.slug.str() + " now");
      }
      record.plugins().erase(former);
    }
    RecordedPlugin& recorded = record.plugins()[plugin.slug.str()];
    recorded.source = plugin.path;
    recorded.source_sha256 = plugin.source_sha256;
    const auto folder_with = [&](Proposal proposal) {
      return PluginFolder(folder, plugin.slug, std::move(proposal), recorded);
    };
    if (plugin.is_written()) {
      std::string remark =
          folder_with({manifest_of(plugin, options), files_beside(plugin)}).update();
      if (!remark.empty()) remarks.push_back(std::move(remark));
    } else if (!recorded.files.empty() &&
               !digest_on_disk(folder, plugin.slug.str() + '/' + kManifest).empty()) {
      const bool is_left_out =
          plugin.is_skipped || !plugin.part_of.empty() || !plugin.stock.empty();
      if (is_left_out && folder_with({}).remove()) continue;
      remarks.push_back(
          (folder.path() / plugin.slug.view()).string() +
          " is of an earlier scan and is kept; now: " + std::string(to_string(plugin.state())) +
          (plugin.why.empty() ? "" : ", " + plugin.why));
    }
  }
  return remarks;
}

std::string write_pack(const base::HeldFolder& folder, const ScannedPlugins& plugins,
                       const domain::Slug& pack, bool is_published, ScanRecord& record) {
  constexpr std::size_t kMostPlugins = 1000;
  json::Array slugs;
  std::size_t left_out = 0;
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.state() != ScannedPlugin::State::ready) continue;
    if (slugs.size() == kMostPlugins) {
      ++left_out;
    } else {
      slugs.emplace_back(plugin.slug);
    }
  }
  json::Object manifest{{"slug", pack}, {"name", pack}, {"plugins", std::move(slugs)}};
  if (is_published) manifest.emplace("status", "published");
  const std::string text = json::to_pretty_string(manifest) + "\n";
  constexpr const char* kPack = "addon.json";
  const std::string file = (folder.path() / kPack).string();
  const std::string there = digest_on_disk(folder, kPack);
  const bool is_edited = !there.empty() && there != record.pack_sha256();
  if (is_edited && there != base::sha256_hex(text)) {
    folder.write("addon.json.proposed", text);
    return file + " was edited and is kept; addon.json.proposed is what the scan found";
  }
  folder.write(kPack, text);
  record.pack_sha256() = base::sha256_hex(text);
  if (left_out == 0) return "";
  return fmt::format("{} lacks {} of the plugins: a pack has at most 1000", file, left_out);
}

}  // namespace goldsmith::scan
