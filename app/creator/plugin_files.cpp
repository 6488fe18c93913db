#include "app/creator/plugin_files.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/compile/texts.hpp"
#include "app/creator/plan.hpp"
#include "app/domain/component.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::creator {

using base::Message;
using base::N_;

namespace {

constexpr std::string_view kPluginAndWhy = N_("Plugin \"{plugin}\": {why}");
constexpr std::string_view kSkipped = N_("Plugin \"{plugin}\" was skipped: {why}");

Message text_of(SkipReason reason) {
  switch (reason) {
    case SkipReason::unknown:
      return Message("the directory has no such plugin.");
    case SkipReason::unpublished:
      return Message("it has no published version.");
    case SkipReason::no_source:
      return Message("its latest version has no source to compile.");
    case SkipReason::rejected:
      break;
  }
  return Message("it does not compile for the selected platform.");
}

Message text_of(const PassedOver& newer) {
  return {newer.reason == SkipReason::rejected
              ? N_("version {version} does not compile for the selected platform.")
              : N_("version {version} has no source to compile."),
          {{"version", newer.version.str()}}};
}

// A part of a note as a text of its own.
std::string sentence(std::string text) {
  if (!text.empty() && domain::is_lower(text.front())) {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

PlannedFile of_bytes(std::string path, std::string content) {
  PlannedFile file;
  file.path = std::move(path);
  file.size = content.size();
  file.sha256 = base::sha256_hex(content);
  file.source = std::move(content);
  return file;
}

PlannedFile stored_file(const domain::PluginVersion& version, const domain::PluginFile& stored) {
  PlannedFile file;
  file.path = domain::path_on_server(stored);
  file.size = static_cast<std::uint64_t>(stored.size_bytes);
  file.sha256 = stored.sha256;
  PlannedFile::FromPlugin from{version.id, stored.position};
  if (stored.named && domain::is_map(file.path)) {
    for (const auto& wad : stored.named->precached) from.wads.push_back(wad.path);
  }
  file.source = std::move(from);
  return file;
}

bool is_inside(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path[folder.size()] == '/' && path.starts_with(folder);
}

// True if an archive cannot contain both paths: they are equal, or one would have to be both a file
// and a folder.
bool exclude_each_other(std::string_view left, std::string_view right) {
  return left == right || is_inside(left, right) || is_inside(right, left);
}

// The existing file that prevents a new one at `path`; null if there is none.
const PlannedFile* obstacle(const FileSet& files, std::string_view path) {
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const auto parent = files.find(path.substr(0, end));
    if (parent != files.end()) return &parent->second;
  }
  const auto same = files.find(path);
  if (same != files.end()) return &same->second;
  const auto child = files.lower_bound(std::string(path) + "/");
  if (child != files.end() && is_inside(child->first, path)) return &child->second;
  return nullptr;
}

// A binary in a folder of its own, cut to the room that AMX Mod X has for its path.
std::string binary_in_folder(const std::string& slug, const std::string& binary) {
  constexpr std::string_view kExtension = ".amxx";
  constexpr std::size_t kRoom = 255 - std::string_view("cstrike/").size() -
                                domain::kBinaryFolder.size() - 2 - kExtension.size();
  const auto stem = std::string_view(binary).substr(0, binary.size() - kExtension.size());
  return slug + "/" + std::string(base::first_bytes(stem, kRoom - slug.size())).append(kExtension);
}

// What the sources of a version precache, each once in any letter case.
std::vector<domain::PrecachedFile> precached_by(const domain::PluginVersion& version) {
  std::vector<domain::PrecachedFile> all;
  for (const domain::PluginFile& file : version.files) {
    if (!file.named || !domain::is_source(file)) continue;
    all.insert(all.end(), file.named->precached.begin(), file.named->precached.end());
  }
  const auto in_any_case = [](const domain::PrecachedFile& file) {
    return std::pair(base::to_lower_ascii(file.path), file.is_model);
  };
  std::ranges::stable_sort(all, {}, in_any_case);
  const auto again = std::ranges::unique(all, {}, in_any_case);
  all.erase(again.begin(), again.end());
  return all;
}

// The files of a game folder, without regard to case: the engine opens them so.
class GameFolder {
 public:
  // `visit` is given the paths of all files but the game's own, relative to the server root.
  using Visit = std::function<void(std::string_view path)>;
  explicit GameFolder(std::function<void(const Visit& visit)> each) : each_(std::move(each)) {}

  void remove_from(std::vector<domain::PrecachedFile>& files) {
    std::erase_if(files, [&](const domain::PrecachedFile& file) { return has(file.path); });
  }

 private:
  bool has(const std::string& named) {
    const std::string path = base::to_lower_ascii(named);
    if (is_in_base_game(path)) return true;
    if (!paths_) {
      paths_.emplace();
      each_([&](std::string_view each) { paths_->insert(base::to_lower_ascii(each)); });
    }
    return paths_->contains("cstrike/" + path) || paths_->contains("valve/" + path);
  }

  std::function<void(const Visit& visit)> each_;
  std::optional<std::unordered_set<std::string>> paths_;  // read when somebody asks
};

class Adder {
 public:
  explicit Adder(FileSet& files) : files_(files) {}

  void add(PluginOutcome& plugin);
  // To be called once, after all were added.
  AddedPlugins take();

 private:
  // True when the plugin has a file in the archive.
  bool add_compiled(CompiledPlugin& plugin);
  bool add_files(CompiledPlugin& plugin, const domain::PluginFile& entry,
                 const std::string& binary);
  // Notes that the plugin is left out, if `other` is there in its place.
  bool is_replaced_by(const PluginOutcome& other, const CompiledPlugin& plugin,
                      const std::string& binary);
  void add_binary(std::string& binary, const std::string& name);
  bool add_file(PlannedFile file);
  void note_needs(const PluginOutcome& plugin, const CompiledPlugin& compiled);
  // A text that names the plugin as `{plugin}`; its values may have others.
  void note(std::string_view text, std::vector<Message::Value> values = {});
  // Notes why a plugin has its status, `{why}` in the text, and keeps that as the reason.
  void note_reason(std::string_view text, Message why, std::vector<Message::Value> values = {});

  FileSet& files_;
  std::map<std::string, std::vector<const PluginOutcome*>> by_binary_;
  // By the position in added_.requested.
  std::map<std::size_t, std::vector<domain::PrecachedFile>> precached_;
  AddedPlugins added_;
  RequestedPlugin current_;
};

void Adder::note(std::string_view text, std::vector<Message::Value> values) {
  values.emplace_back("plugin", current_.slug);
  current_.notes.emplace_back(text, std::move(values));
}

void Adder::note_reason(std::string_view text, Message why, std::vector<Message::Value> values) {
  current_.reason = sentence(why.english());
  values.emplace_back("why", std::move(why));
  note(text, std::move(values));
}

// True if the file was added to the archive for this plugin.
bool Adder::add_file(PlannedFile file) {
  const PlannedFile* other = obstacle(files_, file.path);
  if (other == nullptr && !exclude_each_other(file.path, kPluginListPath)) {
    file.from = "plugin:" + current_.slug;
    file.origin = Origin::plugin;
    const std::string path = file.path;
    files_.insert_or_assign(path, std::move(file));
    return true;
  }
  if (other != nullptr && other->path == file.path && other->origin == Origin::plugin &&
      other->sha256 == file.sha256) {
    return false;  // another plugin has added the same file
  }
  note(N_("Plugin \"{plugin}\": its file {file} was left out, because \"{owner}\" already has a "
          "file there."),
       {{"file", file.path}, {"owner", other == nullptr ? "svc" : other->from}});
  return false;
}

void Adder::add_binary(std::string& binary, const std::string& name) {
  if (!add_file(of_bytes(std::string(kPluginFolder) + "/" + name, std::move(binary)))) {
    note_reason(N_("Plugin \"{plugin}\" is not registered, because {why}"),
                Message("its binary was left out."));
  } else {
    current_.binary = name;
  }
}

void Adder::note_needs(const PluginOutcome& plugin, const CompiledPlugin& compiled) {
  for (const domain::PluginNeed& need : compiled.needs.required) {
    current_.needs.push_back(need.name);
  }
  for (const Message& obstacle : plugin.obstacles) note_reason(kPluginAndWhy, obstacle);
  if (const auto pages = compile::foreign_code_pages(compiled.version); !pages.empty()) {
    note(N_("Plugin \"{plugin}\": its texts are in {code_pages}, while the game shows UTF-8: "
            "players "
            "read wrong letters. A build has it as its author wrote it; its page has downloads "
            "whose "
            "texts are converted."),
         {{"code_pages", base::join(pages, ", ")}});
  }
  for (const std::string& warning : compiled.warnings) {
    note(kPluginAndWhy, {{"why", warning + "."}});
  }
}

bool Adder::add_files(CompiledPlugin& plugin, const domain::PluginFile& entry,
                      const std::string& binary) {
  const std::size_t files_before = files_.size();
  auto precached = precached_by(plugin.version);
  if (!precached.empty()) precached_.emplace(added_.requested.size(), std::move(precached));
  add_binary(plugin.binary, binary);
  for (const domain::PluginFile& file : plugin.version.files) {
    // The compiled binary replaces one that the author shipped.
    if (domain::is_binary_of(file, entry)) continue;
    if (file.owner.empty()) {
      add_file(stored_file(plugin.version, file));
    } else {
      note(N_("Plugin \"{plugin}\": its file {file} was left out: it is one of {owner}."),
           {{"file", domain::path_on_server(file)}, {"owner", file.owner}});
    }
  }
  return files_.size() > files_before;
}

bool Adder::is_replaced_by(const PluginOutcome& other, const CompiledPlugin& plugin,
                           const std::string& binary) {
  const domain::PluginNeeds& needs = std::get<CompiledPlugin>(other.result).needs;
  const bool is_same_name = !current_.name.empty() && current_.name == other.name;
  if (!is_same_name && !offer_the_same(needs, plugin.needs)) return false;
  current_.rival = other.slug;
  note_reason(N_("Plugin \"{plugin}\" was left out: {why}"),
              Message(is_same_name
                          ? N_("its binary {file} has the same name as that of \"{other}\", and so "
                               "has the plugin: choose one of the two.")
                          : N_("its binary {file} has the same name as that of \"{other}\", and "
                               "offers the same to other plugins: choose one of the two."),
                      {{"file", binary}, {"other", other.slug}}));
  return true;
}

// AMX Mod X tells plugins apart by their lines in its list, and loads what is in a folder.
bool Adder::add_compiled(CompiledPlugin& plugin) {
  const domain::PluginFile* entry = domain::entry_point(plugin.version);
  if (entry == nullptr) {
    note_reason(kSkipped, Message("its latest version has nothing to install."));
    return false;
  }
  const std::string name = domain::binary_name(*entry);
  const auto& others = by_binary_[name];
  if (others.empty()) return add_files(plugin, *entry, name);
  for (const PluginOutcome* other : others) {
    if (is_replaced_by(*other, plugin, name)) return false;
  }
  const std::string own = binary_in_folder(current_.slug, name);
  if (!add_files(plugin, *entry, own)) return false;
  note(N_("Plugin \"{plugin}\": its binary is {file}, because that of \"{other}\" has the same "
          "name."),
       {{"file", own}, {"other", others.front()->slug}});
  return true;
}

void Adder::add(PluginOutcome& plugin) {
  current_ = RequestedPlugin();
  current_.slug = plugin.slug;
  current_.name = plugin.name;
  current_.hint = plugin.hint;
  current_.frame_percent = plugin.frame_percent;
  auto* compiled = std::get_if<CompiledPlugin>(&plugin.result);
  if (compiled == nullptr) {
    note_reason(kSkipped, text_of(std::get<SkipReason>(plugin.result)));
  } else {
    if (plugin.passed_over) {
      note_reason(N_("Plugin \"{plugin}\": version {used} is used, because {why}"),
                  text_of(*plugin.passed_over), {{"used", compiled->version.version.str()}});
    }
    if (!plugin.older_line.empty()) {
      note_reason(
          kPluginAndWhy,
          Message("version {version} is used, as compiled for AMX Mod X {line}, because it "
                  "does not compile for the selected platform.",
                  {{"version", compiled->version.version.str()}, {"line", plugin.older_line}}));
    }
    if (add_compiled(*compiled)) {
      const domain::PluginFile* const entry = domain::entry_point(compiled->version);
      by_binary_[domain::binary_name(*entry)].push_back(&plugin);
      note_needs(plugin, *compiled);
      current_.version = compiled->version.version.str();
      current_.status = plugin.passed_over ? PluginStatus::older : PluginStatus::added;
      added_.included.push_back(&plugin);
    }
  }
  added_.requested.push_back(std::move(current_));
}

// A plugin may need files of one that was added after it.
AddedPlugins Adder::take() {
  GameFolder folder([&](const GameFolder::Visit& visit) {
    for (const auto& [path, file] : files_) visit(path);
  });
  for (auto& [index, files] : precached_) {
    RequestedPlugin& plugin = added_.requested[index];
    folder.remove_from(files);
    if (files.empty() || plugin.status == PluginStatus::skipped) continue;
    plugin.notes.emplace_back(
        kPluginAndWhy,
        std::vector<Message::Value>{{"plugin", plugin.slug}, {"why", missing_files_remark(files)}});
  }
  return std::move(added_);
}

constexpr std::size_t kNamedFiles = 3;

}  // namespace

std::string_view to_string(PluginStatus status) {
  switch (status) {
    case PluginStatus::added:
      return "added";
    case PluginStatus::older:
      return "older";
    case PluginStatus::skipped:
      break;
  }
  return "skipped";
}

void put_bytes(FileSet& files, std::string_view path, std::string content, std::string_view from,
               Origin origin) {
  PlannedFile file = of_bytes(std::string(path), std::move(content));
  file.from = from;
  file.origin = origin;
  files.insert_or_assign(std::string(path), std::move(file));
}

bool offer_the_same(const domain::PluginNeeds& one, const domain::PluginNeeds& other) {
  const auto have_one = [](const std::vector<std::string>& names,
                           const std::vector<std::string>& others) {
    return std::ranges::any_of(names, [&](const std::string& name) {
      return std::binary_search(others.begin(), others.end(), name);
    });
  };
  if (have_one(one.registers, other.registers)) return true;
  return one.natives && other.natives && have_one(one.natives->offers, other.natives->offers);
}

std::string plugin_list(const Plan& plan) {
  constexpr std::string_view kPlugin = "plugin:";
  std::map<std::string_view, std::string> files;
  for (const PlannedFile& file : plan.files) {
    const std::string_view from = file.from;
    if (!from.starts_with(kPlugin)) continue;
    const std::string_view slug = from.substr(kPlugin.size());
    files[slug].append("file ").append(slug).append(" ").append(file.path).append("\n");
  }
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  std::string list;
  for (const RequestedPlugin& plugin : plan.requested) {
    list.append("plugin ").append(base::percent_encode(plugin.slug)).append(" ");
    list.append(to_string(plugin.status)).append(" ").append(or_dash(plugin.version));
    list.append(" ").append(or_dash(plugin.reason)).append("\n").append(files[plugin.slug]);
  }
  return list;
}

AddedPlugins add_plugins(std::vector<PluginOutcome>& plugins, FileSet& files) {
  Adder adder(files);
  for (PluginOutcome& plugin : plugins) adder.add(plugin);
  return adder.take();
}

bool is_in_base_game(std::string_view path) {
  const auto names = base_game_files();
  return std::binary_search(names.begin(), names.end(), path);
}

std::vector<domain::PrecachedFile> missing_files(const domain::PluginVersion& version) {
  GameFolder folder([&](const GameFolder::Visit& visit) {
    for (const domain::PluginFile& file : version.files) visit(domain::path_on_server(file));
  });
  std::vector<domain::PrecachedFile> files = precached_by(version);
  folder.remove_from(files);
  return files;
}

Message missing_files_remark(const std::vector<domain::PrecachedFile>& missing) {
  if (missing.empty()) return {};
  std::vector<std::string> names;
  for (const bool are_models : {true, false}) {
    for (const domain::PrecachedFile& file : missing) {
      if (file.is_model == are_models) names.push_back(file.path);
    }
  }
  const bool stops_maps =
      std::any_of(missing.begin(), missing.end(),
                  [](const domain::PrecachedFile& file) { return file.is_model; });
  const bool is_one = names.size() == 1;
  const std::string_view of_maps =
      is_one ? N_("it needs {files}, which is in no part of this server. A map does not start "
                  "without a model that a plugin precaches: add the file unless your game has it.")
             : N_("it needs {files}, which are in no part of this server. A map does not start "
                  "without a model that a plugin precaches: add the files unless your game has "
                  "them.");
  const std::string_view of_players =
      is_one ? N_("it needs {files}, which is in no part of this server. Players miss what is not "
                  "there: add the file unless your game has it.")
             : N_("it needs {files}, which are in no part of this server. Players miss what is not "
                  "there: add the files unless your game has them.");
  return {stops_maps ? of_maps : of_players, {{"files", base::some_of(names, kNamedFiles)}}};
}

}  // namespace goldsmith::creator
