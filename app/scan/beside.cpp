// What a plugin needs beside its source: configuration, dictionaries, sounds, models, sprites.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/domain/file_content.hpp"
#include "app/pawn/includes.hpp"
#include "app/scan/layout.hpp"

namespace goldsmith::scan {
namespace {

using base::to_lower_ascii;

constexpr std::string_view kPlatform = "addons/amxmodx/";
constexpr std::string_view kGame = "cstrike/";

// The part of a path from the last folder of that name on; "" if there is none.
std::string_view from_folder(std::string_view path, std::string_view top) {
  const std::size_t at = to_lower_ascii(path).rfind('/' + std::string(top) + '/');
  return at == path.npos ? "" : path.substr(at + 1);
}

// The folders of the game have names in lower case; those in them are as the source names them.
std::string with_lower_start(std::string_view path, std::string_view start) {
  return std::string(start) + std::string(path.substr(start.size()));
}

constexpr std::array<std::string_view, 9> kGameFolders{
    "sound", "models", "sprites", "gfx", "events", "resource", "maps", "overviews", "media"};

std::string installed_path(std::string_view path) {
  if (const auto rest = from_folder(path, "addons"); to_lower_ascii(rest).starts_with(kPlatform)) {
    return with_lower_start(rest, kPlatform);
  }
  for (const std::string_view top : kGameFolders) {
    const std::string_view rest = from_folder(path, top);
    if (!rest.empty()) return with_lower_start(rest, top);
  }
  for (const std::string_view top : {"data/lang", "configs", "data"}) {
    const std::string_view rest = from_folder(path, top);
    if (!rest.empty()) return std::string(kPlatform) + with_lower_start(rest, top);
  }
  return "";
}

// By what the name in the source, and its kind, tell where the path does not.
std::string installed_path_by_name(std::string_view name) {
  const std::string lower = to_lower_ascii(name);
  const bool is_bare = name.find('/') == name.npos;
  for (const std::string_view top : kGameFolders) {
    const std::string start = std::string(top) + '/';
    if (lower.starts_with(start)) return with_lower_start(name, start);
  }
  if (lower.ends_with(".wav")) return "sound/" + std::string(name);
  if (!is_bare) return "";
  constexpr std::array<std::string_view, 4> kConfiguration{".ini", ".cfg", ".txt", ".json"};
  const bool is_configuration =
      std::any_of(kConfiguration.begin(), kConfiguration.end(),
                  [&](std::string_view ending) { return lower.ends_with(ending); });
  return is_configuration ? "addons/amxmodx/configs/" + std::string(name) : "";
}

// `path`, but where it ends with `name` in another case, in the spelling of the source, which the
// game looks for.
std::string spelled(std::string path, std::string_view name) {
  if (path.size() < name.size()) return path;
  const std::size_t at = path.size() - name.size();
  if (base::equals_ignoring_case(std::string_view(path).substr(at), name)) {
    path.replace(at, name.size(), name);
  }
  return path;
}

class FileSearch {
 public:
  // `own`: the folder that is the plugin's alone; "" = there is none.
  FileSearch(const SourceTree& tree, const SourceFile& source, std::string_view own,
             const Answers& answers, const domain::FileOwners& owners, Collected& collected)
      : tree_(tree),
        source_(source),
        own_(own),
        answers_(answers),
        owners_(owners),
        collected_(collected),
        bytes_(collected.bytes) {
    for (const domain::PluginFile& file : collected.version.files) {
      places_.insert(to_lower_ascii(file.install_dir + '/' + file.filename));
    }
  }

  void add_named(const std::string& name) {
    if (!names_.insert(name).second) return;
    if (to_lower_ascii(name).starts_with(kGame)) return add_placed(name.substr(kGame.size()));
    const std::vector<const SourceFile*> found = candidates(name);
    if (found.empty()) return tell_refused(name);
    const SourceFile* const file =
        choose(tree_, {source_, Topic::file, name}, found, answers_, collected_);
    if (!file) return;
    const std::string path = place_of(*file, name);
    if (!path.empty()) add(*file, path, Why::named);
  }

