// What a plugin needs beside its source: configuration, dictionaries, sounds, models, sprites.
#include <algorithm>
#include <array>
#include <set>

#include "app/compile/job.hpp"
#include "app/domain/names.hpp"
#include "app/scan/choice.hpp"
#include "app/scan/layout.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
namespace {

using sys::to_lower_ascii;

// The part of a path from the last folder of that name on; "" if there is none.
std::string_view from_folder(std::string_view path, std::string_view top) {
  const std::size_t at = to_lower_ascii(path).rfind('/' + std::string(top) + '/');
  return at == path.npos ? "" : path.substr(at + 1);
}

// The folders of the game have names in lower case; those in them are as the source names them.
std::string with_lower_start(std::string_view path, std::string_view start) {
  return std::string(start) + std::string(path.substr(start.size()));
}

std::string installed_path(std::string_view path) {
  for (const std::string_view top : {"sound", "models", "sprites", "gfx"}) {
    const std::string_view rest = from_folder(path, top);
    if (!rest.empty()) return with_lower_start(rest, top);
  }
  for (const std::string_view top : {"data/lang", "configs", "data"}) {
    const std::string_view rest = from_folder(path, top);
    if (!rest.empty()) return "addons/amxmodx/" + with_lower_start(rest, top);
  }
  return "";
}

// By what the name in the source, and its kind, tell where the path does not.
std::string installed_path_by_name(std::string_view name) {
  const std::string lower = to_lower_ascii(name);
  const bool is_bare = name.find('/') == name.npos;
  for (const std::string_view top : {"sound/", "models/", "sprites/", "gfx/"}) {
    if (lower.starts_with(top)) return with_lower_start(name, top);
  }
  if (lower.ends_with(".wav")) return "sound/" + std::string(name);
  if (!is_bare) return "";
  if (lower.ends_with(".txt")) return "addons/amxmodx/data/lang/" + std::string(name);
  const bool is_configuration = lower.ends_with(".ini") || lower.ends_with(".cfg");
  return is_configuration ? "addons/amxmodx/configs/" + std::string(name) : "";
}

// `path`, but where it ends with `name` in another case, in the spelling of the source, which the
// game looks for.
std::string spelled(std::string path, std::string_view name) {
  if (path.size() < name.size()) return path;
  const std::size_t at = path.size() - name.size();
  if (sys::equals_ignoring_case(std::string_view(path).substr(at), name)) {
    path.replace(at, name.size(), name);
  }
  return path;
}

bool is_resource(std::string_view path) {
  constexpr std::array<std::string_view, 9> kEndings{".wav", ".mp3", ".mdl", ".spr", ".tga",
                                                     ".bmp", ".txt", ".ini", ".cfg"};
  const std::string lower = to_lower_ascii(path);
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return lower.ends_with(ending); });
}

class FileSearch {
 public:
  FileSearch(const Heap& heap, const HeapFile& source, const Answers& answers, Collected& collected)
      : heap_(heap), source_(source), answers_(answers), collected_(collected) {
    for (const domain::PluginFile& file : collected.version.files) {
      places_.insert(to_lower_ascii(file.install_dir + '/' + file.filename));
    }
  }

  void add_named(const std::string& name) {
    std::vector<const HeapFile*> found = heap_.find(name, folder_of(source_.path));
    if (found.empty()) found = beside(name);
    std::erase_if(found, [&](const HeapFile* file) { return !may_belong(file->path, name); });
    if (found.empty()) return;
    const HeapFile* const file =
        choose({source_, "file " + to_lower_ascii(name), name}, found, answers_, collected_);
    if (!file) return;
    std::string path = installed_path(file->path);
    if (path.empty()) path = installed_path_by_name(name);
    if (!path.empty()) add(*file, spelled(std::move(path), name));
  }

  void add_own(std::string_view folder) {
    for (const HeapFile* file : heap_.below(folder)) {
      const std::string path = is_resource(file->path) ? installed_path(file->path) : "";
      if (!path.empty()) add(*file, path);
    }
  }

  void tell() {
    if (left_out_ == 0) return;
    collected_.notes.push_back(first_left_out_ + (left_out_ == 1 ? "" : " and others") +
                               " are left out: a plugin has at most " + std::to_string(kMostFiles) +
                               " files, of at most 1 MB each and " +
                               std::to_string(kMostBytes >> 20) + " MB together");
  }

 private:
  static constexpr std::size_t kMostFiles = 500;
  static constexpr std::uint64_t kMostBytes = 32U << 20;

  // In the source's own folder, whatever folders the source names.
  std::vector<const HeapFile*> beside(const std::string& name) const {
    std::vector<const HeapFile*> found = heap_.find(name_in(name), folder_of(source_.path));
    std::erase_if(found, [&](const HeapFile* file) {
      return folder_of(file->path) != folder_of(source_.path);
    });
    return found;
  }

  // In its tree, or not far and by its path certainly what the source means.
  bool may_belong(std::string_view path, std::string_view name) const {
    constexpr std::size_t kFar = 6;  // steps: two collections may lie side by side
    if (is_below(path, tree_of(source_.path))) return true;
    const std::string installed = installed_path(path);
    if (installed.empty() || distance(folder_of(source_.path), folder_of(path)) > kFar) {
      return false;
    }
    return name.find('/') != name.npos || folder_of(installed).find('/') == std::string::npos ||
           installed.starts_with("addons/amxmodx/");
  }

  void add(const HeapFile& file, const std::string& path) {
    if (!places_.insert(to_lower_ascii(path)).second) return;
    bytes_ += file.size;
    const bool is_too_much = collected_.version.files.size() >= kMostFiles || bytes_ > kMostBytes;
    if (is_too_much || file.size > compile::kLargestSource) {
      if (left_out_++ == 0) first_left_out_ = file.path;
      return;
    }
    auto made = plugin_file(file, std::string(name_in(path)), std::string(folder_of(path)),
                            collected_.notes);
    if (made) collected_.version.files.push_back(*std::move(made));
  }

  const Heap& heap_;
  const HeapFile& source_;
  const Answers& answers_;
  Collected& collected_;
  std::set<std::string> places_;
  std::uint64_t bytes_ = 0;
  std::size_t left_out_ = 0;
  std::string first_left_out_;
};

}  // namespace

std::string install_dir_of(std::string_view path) {
  return std::string(folder_of(installed_path(path)));
}

void add_named_files(const Heap& heap, const HeapFile& source, std::string_view own,
                     const SourceFacts& facts, const Answers& answers, Collected& collected) {
  FileSearch search(heap, source, answers, collected);
  for (const std::string& name : facts.files) search.add_named(name);
  if (!own.empty()) search.add_own(own);
  search.tell();
}

}  // namespace goldsmith::scan
