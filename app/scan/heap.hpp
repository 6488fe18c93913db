// The files of the folders that are scanned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::scan {

struct HeapFile {
  std::filesystem::path on_disk;
  std::string path;  // in UTF-8; equal starts of two paths are equal folders
  std::uint64_t size = 0;
};

// What is not scanned, and why.
struct Refusal {
  std::string path;
  std::string reason;
};

class Heap {
 public:
  static constexpr std::size_t kMostFiles = 200'000;

  // Adds a file, or all files of a folder. Links are not followed; they, and files with names that
  // no manifest can have, are refused. Throws std::filesystem::filesystem_error if `path` is not
  // there.
  void add(const std::filesystem::path& path);

  const std::vector<HeapFile>& files() const { return files_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }

  // Those whose path ends with `name`, in any case: the nearest to `folder` first, equally near
  // ones by path.
  std::vector<const HeapFile*> find(std::string_view name, std::string_view folder) const;

 private:
  void add_file(const std::filesystem::path& path);

  std::vector<HeapFile> files_;
  std::vector<Refusal> refusals_;
  std::multimap<std::string, std::size_t, std::less<>> by_lower_name_;
};

// Without the name of the file; "" = none.
std::string_view folder_of(std::string_view path);
// Steps from one folder to another, up and down.
std::size_t distance(std::string_view from, std::string_view to);

}  // namespace goldsmith::scan
