// A folder of sources without manifests: its files, found by the ends of their paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/held_folder.hpp"
#include "app/scan/path_index.hpp"

namespace goldsmith::scan {

// The files of the folders and archives that are scanned.
using Folder = std::shared_ptr<const base::HeldFolder>;

struct SourceFile {
  // Reads what is in the file of that path.
  std::function<std::string(const std::string& path)> content;
  std::string path;  // in UTF-8; equal starts of two paths are equal folders, or archives
  std::uint64_t size = 0;
  // The files of an archive in an archive, with their paths in it; null for others. What it throws
  // is the reason why it is refused; base::Interrupted passes.
  std::function<std::vector<SourceFile>()> unpack = {};
  std::string refused = {};  // why an archive's file is not scanned; "" = it is

  // What is in it, at most 1 MB. Throws base::FileError, also if it has become a link since it was
  // listed.
  std::string read() const { return content(path); }
};
inline constexpr const char* kIsLink = "is a link; links are refused";
// Whether a file is an archive, by the end of its name in lower case.
bool is_archive(std::string_view lower);

// What is not scanned, and why.
struct Refusal {
  std::string path;
  std::string reason;

  std::string text() const { return path + ' ' + reason; }
};

// Of all that is added: what is above is refused, and named.
struct SourceBounds {
  std::size_t files = 200'000;  // with folders, archives and what is refused
  std::uint64_t name_bytes = 64U << 20;
  std::uint64_t bytes = UINT64_MAX;  // of files and archives, and of the files in those
};

class SourceTree {
 public:
  using Bounds = SourceBounds;
  static constexpr int kDeepest = 64;        // folders in folders
  static constexpr int kDeepestArchive = 3;  // archives in archives, the outermost among them

  // The files of an archive, which is hostile, with their paths in it. They stay as long as the
  // source tree. `path`: for messages. What it throws is the reason why the archive is refused;
  // base::Interrupted passes.
  using Unpack = std::function<std::vector<SourceFile>(const base::UniqueFd& archive,
                                                       const std::filesystem::path& path)>;
  // `leave_out`: a folder that is not scanned; "" = none.
  explicit SourceTree(Unpack unpack, const std::filesystem::path& leave_out = {},
                      const Bounds& bounds = {});
  SourceTree(const SourceTree&) = delete;
  SourceTree& operator=(const SourceTree&) = delete;

  // Adds a file, or all files of a folder, of the archives in it, and of those in them. Links are
  // not followed; they, and files with names that no manifest can have, are refused. Throws
  // std::filesystem::filesystem_error if `path` is not there, and base::FileError.
  void add(const std::filesystem::path& path);

  // Adds the files of an archive that a forge made of a repository, without the folder that holds
  // them all. `name`, as "owner/name", stands for that folder in their paths, and `within` is the
  // only folder in it that counts; "" = all of them. Throws what the archive is refused for.
  void add_repository(const base::UniqueFd& archive, const std::string& name,
                      const std::string& within);

  // The path of one of its files without what is above the folder or file that was added; it begins
  // with a slash.
  std::string_view scanned(std::string_view path) const;

  // Says of something that it is not scanned.
  void refuse(const std::filesystem::path& path, std::string reason);

  const Bounds& bounds() const { return bounds_; }
  const std::list<SourceFile>& files() const { return files_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }
  // The nearest whose path ends with `name`, in any case; nullptr if there is none.
  const Refusal* find_refused(std::string_view name, const PathIndex::From& from) const;

  // The files whose path ends with `name`, in any case: the nearest to `folder` first, equally near
  // ones by path; at most 100.
  std::vector<const SourceFile*> find(std::string_view name, std::string_view folder) const;
  // As PathIndex::visit().
  void visit(std::string_view name, const PathIndex::From& from,
             const PathIndex::Visit& visit) const {
    index_.visit(name, from, visit);
  }
  // The files in a folder and below it, by path.
  std::vector<const SourceFile*> below(std::string_view folder) const;
  // What is in one of its files, each time the same. Throws base::FileError, also if that has
  // changed. For several threads, as digest().
  std::string read(const SourceFile& file) const;
  // The SHA-1 of what read() returns; "" if it has more than 1 MB, or can't be read.
  const std::string& digest(const SourceFile& file) const;

 private:
  using Entry = base::HeldFolder::Entry;

  // `inner`: in `folder`.
  void add_folder(const Folder& folder, const std::string& inner, int depth);
  void add_entry(const Folder& folder, const std::string& inner, const Entry& entry, int depth);
  void add_file(const Folder& folder, const std::string& inner, const Entry& entry);
  // `depth`: archives around it.
  void add_archive(const std::filesystem::path& path,
                   const std::function<std::vector<SourceFile>()>& unpack, int depth);
  void add_archived(SourceFile file, const std::filesystem::path& path, int depth);
  void keep(SourceFile file);
  bool is_full(const std::filesystem::path& at);
  // False, and it is refused, if its bytes are too many.
  bool takes(const std::filesystem::path& path, std::uint64_t bytes);

  Unpack unpack_;
  Bounds bounds_;
  std::size_t seen_ = 0;
  std::uint64_t name_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  std::optional<Entry> leave_out_;
  std::vector<std::string> above_;  // what is above the paths that were added
  std::list<SourceFile> files_;
  // Views of the files' own paths, and of those of archives, which have null.
  std::map<std::string_view, const SourceFile*> by_path_;
  std::list<std::string> archives_;
  std::vector<Refusal> refusals_;
  bool is_full_ = false;
  PathIndex index_;
  std::list<SourceFile> refused_;  // the files of refusals_, without content
  PathIndex refused_index_;
  mutable std::mutex digests_mutex_;  // of what is below it
  mutable std::map<const SourceFile*, std::string> digests_;
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
