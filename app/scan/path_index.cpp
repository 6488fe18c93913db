#include <algorithm>
#include <queue>
#include <utility>

#include "app/base/text.hpp"
#include "app/scan/source_tree.hpp"

namespace goldsmith::scan {
namespace {

bool is_less_backwards(std::string_view one, std::string_view other) {
  return std::lexicographical_compare(
      one.rbegin(), one.rend(), other.rbegin(), other.rend(),
      [](char a, char b) { return base::lower_ascii(a) < base::lower_ascii(b); });
}

std::string_view last_of(std::string_view path, std::size_t count) {
  return path.substr(path.size() - std::min(path.size(), count));
}

std::size_t depth_of(std::string_view folder) {
  return static_cast<std::size_t>(std::count(folder.begin(), folder.end(), '/'));
}

}  // namespace

void PathIndex::add(const SourceFile& file) {
  const std::lock_guard lock(mutex_);
  files_.push_back(&file);
  is_sorted_ = false;
}

const PathIndex::Places& PathIndex::places_of(std::string_view name) const {
  const std::string ending = '/' + std::string(name);
  const std::lock_guard lock(mutex_);
  if (!is_sorted_) {
    std::sort(files_.begin(), files_.end(), [](const SourceFile* one, const SourceFile* other) {
      return is_less_backwards(one->path, other->path);
    });
    places_.clear();
    is_sorted_ = true;
  }
  const auto first =
      std::partition_point(files_.begin(), files_.end(), [&](const SourceFile* file) {
        return is_less_backwards(last_of(file->path, ending.size()), ending);
      });
  const auto last = std::partition_point(first, files_.end(), [&](const SourceFile* file) {
    return !is_less_backwards(ending, last_of(file->path, ending.size()));
  });
  const auto [known, is_new] =
      places_.try_emplace({static_cast<std::size_t>(first - files_.begin()),
                           static_cast<std::size_t>(last - files_.begin())});
  Places& places = known->second;
  if (!is_new) return places;
  for (auto each = first; each != last; ++each) {
    places.push_back({depth_of(folder_of((*each)->path)), *each});
  }
  std::sort(places.begin(), places.end(), [](const Place& one, const Place& other) {
    return std::pair(one.depth, std::string_view(one.file->path)) <
           std::pair(other.depth, std::string_view(other.file->path));
  });
  return places;
}

void PathIndex::visit(std::string_view name, const From& from, const Visit& visit) const {
  // Neighbours in the order of the places, all at one distance.
  struct Run {
    std::size_t steps;
    Places::const_iterator at;
    Places::const_iterator end;
    bool operator<(const Run& other) const {  // so that the nearest is on top
      return std::pair(other.steps, std::string_view(other.at->file->path)) <
             std::pair(steps, std::string_view(at->file->path));
    }
  };
  std::priority_queue<Run> runs;
  const auto add = [&](std::size_t steps, Places::const_iterator at, Places::const_iterator end) {
    if (at != end) runs.push({steps, at, end});
  };

  const Places& places = places_of(name);
  const std::string start = std::string(from.folder) + '/';
  const std::size_t depth = depth_of(from.folder);
  for (auto at = places.begin(); at != places.end();) {
    auto end = std::partition_point(at, places.end(),
                                    [&](const Place& place) { return place.depth == at->depth; });
    const auto next = end;
    const std::size_t below = at->depth;
    // From the root to the folder: what is below a folder on the way, but not below the next one.
    std::size_t slash = start.find('/');
    for (std::size_t above = 0; at != end; ++above) {
      const std::size_t steps = depth + below - 2 * above;
      slash = start.find('/', slash + 1);
      if (slash == start.npos) {
        add(steps, at, end);
        break;
      }
      const std::string_view inner = std::string_view(start).substr(0, slash + 1);
      const auto first = std::partition_point(
          at, end, [&](const Place& place) { return place.file->path < inner; });
      const auto last = std::partition_point(
          first, end, [&](const Place& place) { return place.file->path.starts_with(inner); });
      if (slash > from.within.size()) {
        add(steps, at, first);
        add(steps, last, end);
      }
      at = first;
      end = last;
    }
    at = next;
  }

  while (!runs.empty()) {
    Run run = runs.top();
    runs.pop();
    if (!visit(*run.at->file, run.steps)) return;
    if (++run.at != run.end) runs.push(run);
  }
}

}  // namespace goldsmith::scan
