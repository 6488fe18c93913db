#include "app/scan/layout.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::string_view kScripting = "addons/amxmodx/scripting";
constexpr std::size_t kMostIncludes = 128;

// Follows what the source includes, its own includes too; a circle ends as each is read once.
class IncludeSearch {
 public:
  IncludeSearch(const SourceTree& tree, const SourceFile& source, const IsInstalled& is_installed,
                const pawn::Answers& answers, const pawn::TextReader& reader, Collected& collected)
      : tree_(tree),
        source_(source),
        is_installed_(is_installed),
        answers_(answers),
        reader_(reader),
        collected_(collected) {}

  void follow(std::string_view content) {
    std::vector<std::string> open = reader_.included_names(content);
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
    for (const std::string& candidate : pawn::include_candidates(name)) {
      // `../x.inc` is looked for by its name, too.
      const std::string plain(domain::is_relative_path(candidate) ? candidate : name_in(candidate));
      if (plain.find('.') == plain.npos) continue;
      auto found = tree_.find(plain, folder_of(source_.path));
      std::erase(found, &source_);
      if (!found.empty()) return add(plain, candidate, found);
    }
    collected_.missing.push_back(name);
    return {};
  }

  // Where compilers find it: in the folder of includes, or from the source's own folder.
  std::string place_of(std::string_view as_named, const SourceFile& file) const {
    constexpr std::string_view kInclude = "include/";
    constexpr std::string_view kAbove = "../";  // of the folder of includes
    std::string folder(kScripting);
    const bool is_from_source = base::to_lower_ascii(as_named).starts_with(kInclude);
    const bool is_above =
        as_named.starts_with(kAbove) && domain::is_relative_path(as_named.substr(kAbove.size()));
    if (is_above) as_named.remove_prefix(kAbove.size());
    if (!domain::is_relative_path(as_named)) as_named = name_in(as_named);
    const bool is_beside = folder_of(file.path) == folder_of(source_.path);
    if (!is_beside && !is_above && !is_from_source) folder += "/include";
    const std::string_view inner = folder_of(as_named);
    return inner.empty() ? folder : folder + '/' + std::string(inner);
  }

  // `name`: the end of the file's path; `as_named`: with all that the source says.
  std::vector<std::string> add(const std::string& name, std::string_view as_named,
                               const std::vector<const SourceFile*>& candidates) {
    const SourceFile* const file =
        choose(tree_, {source_, "include " + base::to_lower_ascii(name), name}, candidates,
               answers_, collected_);
    if (!file) return {};
    const std::string folder = place_of(as_named, *file);
    // Names in several cases, or through several folders, may mean one file.
    if (!places_.insert(base::to_lower_ascii(folder + '/' + std::string(name_in(name)))).second) {
      return {};
    }
    // As the source spells it: compilers on Linux tell letter cases apart.
    const std::optional<domain::PluginFile> made =
        plugin_file(*file, std::string(name_in(name)), folder, collected_.notes);
    if (!made) return {};
    constexpr std::size_t kNear = 1;
    if (distance(folder_of(source_.path), folder_of(file->path)) > kNear) {
      collected_.notes.push_back(name + " is the one at " + file->path);
    }
    collected_.own_includes.push_back(made->content);
    collected_.version.files.push_back(*made);
    return reader_.included_names(made->content);
  }

  const SourceTree& tree_;
  const SourceFile& source_;
  const IsInstalled& is_installed_;
  const pawn::Answers& answers_;
  const pawn::TextReader& reader_;
  Collected& collected_;
  std::set<std::string> known_;
  std::set<std::string> places_;
};

}  // namespace

Collected collect(const SourceTree& tree, const SourceFile& source, const IsInstalled& is_installed,
                  const pawn::Answers& answers, const pawn::TextReader& reader) {
  Collected collected;
  domain::PluginFile entry;
  entry.content = source.read();
  entry.filename = name_in(source.path);
  entry.install_dir = kScripting;
  entry.kind = "sma";
  entry.is_primary = true;
  entry.size_bytes = static_cast<std::int64_t>(entry.content.size());
  entry.sha1 = base::sha1_hex(entry.content);
  const std::string content = entry.content;
  collected.version.files.push_back(std::move(entry));
  IncludeSearch(tree, source, is_installed, answers, reader, collected).follow(content);
  return collected;
}

