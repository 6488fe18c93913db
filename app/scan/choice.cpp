#include "app/scan/choice.hpp"

#include <algorithm>

#include "app/compile/job.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
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
  if (nearest->size > compile::kLargestSource) {
    collected.notes.push_back(nearest->path + " is left out: it has " +
                              sys::readable_size(nearest->size) + ", and at most 1 MB is allowed");
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
  made.kind = dot == std::string::npos ? "" : sys::to_lower_ascii(made.filename.substr(dot + 1));
  made.size_bytes = static_cast<std::int64_t>(made.content.size());
  made.sha1 = sys::sha1_hex(made.content);
  return made;
} catch (const sys::FileError& failure) {
  notes.emplace_back(failure.what());
  return std::nullopt;
}

std::string_view tree_of(std::string_view source) {
  const std::string_view folder = folder_of(source);
  const std::string lower = sys::to_lower_ascii(folder);
  for (const std::string_view scripting :
       {"/addons/amxmodx/scripting", "/amxmodx/scripting", "/scripting"}) {
    if (lower.ends_with(scripting)) return folder.substr(0, folder.size() - scripting.size());
  }
  return folder;
}

}  // namespace goldsmith::scan
