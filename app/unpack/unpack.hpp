// From the archives of an upstream release to the files that a server needs (decision S14): what
// goldsmith-unpack does in its sandbox. libarchive is behind this.
#pragma once

#include <cstdint>
#include <vector>

#include "app/domain/component.hpp"
#include "app/sys/config.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::unpack {

struct Input {
  sys::UniqueFd archive;  // a regular file, open for reading
  sys::UniqueFd spill;    // an empty file, open for reading and writing, for what is taken from it
};

struct Job {
  std::vector<Input> inputs;
  sys::UniqueFd output;   // an empty file, open for reading and writing
  sys::UniqueFd origins;  // likewise
  domain::InstallRules rules;
  sys::MirrorConfig limits;
};

// Reads zip, tar, tar.gz, tar.xz and 7z archives in order (a later one replaces a path of an
// earlier one; the limits count for all together), applies the rules, and writes a ZIP to the
// output: entries by path, deflated at level 9, one time stamp. Returns how many files were left
// out by rule, map, name or content. Equal archives and rules give equal bytes. Every entry is read
// to its end and must be safe, dropped ones too. Memory use does not depend on the size of the
// archives. Throws RefusedArchive (also if no file is left) and sys::FileError; the output may then
// be incomplete.
//
// To `origins` it writes a line for each file of the output, in its order: the number of the
// archive, from 0, a space, and the path in it; of one that has natives (domain::has_natives) then
// a tab and their names, separated by spaces.
//
// A map's `from` ends in "/" or is "" (every path) = a folder, else it is a whole path; a file
// mapped to a `to` that ends in "/" keeps its name there.
std::uint64_t unpack(Job job);

}  // namespace goldsmith::unpack
