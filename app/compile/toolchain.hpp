// Installed compilers: `<root>/<line>/{amxxpc,amxxpc32.so,include/}`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::compile {

struct Toolchain {
  std::string line;                         // "1.8.2", "1.9", "1.10"
  std::filesystem::path folder;             // absolute
  std::filesystem::path operator_includes;  // third-party includes for it; may not exist
};

// True when `#include <name>` finds a file, the operator's included. `name` must be a relative path
// that does not lead upwards (domain::is_relative_path), as it may come from a hostile source.
bool has_include(const Toolchain& toolchain, std::string_view name);

// A folder that the compile of every plugin searches for includes.
struct IncludeFolder {
  std::filesystem::path folder;
  bool exists = false;
  std::uint64_t files = 0;  // in it and below
};

// In the order in which they are searched. Throws sys::FileError.
std::vector<IncludeFolder> include_folders(const Toolchain& toolchain);

class Toolchains {
 public:
  // A line's third-party includes are looked for in `operator_includes`/<line>.
  Toolchains(std::filesystem::path root, std::filesystem::path operator_includes);

  // Those that are complete, in the order of domain::toolchain_lines().
  std::vector<Toolchain> installed() const;
  // Nothing when `line` is no known line or its folder is incomplete.
  std::optional<Toolchain> find(std::string_view line) const;

  // Where the line is, or would be.
  Toolchain place_of(std::string_view line) const;
  // Why find() finds nothing: the file that is missing or can't be used, by name. "" = it finds it.
  std::string defect(std::string_view line) const;

  // SHA-256 over the compiler, its library and every include, the operator's too, by relative path.
  // Cached by size and modification time, so that asking on every request is cheap. Not to be
  // called from several threads at once. Throws sys::FileError.
  std::string fingerprint(const Toolchain& toolchain) const;

 private:
  struct Fingerprint {
    std::string stamp;  // sizes and times that `digest` was computed for
    std::string digest;
  };

  std::filesystem::path root_;
  std::filesystem::path operator_includes_;
  mutable std::map<std::filesystem::path, Fingerprint> fingerprints_;
};

}  // namespace goldsmith::compile
