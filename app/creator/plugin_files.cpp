#include "app/creator/plugin_files.hpp"

#include <map>
#include <string_view>
#include <utility>

#include "app/creator/generated_files.hpp"
#include "app/domain/names.hpp"
#include "app/sys/digest.hpp"

namespace goldsmith::creator {
namespace {

std::string plugin_named(std::string_view slug) { return "Plugin \"" + std::string(slug) + "\""; }

std::string_view text_of(SkipReason reason) {
  switch (reason) {
    case SkipReason::unknown:
      return " was skipped: the directory has no such plugin.";
    case SkipReason::unpublished:
      return " was skipped: it has no published version.";
    case SkipReason::no_source:
      return " was skipped: its latest version has no source to compile.";
    case SkipReason::rejected:
      break;
  }
  return " was skipped: it does not compile for the selected platform.";
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
  // True when the plugin has a file in the archive.
  bool add_compiled(const std::string& slug, CompiledPlugin& plugin);
  void add_binary(const std::string& slug, std::string& binary, const std::string& name);
  bool add_file(const std::string& slug, const std::string& path, std::string& content);
  void note(const std::string& slug, std::string_view what);

  FileSet& files_;
  std::map<std::string, std::string> slug_of_binary_;
  AddedPlugins added_;
};

void Adder::note(const std::string& slug, std::string_view what) {
  added_.notes.push_back(plugin_named(slug).append(what));
}

// True if the file was added to the archive for this plugin.
bool Adder::add_file(const std::string& slug, const std::string& path, std::string& content) {
  const PlannedFile* other = obstacle(files_, path);
  if (other == nullptr && !exclude_each_other(path, kPluginListPath)) {
    put_bytes(files_, path, std::move(content), "plugin:" + slug, Origin::plugin);
    return true;
  }
  if (other != nullptr && other->path == path && other->origin == Origin::plugin &&
      std::get<std::string>(other->source) == content) {
    return false;  // another plugin has added the same file
  }
  const std::string owner = other == nullptr ? "svc" : other->from;
  note(slug,
       ": its file " + path + " was left out, because \"" + owner + "\" already has a file there.");
  return false;
}

void Adder::add_binary(const std::string& slug, std::string& binary, const std::string& name) {
  const std::string path = std::string(kPluginFolder) + "/" + name;
  if (!add_file(slug, path, binary)) {
    note(slug, " is not registered, because its binary was left out.");
  } else if (!is_loadable(name)) {
    note(slug, " is not registered: AMX Mod X does not load a file of the name \"" + name +
                   "\" from a list.");
  } else {
    added_.binaries.push_back(name);
  }
}

bool Adder::add_compiled(const std::string& slug, CompiledPlugin& plugin) {
  const domain::PluginFile* entry = domain::entry_point(plugin.version);
  if (entry == nullptr) {
    note(slug, " was skipped: its latest version has nothing to install.");
    return false;
  }
  const std::string name = domain::binary_name(*entry);
  if (!domain::is_file_name(name)) {
    note(slug, " was left out: the name of its binary is too long.");
    return false;
  }
  const auto [owner, is_new] = slug_of_binary_.emplace(name, slug);
  if (!is_new) {
    note(slug, " was left out: its binary " + name + " has the same name as that of \"" +
                   owner->second + "\".");
    return false;
  }

  const std::size_t files_before = files_.size();
  add_binary(slug, plugin.binary, name);
  for (domain::PluginFile& file : plugin.version.files) {
    const std::string path = path_of(file);
    // The compiled binary replaces one that the author shipped.
    if (path == std::string(kPluginFolder) + "/" + name) continue;
    add_file(slug, path, file.content);
  }
  return files_.size() > files_before;
}

void Adder::add(PluginOutcome& plugin) {
  if (const auto* reason = std::get_if<SkipReason>(&plugin.result)) {
    note(plugin.slug, text_of(*reason));
  } else if (add_compiled(plugin.slug, std::get<CompiledPlugin>(plugin.result))) {
    added_.included.push_back(&plugin);
  }
}

}  // namespace

void put_bytes(FileSet& files, std::string_view path, std::string content, std::string_view from,
               Origin origin) {
  PlannedFile file;
  file.path = path;
  file.size = content.size();
  file.sha256 = sys::sha256_hex(content);
  file.from = from;
  file.origin = origin;
  file.source = std::move(content);
  files.insert_or_assign(std::string(path), std::move(file));
}

AddedPlugins add_plugins(std::vector<PluginOutcome>& plugins, FileSet& files) {
  Adder adder(files);
  for (PluginOutcome& plugin : plugins) adder.add(plugin);
  return adder.take();
}

}  // namespace goldsmith::creator
