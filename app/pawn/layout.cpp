#include "app/pawn/layout.hpp"

#include <algorithm>
#include <set>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::string_view kScripting = "addons/amxmodx/scripting";
constexpr std::size_t kMostIncludes = 128;

// Follows what the source includes, its own includes too; a circle ends as each is read once.
class IncludeSearch {
 public:
  IncludeSearch(const Heap& heap, const HeapFile& source, const IsInstalled& is_installed,
                const Answers& answers, const TextReader& reader, Collected& collected)
      : heap_(heap),
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
      auto found = heap_.find(plain, folder_of(source_.path));
      std::erase(found, &source_);
      if (!found.empty()) return add(plain, found);
    }
    collected_.missing.push_back(name);
    return {};
  }

  std::vector<std::string> add(const std::string& name,
                               const std::vector<const HeapFile*>& candidates) {
    const HeapFile* const file =
        choose(heap_, {source_, "include " + base::to_lower_ascii(name), name}, candidates,
               answers_, collected_);
    if (!file) return {};
    std::string folder(kScripting);
    if (folder_of(file->path) != folder_of(source_.path)) folder += "/include";
    if (name.find('/') != name.npos) folder += '/' + std::string(folder_of(name));
    // Names in several cases, or through several folders, may mean one file.
    if (!places_.insert(base::to_lower_ascii(folder + '/' + std::string(name_in(file->path))))
             .second) {
      return {};
    }
    const std::optional<domain::PluginFile> made =
        plugin_file(*file, std::string(name_in(file->path)), folder, collected_.notes);
    if (!made) return {};
    constexpr std::size_t kNear = 1;
    if (distance(folder_of(source_.path), folder_of(file->path)) > kNear) {
      collected_.notes.push_back(name + " is the one at " + file->path);
    }
    collected_.own_includes.push_back(made->content);
    collected_.version.files.push_back(*made);
    return reader_.included_names(made->content);
  }

  const Heap& heap_;
  const HeapFile& source_;
  const IsInstalled& is_installed_;
  const Answers& answers_;
  const TextReader& reader_;
  Collected& collected_;
  std::set<std::string> known_;
  std::set<std::string> places_;
};

}  // namespace

Collected collect(const Heap& heap, const HeapFile& source, const IsInstalled& is_installed,
                  const Answers& answers, const TextReader& reader) {
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
  IncludeSearch(heap, source, is_installed, answers, reader, collected).follow(content);
  return collected;
}

namespace {

constexpr std::size_t kMostCompared = 20;

// The first of each content; files that can't be read are left out.
std::vector<const HeapFile*> different(const Heap& heap,
                                       const std::vector<const HeapFile*>& files) {
  std::vector<const HeapFile*> kept;
  std::vector<std::string_view> digests;
  for (const HeapFile* file : files) {
    if (kept.size() == kMostCompared) break;
    const std::string_view digest = heap.digest(*file);
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

const HeapFile* choose(const Heap& heap, const Wanted& wanted,
                       const std::vector<const HeapFile*>& candidates, const Answers& answers,
                       Collected& collected) {
  const HeapFile* nearest = candidates.front();
  if (nearest->size > pawn::kLargestSource) {
    collected.notes.push_back(nearest->path + " is left out: it has " +
                              base::readable_size(nearest->size) + ", and at most 1 MB is allowed");
    return nullptr;
  }
  if (candidates.size() == 1 || is_near(wanted.source.path, nearest->path)) return nearest;
  const std::vector<const HeapFile*> others = different(heap, candidates);
  if (others.size() < 2) return nearest;
  Question question{
      wanted.topic,
      "several files named " + wanted.name + " differ; which one is right? The nearest is proposed",
      nearest->path,
      {}};
  question.is_shared = true;
  for (const HeapFile* other : others) question.choices.push_back(other->path);
  const std::string path = ask(std::move(question), answers, collected.asked);
  const auto chosen = std::find_if(others.begin(), others.end(),
                                   [&](const HeapFile* file) { return file->path == path; });
  return chosen == others.end() ? nearest : *chosen;
}

std::optional<domain::PluginFile> plugin_file(const HeapFile& file, std::string filename,
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

domain::Slug new_slug(std::string_view name, std::string_view file, std::string_view author,
                      std::set<std::string>& taken) {
  constexpr std::size_t kShort = 3;
  constexpr std::size_t kEnding = 20;  // room for the author or a number
  std::string slug = hyphenated(name, kLongestSlug);
  if (slug.size() < kShort) slug = hyphenated(file, kLongestSlug);
  if (slug.empty()) slug = "plugin";
  if (!taken.contains(slug)) return *domain::Slug::parse(*taken.insert(slug).first);
  const std::string start = hyphenated(slug, kLongestSlug - kEnding - 1);
  const std::string by = hyphenated(author, kEnding);
  std::string candidate = by.empty() ? slug : start + '-' + by;
  for (int number = 2; taken.contains(candidate); ++number) {
    candidate = start + '-' + std::to_string(number);
  }
  return *domain::Slug::parse(*taken.insert(candidate).first);
}

}  // namespace goldsmith::pawn
