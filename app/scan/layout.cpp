#include "app/scan/layout.hpp"

#include <algorithm>
#include <set>

#include "app/compile/include_names.hpp"
#include "app/compile/job.hpp"
#include "app/domain/names.hpp"
#include "app/scan/choice.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
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
    for (const std::string& candidate : compile::include_candidates(name)) {
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
        choose(heap_, {source_, "include " + sys::to_lower_ascii(name), name}, candidates, answers_,
               collected_);
    if (!file) return {};
    std::string folder(kScripting);
    if (folder_of(file->path) != folder_of(source_.path)) folder += "/include";
    if (name.find('/') != name.npos) folder += '/' + std::string(folder_of(name));
    // Names in several cases, or through several folders, may mean one file.
    if (!places_.insert(sys::to_lower_ascii(folder + '/' + std::string(name_in(file->path))))
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
  entry.sha1 = sys::sha1_hex(entry.content);
  const std::string content = entry.content;
  collected.version.files.push_back(std::move(entry));
  IncludeSearch(heap, source, is_installed, answers, reader, collected).follow(content);
  return collected;
}

}  // namespace goldsmith::scan
