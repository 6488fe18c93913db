// The files of the folders and archives that are scanned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::scan {

struct HeapFile {
  std::filesystem::path on_disk;  // where it is, or was unpacked to if it has at most 1 MB
  std::string path;  // in UTF-8; equal starts of two paths are equal folders, or archives
  std::uint64_t size = 0;
};

// At most 1 MB. Throws sys::FileError.
std::string content_of(const HeapFile& file);

// What is not scanned, and why.
struct Refusal {
  std::string path;
  std::string reason;
};

class Heap {
 public:
  static constexpr std::size_t kMostFiles = 200'000;
  static constexpr int kDeepest = 64;  // folders in folders

  // The files of an archive, which is hostile, with their paths in it. They stay as long as the
  // heap. What it throws is the reason why the archive is refused; sys::Interrupted passes.
  using Unpack = std::function<std::vector<HeapFile>(const std::filesystem::path& archive)>;
  // `leave_out`: a folder that is not scanned; "" = none.
  explicit Heap(Unpack unpack, std::filesystem::path leave_out = {});
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // Adds a file, or all files of a folder and of the archives in it. Links are not followed; they,
  // and files with names that no manifest can have, are refused. Throws
  // std::filesystem::filesystem_error if `path` is not there.
  void add(const std::filesystem::path& path);

  const std::list<HeapFile>& files() const { return files_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }

  // Those whose path ends with `name`, in any case: the nearest to `folder` first, equally near
  // ones by path.
  std::vector<const HeapFile*> find(std::string_view name, std::string_view folder) const;
  // Those in a folder and below it, by path.
  std::vector<const HeapFile*> below(std::string_view folder) const;

 private:
  void add_folder(const std::filesystem::path& folder, int depth);
  void add_file(const std::filesystem::path& path);
  void add_archive(const std::filesystem::path& path);
  void keep(HeapFile file);
  bool is_full(const std::filesystem::path& at);
  void refuse(const std::filesystem::path& path, std::string reason);

  Unpack unpack_;
  std::filesystem::path leave_out_;
  std::list<HeapFile> files_;
  std::map<std::string, const HeapFile*, std::less<>> by_path_;  // null = an archive
  std::vector<Refusal> refusals_;
  bool is_full_ = false;
  std::multimap<std::string, const HeapFile*, std::less<>> by_lower_name_;
};

// Without the name of the file; "" = none.
std::string_view folder_of(std::string_view path);
// The name of the file alone.
std::string_view name_in(std::string_view path);
// True for `folder` itself, and what is below it.
bool is_below(std::string_view path, std::string_view folder);
// Steps from one folder to another, up and down.
std::size_t distance(std::string_view from, std::string_view to);

}  // namespace goldsmith::scan
