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
#include "app/domain/file_content.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/includes.hpp"
#include "app/scan/host.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::string_view kScripting = "addons/amxmodx/scripting";
constexpr std::size_t kMostIncludes = 128;

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

// Follows what the source includes, its own includes too; a circle ends as each is read once.
class IncludeSearch {
 public:
  IncludeSearch(const SourceTree& tree, const SourceFile& source, const IsInstalled& is_installed,
                const Answers& answers, const pawn::TextReader& reader, Collected& collected)
      : tree_(tree),
        source_(source),
        is_installed_(is_installed),
        answers_(answers),
        reader_(reader),
        collected_(collected) {}

  void follow(std::string_view content) {
    std::vector<std::string> open = reader_.names_included_by_source(content);
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
      if (tell_refused(tree_, plain, {folder_of(source_.path)}, collected_)) {
        collected_.missing.push_back(plain);
        return {};
      }
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
        choose(tree_, {source_, Topic::include, name}, candidates, answers_, collected_);
    if (!file) return {};
    const std::string folder = place_of(as_named, *file);
    // Names in several cases, or through several folders, may mean one file.
    if (!places_.insert(base::to_lower_ascii(folder + '/' + std::string(name_in(name)))).second) {
      return {};
    }
    // As the source spells it: compilers on Linux tell letter cases apart.
    const domain::PluginFile* const made =
        add_file(tree_, *file, folder + '/' + std::string(name_in(name)), collected_,
                 [&](std::string_view content) {
                   const std::string defect = domain::content_defect(name, content);
                   if (defect.empty()) return true;
                   collected_.missing.push_back(name);
                   collected_.unfit.push_back({file->path, defect});
                   return false;
                 });
    if (!made) return {};
    ++collected_.includes;
    if (collected_.bytes > domain::kMostVersionBytes) {
      throw Failure("is not scanned: what it includes has more than " +
                    base::binary_size(domain::kMostVersionBytes));
    }
    constexpr std::size_t kNear = 1;
    if (distance(folder_of(source_.path), folder_of(file->path)) > kNear) {
      collected_.notes.push_back(name + " is the one at " + file->path);
    }
    return reader_.included_names(made->content);
  }

  const SourceTree& tree_;
  const SourceFile& source_;
  const IsInstalled& is_installed_;
  const Answers& answers_;
  const pawn::TextReader& reader_;
  Collected& collected_;
  std::set<std::string> known_;
  std::set<std::string> places_;
};

}  // namespace

Collected collect(const SourceTree& tree, const SourceFile& source, const IsInstalled& is_installed,
                  const Answers& answers, const pawn::TextReader& reader) {
  Collected collected;
  domain::PluginFile entry =
      plugin_file(tree, source, std::string(name_in(source.path)), std::string(kScripting));
  entry.kind = "sma";
  entry.is_primary = true;
  const std::string content = entry.content;
  collected.bytes = content.size();
  collected.sources.push_back(&source);
  collected.version.files.push_back(std::move(entry));
  IncludeSearch(tree, source, is_installed, answers, reader, collected).follow(content);
  return collected;
}

const SourceFile* choose(const SourceTree& tree, const Wanted& wanted,
                         const std::vector<const SourceFile*>& candidates, const Answers& answers,
                         Collected& collected) {
  const SourceFile* nearest = candidates.front();
  const auto is_twin = [&](const SourceFile* other) {
    return base::equals_ignoring_case(other->path, candidates.front()->path);
  };
  bool is_spelled = true;  // or alone
  if (std::ranges::count_if(candidates, is_twin) > 1) {
    const auto spelled = std::ranges::find_if(candidates, [&](const SourceFile* other) {
      return is_twin(other) && other->path.ends_with(wanted.name);
    });
    is_spelled = spelled != candidates.end();
    if (is_spelled) nearest = *spelled;
  }
  if (nearest->size > pawn::kLargestSource) {
    collected.notes.push_back(nearest->path + " is left out: it has " +
                              base::readable_size(nearest->size) + ", and at most 1 MB is allowed");
    return nullptr;
  }
  if (is_spelled && (candidates.size() == 1 || is_near(wanted.source.path, nearest->path))) {
    return nearest;
  }
  const std::vector<const SourceFile*> others = different(tree, candidates);
  if (others.size() < 2) return nearest;
  Question question{.topic = wanted.topic,
                    .about = base::to_lower_ascii(wanted.name),
                    .text = "several files named " + wanted.name +
                            " differ; which one is right? The nearest is proposed",
                    .proposed = nearest->path,
                    .is_shared = true};
  for (const SourceFile* other : others) question.choices.push_back(other->path);
  const std::string path = ask(std::move(question), answers, collected.asked).value();
  const auto chosen = std::find_if(others.begin(), others.end(),
                                   [&](const SourceFile* file) { return file->path == path; });
  return chosen == others.end() ? nearest : *chosen;
}

domain::PluginFile plugin_file(const SourceTree& tree, const SourceFile& file, std::string filename,
                               std::string install_dir) {
  domain::PluginFile made;
  made.content = tree.read(file);
  made.filename = std::move(filename);
  made.install_dir = std::move(install_dir);
  const std::size_t dot = made.filename.rfind('.');
  made.kind = dot == std::string::npos ? "" : base::to_lower_ascii(made.filename.substr(dot + 1));
  made.size_bytes = static_cast<std::int64_t>(made.content.size());
  made.sha1 = tree.digest(file);
  return made;
}

const domain::PluginFile* add_file(const SourceTree& tree, const SourceFile& file,
                                   std::string_view path, Collected& collected,
                                   const Fits& fits) try {
  domain::PluginFile made =
      plugin_file(tree, file, std::string(name_in(path)), std::string(folder_of(path)));
  if (!fits(made.content)) return nullptr;
  collected.version.files.push_back(std::move(made));
  collected.sources.push_back(&file);
  const domain::PluginFile& added = collected.version.files.back();
  collected.bytes += added.content.size();
  return &added;
} catch (const base::FileError& failure) {
  collected.notes.emplace_back(failure.what());
  return nullptr;
}

bool tell_refused(const SourceTree& tree, std::string_view name, const PathIndex::From& from,
                  Collected& collected) {
  const Refusal* const refused = tree.find_refused(name, from);
  if (refused) collected.unfit.push_back(*refused);
  return refused != nullptr;
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

}  // namespace goldsmith::scan
