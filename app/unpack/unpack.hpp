// From the files of an upstream release, mostly archives, to the files that a server needs
// (decision S14): what goldsmith-unpack does in its sandbox. libarchive is behind this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::unpack {

struct Input {
  base::UniqueFd archive;  // a regular file, open for reading
  base::UniqueFd spill;    // an empty file, open for reading and writing, for what is taken from it
  std::string name;  // what the file is called, untrusted; a map may say that it is no archive
};

struct Job {
  std::vector<Input> inputs;
  base::UniqueFd output;   // an empty file, open for reading and writing
  base::UniqueFd origins;  // likewise
  domain::InstallRules rules;
  base::MirrorConfig limits;
  // Of files that are read, and never lie on a disk: names in archives need not be UTF-8, and may
  // differ in letter case alone; links are left out.
  bool any_names = false;
};

// Reads zip, rar, 7z and tar archives, the latter also as gz, xz, bz2 or zst, in order (a later one
// replaces a path of an earlier one; the limits count for all together), applies the rules, and
// writes a ZIP to the output: entries by path, deflated at level 9, one time stamp. Returns how
// many files were left out by rule, map, name or content. Equal archives and rules give equal
// bytes. Every entry is read to its end and must be safe, dropped ones too. Memory use does not
// depend on the size of the archives. Throws RefusedArchive (also if no file is left) and
// base::FileError; the output may then be incomplete.
//
// An input whose name InstallRules::file_map() knows is no archive, but one file of that name, to
// which the same applies. Because no packer has checked it, one that becomes a `.so` must be a
// whole library of 32-bit x86.
//
// To `origins` it writes a line for each file of the output, in its order: the number of the
// archive, from 0, a space, and the path in it; of one that has names (domain::has_names) then
// a tab and their names, separated by spaces.
//
// A file mapped to a `to` that is "" or ends in "/" keeps its name there.
//
// A name that is not UTF-8 is refused, or with `any_names` decoded folder by folder
// (base::detect_code_page()), with "_" for what is not printable. Links are refused, or with
// `any_names` left out: behind the other lines, `origins` has "- " and the path of each.
std::uint64_t unpack(Job job);

// base::printable(), cut after `longest` bytes, for a message.
std::string printable(std::string_view text, std::size_t longest = 200);

// The reader of the archive adds the name of the entry.
class RefusedEntry : public std::runtime_error {
 public:
  explicit RefusedEntry(const std::string& reason, bool is_too_much = false)
      : std::runtime_error(reason), is_too_much_(is_too_much) {}
  bool is_too_much() const { return is_too_much_; }  // for mirror.unpacked_mb

 private:
  bool is_too_much_;
};

// A file of the release. what() names the entry and the reason, but not the file, which is known by
// its number.
class RefusedArchive : public std::runtime_error {
 public:
  RefusedArchive(std::size_t number, const std::string& reason, bool is_too_much = false)
      : std::runtime_error(reason), number_(number), is_too_much_(is_too_much) {}
  std::size_t number() const { return number_; }     // from 1
  bool is_too_much() const { return is_too_much_; }  // as of RefusedEntry

 private:
  std::size_t number_;
  bool is_too_much_;
};

}  // namespace goldsmith::unpack
