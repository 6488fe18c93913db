// The files of the folders and archives that are scanned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/scan/path_index.hpp"
#include "app/sys/held_folder.hpp"

namespace goldsmith::scan {

using Folder = std::shared_ptr<const sys::HeldFolder>;

struct HeapFile {
  // What is in it, at most 1 MB. Throws sys::FileError, also if it has become a link since it was
  // listed.
  std::function<std::string()> read;
  std::string path;  // in UTF-8; equal starts of two paths are equal folders, or archives
  std::uint64_t size = 0;
};
// One that is `name` in a folder.
HeapFile file_in(const Folder& folder, const std::string& name, std::string path,
                 std::uint64_t size);

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
  // heap. `path`: for messages. What it throws is the reason why the archive is refused;
  // sys::Interrupted passes.
  using Unpack = std::function<std::vector<HeapFile>(const sys::UniqueFd& archive,
                                                     const std::filesystem::path& path)>;
  // `leave_out`: a folder that is not scanned; "" = none.
  explicit Heap(Unpack unpack, const std::filesystem::path& leave_out = {});
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // Adds a file, or all files of a folder and of the archives in it. Links are not followed; they,
  // and files with names that no manifest can have, are refused. Throws
  // std::filesystem::filesystem_error if `path` is not there, and sys::FileError.
  void add(const std::filesystem::path& path);

  const std::list<HeapFile>& files() const { return files_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }

  // The files whose path ends with `name`, in any case: the nearest to `folder` first, equally near
  // ones by path; at most 100.
  std::vector<const HeapFile*> find(std::string_view name, std::string_view folder) const;
  // As PathIndex::visit().
  void visit(std::string_view name, const PathIndex::From& from,
             const PathIndex::Visit& visit) const {
    index_.visit(name, from, visit);
  }
  // The files in a folder and below it, by path.
  std::vector<const HeapFile*> below(std::string_view folder) const;
  // Equal for equal contents; "" if it has more than 1 MB, or can't be read. Each file is read
  // once.
  const std::string& digest(const HeapFile& file) const;

 private:
  using Entry = sys::HeldFolder::Entry;

  // `inner`: in `folder`.
  void add_folder(const Folder& folder, const std::string& inner, int depth);
  void add_entry(const Folder& folder, const std::string& inner, const Entry& entry, int depth);
  void add_file(const Folder& folder, const std::string& inner, const Entry& entry);
  void add_archive(const Folder& folder, const std::string& inner);
  void keep(HeapFile file);
  bool is_full(const std::filesystem::path& at);
  void refuse(const std::filesystem::path& path, std::string reason);

  Unpack unpack_;
  std::optional<Entry> leave_out_;
  std::list<HeapFile> files_;
  std::map<std::string, const HeapFile*, std::less<>> by_path_;  // null = an archive
  std::vector<Refusal> refusals_;
  bool is_full_ = false;
  PathIndex index_;
  mutable std::map<const HeapFile*, std::string> digests_;
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