  // The source says the place, but the file may lie in fewer folders than on a server, unless the
  // game has another one there.
  void add_placed(const std::string& path) {
    for (std::string_view rest = path;;) {
      const std::vector<const SourceFile*> found = candidates(std::string(rest), path);
      if (!found.empty()) {
        const SourceFile* const file =
            choose(tree_, {source_, Topic::file, path}, found, answers_, collected_);
        if (file) add(*file, path, Why::named);
        return;
      }
      const std::size_t slash = rest.find('/');
      if (slash == rest.npos || creator::is_in_base_game(to_lower_ascii(path))) {
        return tell_refused(path);
      }
      rest.remove_prefix(slash + 1);
    }
  }

  void add_own() {
    if (own_.empty()) return;
    for (const SourceFile* file : tree_.below(own_)) {
      const std::string path = pawn::is_resource(file->path) ? installed(*file) : "";
      if (!path.empty() && !is_foreign(*file, path)) add(*file, path, Why::own);
    }
  }

  void tell() {
    std::vector<std::string>& notes = collected_.notes;
    notes.insert(notes.begin(), foreign_.rbegin(), foreign_.rend());
    if (!placeholders_.empty()) {
      constexpr std::size_t kMostNamed = 3;
      notes.push_back("left out, as nothing is in them that a server needs: " +
                      base::join_some(placeholders_, kMostNamed));
    }
    if (left_out_ == 0) return;
    notes.push_back(fmt::format(
        "{}{} are left out: a plugin has at most {} files, of at most 1 MB each and {} MB together",
        first_left_out_, left_out_ == 1 ? "" : " and others", kMostFiles, kMostBytes >> 20));
  }

 private:
  static constexpr std::size_t kMostFiles = 500;
  static constexpr std::uint64_t kMostBytes = domain::kMostVersionBytes;

  // Those that may belong to the source, the nearest first: in its tree, or not far and by their
  // paths certainly what the source means. Two collections may lie side by side.
  // `place`: on a server; "" = as the path of each tells.
  std::vector<const SourceFile*> candidates(const std::string& name,
                                            const std::string& place = "") {
    constexpr std::size_t kFar = 6;
    constexpr std::size_t kMost = 100;
    constexpr std::size_t kMostLookedAt = 1000;
    const std::string_view folder = folder_of(source_.path);
    const std::string_view tree = tree_of(source_.path);
    std::vector<std::pair<std::size_t, const SourceFile*>> found;
    const auto take = [&](const SourceFile& file, std::size_t steps) {
      const std::string path = place.empty() ? place_of(file, name) : place;
      if (!is_foreign(file, path)) found.emplace_back(steps, &file);
    };
    std::size_t seen = 0;
    tree_.visit(name, {folder, tree}, [&](const SourceFile& file, std::size_t steps) {
      take(file, steps);
      return ++seen < kMost;
    });
    tree_.visit(name, {folder}, [&](const SourceFile& file, std::size_t steps) {
      ++seen;
      if (steps > kFar) return false;
      if (!is_below(file.path, tree) && is_meant(file, name)) take(file, steps);
      return seen < kMostLookedAt;
    });
    if (seen == 0) {  // in the source's own folder, whatever folders the source names
      tree_.visit(name_in(name), {folder, folder}, [&](const SourceFile& file, std::size_t steps) {
        if (steps == 0) take(file, steps);
        return steps == 0;
      });
      if (found.empty()) take_own(name, place, take);
    }
    std::sort(found.begin(), found.end(), [](const auto& one, const auto& other) {
      return std::pair(one.first, std::string_view(one.second->path)) <
             std::pair(other.first, std::string_view(other.second->path));
    });
    std::vector<const SourceFile*> files;
    for (const auto& [steps, file] : found) files.push_back(file);
    return files;
  }

  // The only one of that name in what is the plugin's alone, such as an archive of its models
  // without folders; not in place of one of the game's, and none that has a place of its own.
  void take_own(const std::string& name, const std::string& place, const auto& take) const {
    const std::string there = place.empty() ? installed_path_by_name(name) : place;
    if (own_.empty() || creator::is_in_base_game(to_lower_ascii(there))) return;
    std::vector<std::pair<const SourceFile*, std::size_t>> all;
    tree_.visit(name_in(name), {own_, own_}, [&](const SourceFile& file, std::size_t steps) {
      all.emplace_back(&file, steps);
      return all.size() < 2;
    });
    if (all.size() != 1) return;
    const auto& [file, steps] = all.front();
    const bool has_place = folder_of(installed(*file)).find('/') != std::string_view::npos;
    if (!has_place) take(*file, steps);
  }

