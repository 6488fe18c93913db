// Installed compilers: `<root>/<line>/{amxxpc,amxxpc32.so,include/}`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/compile/include_index.hpp"

namespace goldsmith::compile {

// A file that is written for one compile.
struct ExtraInclude {
  std::string name;  // as the source names it, with the extension; a relative path of legal names
  std::string content;
};

struct Toolchain {
  std::string line;                         // "1.8.2", "1.9", "1.10"
  std::filesystem::path folder;             // absolute
  std::filesystem::path operator_includes;  // third-party includes for it; may not exist
  std::vector<ExtraInclude> more = {};      // what is searched last; see equip()
};

// An include of a toolchain or of the operator.
struct InstalledInclude {
  std::filesystem::path path;
  std::vector<std::string> includes;  // that it names
};
using InstalledIncludes = IncludeIndex<InstalledInclude>;

// True if `#include <name>` finds a file, also among the operator's. Precondition: `name`, which
// may come from a hostile source, is a relative path without ".." (domain::is_relative_path).
bool has_include(const Toolchain& toolchain, std::string_view name);

// A folder that the compile of every plugin searches for includes.
struct IncludeFolder {
  std::filesystem::path folder;
  bool exists = false;
  std::uint64_t files = 0;  // in it and below
};

// In the order in which they are searched. Throws sys::FileError.
std::vector<IncludeFolder> include_folders(const Toolchain& toolchain);

// The files that `#include <name>` finds, by name: relative to the folder that is searched, with
// its extension. Those of a plugin's own folder aside. Throws sys::FileError.
std::map<std::string, std::filesystem::path> includes(const Toolchain& toolchain);

class Toolchains {
 public:
  // The third-party includes of a line are in `operator_includes`/<line>.
  Toolchains(std::filesystem::path root, std::filesystem::path operator_includes);

  // The complete ones, in the order of domain::toolchain_lines().
  std::vector<Toolchain> installed() const;
  // std::nullopt if `line` is unknown or its folder incomplete.
  std::optional<Toolchain> find(std::string_view line) const;

  // Where the line is, or would be installed.
  Toolchain place_of(std::string_view line) const;
  // Why find() returns std::nullopt: names the file that is missing or unusable. "" if it does not.
  std::string defect(std::string_view line) const;

  // SHA-256 over the compiler, its library and every include, the operator's too, by relative path.
  // Cached by size and modification time, so that it is cheap on every request. Not thread-safe.
  // Throws sys::FileError.
  std::string fingerprint(const Toolchain& toolchain) const;
  // The includes as of the last call of fingerprint() for the toolchain, which it calls if there
  // was none; valid until the next one.
  const InstalledIncludes& include_index(const Toolchain& toolchain) const;

 private:
  struct Known {
    std::string stamp;  // sizes and times that the rest was made for
    std::string fingerprint;
    InstalledIncludes includes;
  };

  std::filesystem::path root_;
  std::filesystem::path operator_includes_;
  mutable std::map<std::filesystem::path, Known> known_;
};

}  // namespace goldsmith::compile
