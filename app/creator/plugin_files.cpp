#include "app/creator/plugin_files.hpp"

#include <map>
#include <string_view>
#include <utility>

#include "app/creator/generated_files.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::creator {
namespace {

std::string quoted(std::string_view slug) { return "Plugin \"" + std::string(slug) + "\""; }

std::string why_skipped(const PluginOutcome& plugin) {
  switch (plugin.state) {
    case PluginOutcome::State::unknown:
      return " was skipped: the directory has no such plugin.";
    case PluginOutcome::State::unpublished:
      return " was skipped: it has no published version.";
    case PluginOutcome::State::no_source:
      return " was skipped: its latest version has no source to compile.";
    case PluginOutcome::State::rejected:
      return " was skipped: it does not compile for the selected platform.";
    case PluginOutcome::State::compiled:
      break;
  }
  return " was skipped: its latest version has nothing to install.";
}

std::string path_of(const domain::PluginFile& file) {
  std::string path = "cstrike/";
  if (!file.install_dir.empty()) path += file.install_dir + "/";
  return path + file.filename;
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

class Adder {
 public:
  explicit Adder(FileSet& files) : files_(files) {}

  void add(PluginOutcome& plugin);
  AddedPlugins take() { return std::move(added_); }

 private:
  void add_binary(PluginOutcome& plugin, const std::string& name);
  bool add_file(const PluginOutcome& plugin, const std::string& path, std::string& content);
  void note(const PluginOutcome& plugin, const std::string& what);

  FileSet& files_;
  std::map<std::string, std::string> slug_of_binary_;
  AddedPlugins added_;
};

void Adder::note(const PluginOutcome& plugin, const std::string& what) {
  added_.notes.push_back(quoted(plugin.slug) + what);
}

// True if the file was added to the archive for this plugin.
bool Adder::add_file(const PluginOutcome& plugin, const std::string& path, std::string& content) {
  const PlannedFile* other = obstacle(files_, path);
  if (other == nullptr && !exclude_each_other(path, kPluginListPath)) {
    put_bytes(files_, path, std::move(content), "plugin:" + plugin.slug, Origin::plugin);
    return true;
  }
  if (other != nullptr && other->path == path && other->origin == Origin::plugin &&
      std::get<std::string>(other->source) == content) {
    return false;  // another plugin has added the same file
  }
  const std::string owner = other == nullptr ? "svc" : other->from;
  note(plugin,
       ": its file " + path + " was left out, because \"" + owner + "\" already has a file there.");
  return false;
}

void Adder::add_binary(PluginOutcome& plugin, const std::string& name) {
  const std::string path = std::string(kPluginFolder) + "/" + name;
  if (!add_file(plugin, path, plugin.binary)) {
    note(plugin, " is not registered, because its binary was left out.");
  } else if (!is_loadable(name)) {
    note(plugin, " is not registered: AMX Mod X does not load a file of the name \"" + name +
                     "\" from a list.");
  } else {
    added_.binaries.push_back(name);
  }
}

void Adder::add(PluginOutcome& plugin) {
  const domain::PluginFile* entry = plugin.state == PluginOutcome::State::compiled
                                        ? domain::entry_point(plugin.version)
                                        : nullptr;
  if (entry == nullptr) return note(plugin, why_skipped(plugin));

  const std::string name = domain::binary_name(*entry);
  if (!domain::is_file_name(name)) {
    return note(plugin, " was left out: the name of its binary is too long.");
  }
  const auto [owner, is_new] = slug_of_binary_.emplace(name, plugin.slug);
  if (!is_new) {
    return note(plugin, " was left out: its binary " + name + " has the same name as that of \"" +
                            owner->second + "\".");
  }

  const std::size_t files_before = files_.size();
  add_binary(plugin, name);
  for (domain::PluginFile& file : plugin.version.files) {
    const std::string path = path_of(file);
    // The compiled binary replaces one that the author shipped.
    if (path == std::string(kPluginFolder) + "/" + name) continue;
    add_file(plugin, path, file.content);
  }
  if (files_.size() > files_before) added_.included.push_back(&plugin);
}

}  // namespace

AddedPlugins add_plugins(std::vector<PluginOutcome>& plugins, FileSet& files) {
  Adder adder(files);
  for (PluginOutcome& plugin : plugins) adder.add(plugin);
  return adder.take();
}

}  // namespace goldsmith::creator
