// Files and folders that an operator names and others may change meanwhile (decision O19): links
// that they put there are not followed, whenever they appear.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/file.hpp"

namespace goldsmith::base {

// Opens a path. On the way, and at its end, follows only links that root or this process' user
// made: they say what their maker means; anybody else's may lead to what only the caller may read.
// Throws FileError.
UniqueFd open_named(const std::filesystem::path& path, int flags);
// The content of a regular file, opened like that; as read_file().
std::string read_named(const std::filesystem::path& path, std::uint64_t limit = 64U << 20);

// A folder that stays open, whatever happens to its path. Names are looked up in it alone: they are
// relative, joined by `/`, without `.` and `..`, and no link is followed, in the middle of a name
// neither (openat2(2)). "" is the folder itself. What throws, throws FileError.
class HeldFolder {
 public:
  enum class Kind { file, folder, link, other };
  struct Entry {
    std::string name;
    Kind kind = Kind::other;
    std::uint64_t size = 0;
    dev_t device = 0;  // with `inode`, what it is under any name
    ino_t inode = 0;
    mode_t mode = 0;  // the permissions
    uid_t owner = 0;
    gid_t group = 0;

    bool is_same(const Entry& other) const {
      return device == other.device && inode == other.inode;
    }
  };

  // As open_named(). Throws if it is no folder.
  explicit HeldFolder(const std::filesystem::path& path);
  // Makes the folders of the path that are missing.
  static HeldFolder make(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }  // as it was named, for messages

  // By name; at most `most`, or else throws with EFBIG.
  std::vector<Entry> entries(const std::string& folder = "", std::size_t most = 1'000'000) const;
  // std::nullopt if there is none.
  std::optional<Entry> entry(const std::string& name) const;

  // A regular file, for reading. Does not wait for the writer of a FIFO.
  UniqueFd open(const std::string& name) const;
  std::string read(const std::string& name, std::uint64_t limit = 64U << 20) const;

  // What a new file or folder has; the caller's own user and group if they are not named.
  struct Attributes {
    mode_t mode = 0644;
    std::optional<uid_t> owner = {};
    std::optional<gid_t> group = {};
  };
  // As write_atomically(); makes the folders of the name that are missing.
  void write(const std::string& name, std::string_view bytes) const;
  // Both in this folder, without `/`. Replaces nothing: throws if there is a `to`.
  void rename(const std::string& from, const std::string& to) const;
  // write() of what `fill` writes to the descriptor. What it throws passes, and changes nothing.
  void write(const std::string& name, const std::function<void(int)>& fill,
             const Attributes& attributes) const;
  // Makes a folder unless there is one, and gives it these attributes.
  void make_folder(const std::string& name, const Attributes& attributes) const;
  // Makes a symbolic link, which replaces a file or link of that name.
  void link(const std::string& name, const std::string& target) const;
  // Where a symbolic link leads.
  std::string target_of(const std::string& name) const;
  // A file, or an empty folder. False if there is none, or if the folder is not empty.
  bool remove(const std::string& name) const;
  // With all that is in it. Does nothing if there is none.
  void remove_all(const std::string& name) const;

 private:
  HeldFolder(std::filesystem::path path, UniqueFd fd);
  UniqueFd open_beneath(const std::string& name, int flags, std::string_view attempted) const;
  // The folder that the last part of a name is in.
  UniqueFd parent_of(const std::string& name, bool makes) const;
  void replace(const UniqueFd& folder, const std::string& temporary, const std::string& name) const;

  std::filesystem::path path_;
  UniqueFd fd_;
};

}  // namespace goldsmith::base