namespace {

constexpr std::size_t kMostCompared = 20;

// The first of each content; files that can't be read are left out.
std::vector<const SourceFile*> different(const SourceTree& tree,
                                         const std::vector<const SourceFile*>& files) {
  std::vector<const SourceFile*> kept;
  std::vector<std::string_view> digests;
  for (const SourceFile* file : files) {
    if (kept.size() == kMostCompared) break;
    const std::string_view digest = tree.digest(*file);
    if (digest.empty() || std::find(digests.begin(), digests.end(), digest) != digests.end()) {
      continue;
    }
    digests.push_back(digest);
    kept.push_back(file);
  }
  return kept;
}

// In the source's folder or tree, beside the folder, or in the includes of a folder above.
bool is_near(std::string_view source, std::string_view file) {
  const std::string_view folder = folder_of(file);
  if (distance(folder_of(source), folder) <= 1 || is_below(file, tree_of(source))) return true;
  return name_in(folder) == "include" && is_below(source, folder_of(folder));
}

}  // namespace

const SourceFile* choose(const SourceTree& tree, const Wanted& wanted,
                         const std::vector<const SourceFile*>& candidates,
                         const pawn::Answers& answers, Collected& collected) {
  const SourceFile* nearest = candidates.front();
  if (nearest->size > pawn::kLargestSource) {
    collected.notes.push_back(nearest->path + " is left out: it has " +
                              base::readable_size(nearest->size) + ", and at most 1 MB is allowed");
    return nullptr;
  }
  if (candidates.size() == 1 || is_near(wanted.source.path, nearest->path)) return nearest;
  const std::vector<const SourceFile*> others = different(tree, candidates);
  if (others.size() < 2) return nearest;
  pawn::Question question{
      wanted.topic,
      "several files named " + wanted.name + " differ; which one is right? The nearest is proposed",
      nearest->path,
      {}};
  question.is_shared = true;
  for (const SourceFile* other : others) question.choices.push_back(other->path);
  const std::string path = pawn::ask(std::move(question), answers, collected.asked);
  const auto chosen = std::find_if(others.begin(), others.end(),
                                   [&](const SourceFile* file) { return file->path == path; });
  return chosen == others.end() ? nearest : *chosen;
}

std::optional<domain::PluginFile> plugin_file(const SourceFile& file, std::string filename,
                                              std::string install_dir,
                                              std::vector<std::string>& notes) try {
  domain::PluginFile made;
  made.content = file.read();
  made.filename = std::move(filename);
  made.install_dir = std::move(install_dir);
  const std::size_t dot = made.filename.rfind('.');
  made.kind = dot == std::string::npos ? "" : base::to_lower_ascii(made.filename.substr(dot + 1));
  made.size_bytes = static_cast<std::int64_t>(made.content.size());
  made.sha1 = base::sha1_hex(made.content);
  return made;
} catch (const base::FileError& failure) {
  notes.emplace_back(failure.what());
  return std::nullopt;
}

std::string_view tree_of(std::string_view source) {
  const std::string_view folder = folder_of(source);
  const std::string lower = base::to_lower_ascii(folder);
  for (const std::string_view scripting :
       {"/addons/amxmodx/scripting", "/amxmodx/scripting", "/scripting"}) {
    if (lower.ends_with(scripting)) return folder.substr(0, folder.size() - scripting.size());
  }
  return folder;
}

namespace {

constexpr std::size_t kLongestSlug = domain::Slug::kMaxSize;

std::string hyphenated(std::string_view text, std::size_t limit) {
  std::string slug;
  for (const char c : base::to_lower_ascii(text)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      slug += c;
    } else if (!slug.empty() && slug.back() != '-' && c != '\'') {
      slug += '-';
    }
  }
  slug.resize(std::min(slug.size(), limit));
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

}  // namespace

domain::Version legal_version(std::string_view text) {
  std::string version;
  for (const char c : base::trim_ascii(text)) {
    if (domain::Version::is_legal(std::string("0") + c)) {
      if (c != '-' || !version.ends_with('-')) version += c;
    } else if (!version.empty() && version.back() != '-') {
      version += '-';
    }
  }
  if (version.starts_with('.')) version.insert(0, 1, '0');
  while (!version.empty() && !domain::Version::is_legal(version.substr(0, 1))) version.erase(0, 1);
  version.resize(std::min(version.size(), domain::Version::kMaxSize));
  while (version.ends_with('-')) version.pop_back();
  return domain::Version::parse(version).value_or(domain::Version("0"));
}

