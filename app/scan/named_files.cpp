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
  FileSearch(const Heap& heap, const HeapFile& source, const Answers& answers,
             const domain::FileOwners& owners, Collected& collected)
      : heap_(heap), source_(source), answers_(answers), owners_(owners), collected_(collected) {
    for (const domain::PluginFile& file : collected.version.files) {
      places_.insert(to_lower_ascii(file.install_dir + '/' + file.filename));
    }
  }

  void add_named(const std::string& name) {
    if (!names_.insert(to_lower_ascii(name)).second) return;
    const std::vector<const HeapFile*> found = candidates(name);
    if (found.empty()) return;
    const HeapFile* const file =
        choose(heap_, {source_, "file " + to_lower_ascii(name), name}, found, answers_, collected_);
    if (!file) return;
    const std::string path = place_of(*file, name);
    if (!path.empty()) add(*file, path);
  }

  void add_own(std::string_view folder) {
    for (const HeapFile* file : heap_.below(folder)) {
      const std::string path = is_resource(file->path) ? installed_path(file->path) : "";
      if (!path.empty() && !is_foreign(*file, path)) add(*file, path);
    }
  }

  void tell() {
    std::vector<std::string>& notes = collected_.notes;
    notes.insert(notes.begin(), foreign_.rbegin(), foreign_.rend());
    if (left_out_ == 0) return;
    notes.push_back(first_left_out_ + (left_out_ == 1 ? "" : " and others") +
                    " are left out: a plugin has at most " + std::to_string(kMostFiles) +
                    " files, of at most 1 MB each and " + std::to_string(kMostBytes >> 20) +
                    " MB together");
  }

 private:
  static constexpr std::size_t kMostFiles = 500;
  static constexpr std::uint64_t kMostBytes = domain::kMostVersionBytes;

  // Those that may belong to the source, the nearest first: in its tree, or not far and by their
  // paths certainly what the source means. Two collections may lie side by side.
  std::vector<const HeapFile*> candidates(const std::string& name) {
    constexpr std::size_t kFar = 6;
    constexpr std::size_t kMost = 100;
    constexpr std::size_t kMostLookedAt = 1000;
    const std::string_view folder = folder_of(source_.path);
    const std::string_view tree = tree_of(source_.path);
    std::vector<std::pair<std::size_t, const HeapFile*>> found;
    const auto take = [&](const HeapFile& file, std::size_t steps) {
      if (!is_foreign(file, place_of(file, name))) found.emplace_back(steps, &file);
    };
    std::size_t seen = 0;
    heap_.visit(name, {folder, tree}, [&](const HeapFile& file, std::size_t steps) {
      take(file, steps);
      return ++seen < kMost;
    });
    heap_.visit(name, {folder}, [&](const HeapFile& file, std::size_t steps) {
      ++seen;
      if (steps > kFar) return false;
      if (!is_below(file.path, tree) && is_meant(file.path, name)) take(file, steps);
      return seen < kMostLookedAt;
    });
    if (seen == 0) {  // in the source's own folder, whatever folders the source names
      heap_.visit(name_in(name), {folder, folder}, [&](const HeapFile& file, std::size_t steps) {
        if (steps == 0) take(file, steps);
        return steps == 0;
      });
    }
    std::sort(found.begin(), found.end(), [](const auto& one, const auto& other) {
      return std::pair(one.first, std::string_view(one.second->path)) <
             std::pair(other.first, std::string_view(other.second->path));
    });
    std::vector<const HeapFile*> files;
    for (const auto& [steps, file] : found) files.push_back(file);
    return files;
  }

  static bool is_meant(std::string_view path, std::string_view name) {
    const std::string installed = installed_path(path);
    if (installed.empty()) return false;
    return name.find('/') != name.npos || folder_of(installed).find('/') == std::string::npos ||
           installed.starts_with("addons/amxmodx/");
  }

  // Where the game looks for it; "" if that is not known.
  static std::string place_of(const HeapFile& file, const std::string& name) {
    std::string path = installed_path(file.path);
    if (path.empty()) path = installed_path_by_name(name);
    return spelled(std::move(path), name);
  }

  // Servers have one there already.
  bool is_foreign(const HeapFile& file, const std::string& path) {
    const std::string on_server = "cstrike/" + path;
    const std::string_view owner = owners_.find(on_server);
    if (owner.empty()) return false;
    std::string note = file.path + " is left out: " + on_server + " is a file of ";
    note += owner;
    if (told_.insert(note).second) foreign_.push_back(std::move(note));
    return true;
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
  const domain::FileOwners& owners_;
  Collected& collected_;
  std::set<std::string> names_;  // that were looked for, in lower case
  std::set<std::string> places_;
  std::set<std::string> told_;
  std::vector<std::string> foreign_;  // notes
  std::uint64_t bytes_ = 0;
  std::size_t left_out_ = 0;
  std::string first_left_out_;
};

}  // namespace

std::string install_dir_of(std::string_view path) {
  return std::string(folder_of(installed_path(path)));
}

void add_named_files(const Heap& heap, const HeapFile& source, std::string_view own,
                     const SourceFacts& facts, const Answers& answers,
                     const domain::FileOwners& owners, Collected& collected) {
  FileSearch search(heap, source, answers, owners, collected);
  for (const std::string& name : facts.files) search.add_named(name);
  if (!own.empty()) search.add_own(own);
  search.tell();
}

}  // namespace goldsmith::scan
