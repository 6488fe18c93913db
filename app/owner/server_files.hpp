// The files of a server's folder that a run changes. Each name is looked for in the folder that is
// open, and no part of a path is followed if it is a link: nobody who may write there can turn a
// change elsewhere, while it is made either. Paths are relative to the folder, joined by `/`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/owner/folder.hpp"

namespace goldsmith::owner {

// What is at a path, as it is written in lists of changes: the SHA-256 of a file in hex, or one of
// these.
inline constexpr std::string_view kNothing = "-";
inline constexpr std::string_view kIsFolder = "folder";    // or a link to one
inline constexpr std::string_view kIsLink = "symlink";     // to anything else
inline constexpr std::string_view kIsSpecial = "special";  // neither of these

// What is read of a list or of configuration.
inline constexpr std::size_t kMostOfSmallFile = 1U << 20;

class ServerFiles {
 public:
  // Of a folder that is open.
  explicit ServerFiles(Descriptor root) : root_(std::move(root)) {}

  int root() const { return root_.get(); }
  // Behind a folder that is a link: nothing. std::nullopt if a file can't be read.
  std::optional<std::string> look(std::string_view path) const;
  bool is_file(std::string_view path) const;
  bool is_folder(std::string_view path) const;
  bool exists(std::string_view path) const;  // also as a link that leads nowhere
  // The first of the folders above that is a link, or none that can be written in and entered, or
  // is no folder; "" if there is none.
  std::string link_above(std::string_view path) const;
  std::optional<std::string> read(std::string_view path, std::size_t most) const;
  std::vector<std::string> names_in(std::string_view folder) const;  // sorted
  // All that is neither a folder nor behind a link.
  void each_below(const std::string& folder,
                  const std::function<void(const std::string& path)>& use) const;

  // These are false, with errno, if they can't be done, and leave nothing half done.
  // The folders above a path; those that are new are added to `made`.
  bool make_parents(std::string_view path, std::vector<std::string>* made = nullptr) const;
  bool make_folder(std::string_view path) const;
  // Makes or replaces a file, with its folders.
  bool write(std::string_view path, std::string_view content, unsigned mode = 0644) const;
  // What is at the one path gets to the other, in place of a file that is there. Through a copy
  // where it is another file system.
  bool move(std::string_view from, std::string_view to) const;
  // Another link to a file, or a copy of it, with mode and time; of a link the same.
  bool keep(std::string_view from, std::string_view to) const;
  bool remove(std::string_view path) const;
  // The folders above a path that are empty.
  void remove_empty_above(std::string_view path) const;
  void remove_folder(std::string_view path) const;  // if it is empty
  bool remove_all(std::string_view path) const;     // a folder with all that is in it, or a file

  // The folder above a path, open, and the name in it.
  struct Place {
    Descriptor folder;
    std::string name;
  };
  Place place(std::string_view path) const;

 private:
  Descriptor root_;
};

}  // namespace goldsmith::owner