domain::Slug new_slug(const SlugSource& source, std::set<std::string>& taken) {
  constexpr std::size_t kShort = 3;
  constexpr std::size_t kEnding = 20;  // room for the author or a number
  std::string slug;
  const auto consider = [&](std::string_view text) {
    std::string next = hyphenated(text, kLongestSlug);
    const bool is_better = slug.empty() || (slug.size() < kShort && next.size() >= kShort);
    if (is_better && next != "plugin") slug = std::move(next);
  };
  consider(source.name);
  consider(source.file);
  if (slug.empty()) consider(source.folder);
  if (slug.empty()) slug = "unnamed";
  if (!taken.contains(slug)) return *domain::Slug::parse(*taken.insert(slug).first);
  const std::string start = hyphenated(slug, kLongestSlug - kEnding - 1);
  const std::string by = hyphenated(source.author, kEnding);
  std::string candidate = by.empty() ? slug : start + '-' + by;
  for (int number = 2; taken.contains(candidate); ++number) {
    candidate = fmt::format("{}-{}", start, number);
  }
  return *domain::Slug::parse(*taken.insert(candidate).first);
}

namespace {

// What a plugin needs beside its source: configuration, dictionaries, sounds, models, sprites.

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
  FileSearch(const SourceTree& tree, const SourceFile& source, const pawn::Answers& answers,
             const domain::FileOwners& owners, Collected& collected)
      : tree_(tree), source_(source), answers_(answers), owners_(owners), collected_(collected) {
    for (const domain::PluginFile& file : collected.version.files) {
      places_.insert(to_lower_ascii(file.install_dir + '/' + file.filename));
    }
  }

  void add_named(const std::string& name) {
    if (!names_.insert(to_lower_ascii(name)).second) return;
    if (to_lower_ascii(name).starts_with(kGame)) return add_placed(name.substr(kGame.size()));
    const std::vector<const SourceFile*> found = candidates(name);
    if (found.empty()) return;
    const SourceFile* const file =
        choose(tree_, {source_, "file " + to_lower_ascii(name), name}, found, answers_, collected_);
    if (!file) return;
    const std::string path = place_of(*file, name);
    if (!path.empty()) add(*file, path);
  }

  // The source says the place, but the file may lie in fewer folders than on a server.
  void add_placed(const std::string& path) {
    for (std::string_view rest = path;;) {
      const std::vector<const SourceFile*> found = candidates(std::string(rest), path);
      if (!found.empty()) {
        const SourceFile* const file = choose(
            tree_, {source_, "file " + to_lower_ascii(path), path}, found, answers_, collected_);
        if (file) add(*file, path);
        return;
      }
      const std::size_t slash = rest.find('/');
      if (slash == rest.npos) return;
      rest.remove_prefix(slash + 1);
    }
  }

  void add_own(std::string_view folder) {
    for (const SourceFile* file : tree_.below(folder)) {
      const std::string path = pawn::is_resource(file->path) ? installed(*file) : "";
      if (!path.empty() && !is_foreign(*file, path)) add(*file, path);
    }
  }

  void tell() {
    std::vector<std::string>& notes = collected_.notes;
    notes.insert(notes.begin(), foreign_.rbegin(), foreign_.rend());
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
    }
    std::sort(found.begin(), found.end(), [](const auto& one, const auto& other) {
      return std::pair(one.first, std::string_view(one.second->path)) <
             std::pair(other.first, std::string_view(other.second->path));
    });
    std::vector<const SourceFile*> files;
    for (const auto& [steps, file] : found) files.push_back(file);
    return files;
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
    if (path.empty()) path = installed_path_by_name(name);
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

  void add(const SourceFile& file, const std::string& path) {
    if (!places_.insert(to_lower_ascii(path)).second) return;
    bytes_ += file.size;
    const bool is_too_much = collected_.version.files.size() >= kMostFiles || bytes_ > kMostBytes;
    if (is_too_much || file.size > pawn::kLargestSource) {
      if (left_out_++ == 0) first_left_out_ = file.path;
      return;
    }
    auto made = plugin_file(file, std::string(name_in(path)), std::string(folder_of(path)),
                            collected_.notes);
    if (made) collected_.version.files.push_back(*std::move(made));
  }

  const SourceTree& tree_;
  const SourceFile& source_;
  const pawn::Answers& answers_;
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

void add_named_files(const SourceTree& tree, const SourceFile& source, std::string_view own,
                     const pawn::SourceFacts& facts, const pawn::Answers& answers,
                     const domain::FileOwners& owners, Collected& collected) {
  FileSearch search(tree, source, answers, owners, collected);
  for (const std::string& name : facts.files) search.add_named(name);
  if (!own.empty()) search.add_own(own);
  search.tell();
}

}  // namespace goldsmith::scan
