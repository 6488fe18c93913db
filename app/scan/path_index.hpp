// Files by the ends of their paths, the nearest to a folder first.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace goldsmith::scan {

struct SourceFile;

// A search costs about as much as what it visits, however many files have that name: those of an
// ending are sorted once, by depth and path, so that the ones in and below a folder are a range of
// each depth.
class PathIndex {
 public:
  // `file` must outlive the index. Its path begins with a slash.
  void add(const SourceFile& file);

  struct From {
    std::string_view folder;
    std::string_view within = {};  // the folder itself, or one above it; "" = everywhere
  };
  // False ends the search. `steps`: distance() from the folder.
  using Visit = std::function<bool(const SourceFile& file, std::size_t steps)>;
  // Those whose path ends with a slash and `name`, in any case: the nearest first, equally near
  // ones by path. For several threads, once everything is added.
  void visit(std::string_view name, const From& from, const Visit& visit) const;

 private:
  struct Place {
    std::size_t depth;  // folders above it
    const SourceFile* file;
  };
  using Places = std::vector<Place>;  // by depth, then path

  const Places& places_of(std::string_view name) const;

  mutable std::mutex mutex_;                      // what is below it
  mutable std::vector<const SourceFile*> files_;  // by path, read backwards, in lower case
  mutable bool is_sorted_ = true;
  // By where the files begin and end in the former: names of which the same files have the end
  // share one.
  mutable std::map<std::pair<std::size_t, std::size_t>, Places> places_;
};

}  // namespace goldsmith::scan