  // As its path tells: the folders above those that are scanned say nothing.
  std::string installed(const SourceFile& file) const {
    return installed_path(tree_.scanned(file.path));
  }

  bool is_meant(const SourceFile& file, std::string_view name) const {
    const std::string place = installed(file);
    if (place.empty()) return false;
    return name.find('/') != name.npos || folder_of(place).find('/') == std::string::npos ||
           place.starts_with(kPlatform);
  }

  // Where the game looks for it; "" if that is not known.
  std::string place_of(const SourceFile& file, const std::string& name) const {
    std::string path = installed(file);
    const bool is_there = to_lower_ascii(path).ends_with(to_lower_ascii(name));
    if (std::string other = is_there ? "" : installed_path_by_name(name); !other.empty()) {
      path = std::move(other);
    }
    return spelled(std::move(path), name);
  }

  // Servers have one there already.
  bool is_foreign(const SourceFile& file, const std::string& path) {
    const std::string on_server = "cstrike/" + path;
    const std::string_view owner = owners_.find(on_server);
    if (owner.empty()) return false;
    std::string note = file.path + " is left out: " + on_server + " is a file of ";
    note += owner;
    if (told_.insert(note).second) foreign_.push_back(std::move(note));
    return true;
  }

  enum class Why { named, own };  // by the source; in a folder that is the plugin's alone

  void tell_refused(const std::string& name) {
    const std::string_view tree = tree_of(source_.path);
    scan::tell_refused(tree_, name, {tree, tree}, collected_);
  }

  void add(const SourceFile& file, const std::string& path, Why why) {
    if (!places_.insert(to_lower_ascii(path)).second) return add_again(file, path);
    bytes_ += file.size;
    const bool is_too_much = collected_.version.files.size() >= kMostFiles || bytes_ > kMostBytes;
    if (is_too_much || file.size > pawn::kLargestSource) {
      if (left_out_++ == 0) first_left_out_ = file.path;
      return;
    }
    const auto* const added =
        add_file(tree_, file, path, collected_,
                 [&](std::string_view content) { return is_fit(file, content, why); });
    if (added != nullptr) taken_.emplace(to_lower_ascii(path), &file);
  }

  // On servers whose disks tell no letter cases apart one file would replace the other.
  void add_again(const SourceFile& file, const std::string& path) {
    const auto other = taken_.find(to_lower_ascii(path));
    if (other == taken_.end() || other->second == &file ||
        !base::equals_ignoring_case(other->second->path, file.path) ||
        tree_.digest(*other->second) == tree_.digest(file)) {
      return;
    }
    collected_.unfit.push_back({file.path, "differs from " + other->second->path +
                                               " in content, and by name in letter case alone"});
    taken_.erase(other);  // it is told once
  }

  bool is_fit(const SourceFile& file, std::string_view content, Why why) {
    const std::string defect = domain::content_defect(file.path, content);
    const bool is_missed = why == Why::named && !defect.empty();
    if (!is_missed && domain::is_placeholder(file.path, content)) {
      placeholders_.push_back(file.path);
      return false;
    }
    if (!defect.empty()) collected_.unfit.push_back({file.path, defect});
    return defect.empty();
  }

  const SourceTree& tree_;
  const SourceFile& source_;
  const std::string_view own_;
  const Answers& answers_;
  const domain::FileOwners& owners_;
  Collected& collected_;
  std::set<std::string> names_;  // that were looked for
  std::set<std::string> places_;
  std::map<std::string, const SourceFile*> taken_;  // by place, in lower case
  std::vector<std::string> placeholders_;           // their paths
  std::set<std::string> told_;
  std::vector<std::string> foreign_;  // notes
  std::uint64_t bytes_;               // of all files
  std::size_t left_out_ = 0;
  std::string first_left_out_;
};

}  // namespace

void add_named_files(const SourceTree& tree, const SourceFile& source, std::string_view own,
                     const pawn::SourceFacts& facts, const Answers& answers,
                     const domain::FileOwners& owners, Collected& collected) {
  FileSearch search(tree, source, own, answers, owners, collected);
  for (const std::string& name : facts.files) search.add_named(name);
  search.add_own();
  search.tell();
}

}  // namespace goldsmith::scan
