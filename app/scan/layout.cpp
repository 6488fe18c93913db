#include "app/scan/layout.hpp"

#include <algorithm>
#include <set>

#include "app/compile/include_names.hpp"
#include "app/compile/job.hpp"
#include "app/domain/names.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::string_view kScripting = "addons/amxmodx/scripting";
constexpr std::size_t kMostIncludes = 128;

domain::PluginFile file_of(const HeapFile& file, std::string filename, std::string install_dir) {
  domain::PluginFile made;
  made.content = sys::read_file(file.on_disk, compile::kLargestSource);
  made.filename = std::move(filename);
  made.install_dir = std::move(install_dir);
  const std::size_t dot = made.filename.rfind('.');
  made.kind = dot == std::string::npos ? "" : sys::to_lower_ascii(made.filename.substr(dot + 1));
  made.size_bytes = static_cast<std::int64_t>(made.content.size());
  made.sha1 = sys::sha1_hex(made.content);
  return made;
}

std::string name_in(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::string size_note(const HeapFile& file) {
  return file.path + " is left out: it has " + sys::readable_size(file.size) +
         ", and at most 1 MB is allowed";
}

// Follows what the source includes, its own includes too; a circle ends as each is read once.
class IncludeSearch {
 public:
  IncludeSearch(const Heap& heap, const HeapFile& source,
                const std::function<bool(const std::string&)>& is_installed, Collected& collected)
      : heap_(heap), source_(source), is_installed_(is_installed), collected_(collected) {}

  void follow(std::string_view content) {
    std::vector<std::string> open = compile::included_names(content);
    while (!open.empty() && known_.size() < kMostIncludes) {
      std::string name = std::move(open.back());
      open.pop_back();
      std::replace(name.begin(), name.end(), '\\', '/');
      if (!known_.insert(name).second || is_installed_(name)) continue;
      for (std::string& inner : add(name)) open.push_back(std::move(inner));
    }
  }

 private:
  // Returns what the file that was found includes.
  std::vector<std::string> add(const std::string& name) {
    for (const std::string& candidate : compile::include_candidates(name)) {
      // `../x.inc` is looked for by its name, too.
      const std::string plain =
          domain::is_relative_path(candidate) ? candidate : name_in(candidate);
      const auto found = heap_.find(plain, folder_of(source_.path));
      if (found.empty() || plain.find('.') == plain.npos) continue;
      const HeapFile& file = *found.front();
      if (&file == &source_) continue;
      if (file.size > compile::kLargestSource) {
        collected_.notes.push_back(size_note(file));
        return {};
      }
      return add(plain, file, found);
    }
    return {};
  }

  std::vector<std::string> add(const std::string& name, const HeapFile& file,
                               const std::vector<const HeapFile*>& candidates) try {
    std::string folder(kScripting);
    if (folder_of(file.path) != folder_of(source_.path)) folder += "/include";
    if (name.find('/') != name.npos) folder += '/' + std::string(folder_of(name));
    domain::PluginFile made = file_of(file, name_in(file.path), folder);
    ask_about_others(name, file, made.sha1, candidates);
    collected_.own_includes.push_back(made.content);
    std::vector<std::string> inner = compile::included_names(made.content);
    collected_.version.files.push_back(std::move(made));
    return inner;
  } catch (const sys::FileError& failure) {
    collected_.notes.emplace_back(failure.what());
    return {};
  }

  // One in the source's own folder or in the includes of its tree needs no question.
  void ask_about_others(const std::string& name, const HeapFile& file, const std::string& digest,
                        const std::vector<const HeapFile*>& candidates) {
    constexpr std::size_t kNear = 1;
    if (distance(folder_of(source_.path), folder_of(file.path)) <= kNear) return;
    for (const HeapFile* other : candidates) {
      if (other->size > compile::kLargestSource) continue;
      if (other == &file || sys::sha1_hex(sys::read_file(other->on_disk)) == digest) continue;
      collected_.questions.push_back("several files named " + name + " differ; is the nearest, " +
                                     file.path + ", the right one?");
      return;
    }
  }

  const Heap& heap_;
  const HeapFile& source_;
  const std::function<bool(const std::string&)>& is_installed_;
  Collected& collected_;
  std::set<std::string> known_;
};

// Where the file belongs, below cstrike/, as its path or its kind tells; "" if neither does.
std::string install_dir_of(const HeapFile& file) {
  const std::string folder = sys::to_lower_ascii(folder_of(file.path)) + '/';
  const std::size_t addons = folder.rfind("/addons/amxmodx/");
  if (addons != folder.npos) return folder.substr(addons + 1, folder.size() - addons - 2);
  for (const std::string_view top : {"sound", "models", "sprites", "gfx"}) {
    const std::size_t at = folder.rfind('/' + std::string(top) + '/');
    if (at != folder.npos) return folder.substr(at + 1, folder.size() - at - 2);
  }
  for (const std::string_view top : {"configs", "data"}) {
    const std::size_t at = folder.rfind('/' + std::string(top) + '/');
    if (at != folder.npos) return "addons/amxmodx/" + folder.substr(at + 1, folder.size() - at - 2);
  }
  if (file.path.ends_with(".txt")) return "addons/amxmodx/data/lang";
  const bool is_configuration = file.path.ends_with(".ini") || file.path.ends_with(".cfg");
  return is_configuration ? "addons/amxmodx/configs" : "";
}

}  // namespace

Collected collect(const Heap& heap, const HeapFile& source,
                  const std::function<bool(const std::string& include)>& is_installed) {
  Collected collected;
  domain::PluginFile entry = file_of(source, name_in(source.path), std::string(kScripting));
  entry.is_primary = true;
  entry.kind = "sma";
  const std::string content = entry.content;
  collected.version.files.push_back(std::move(entry));
  IncludeSearch(heap, source, is_installed, collected).follow(content);
  return collected;
}

void add_named_files(const Heap& heap, const HeapFile& source, const SourceFacts& facts,
                     Collected& collected) {
  constexpr std::size_t kFar = 6;  // steps: two collections may lie side by side
  std::set<std::string> places;
  for (const std::string& name : facts.files) {
    const auto found = heap.find(name, folder_of(source.path));
    if (found.empty()) continue;
    const HeapFile& file = *found.front();
    const std::string folder = install_dir_of(file);
    if (folder.empty()) continue;
    if (distance(folder_of(source.path), folder_of(file.path)) > kFar) continue;
    if (file.size > compile::kLargestSource) {
      collected.notes.push_back(size_note(file));
      continue;
    }
    if (!places.insert(folder + '/' + name_in(file.path)).second) continue;
    try {
      collected.version.files.push_back(file_of(file, name_in(file.path), folder));
    } catch (const sys::FileError& failure) {
      collected.notes.emplace_back(failure.what());
    }
  }
}

}  // namespace goldsmith::scan
