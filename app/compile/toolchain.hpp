// Installed compilers: `<root>/<line>/{amxxpc,amxxpc32.so,include/}`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/pawn/includes.hpp"

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
using InstalledIncludes = pawn::IncludeIndex<InstalledInclude>;

// True if `#include <name>` finds a file, also among the operator's. Precondition: `name`, which
// may come from a hostile source, is a relative path without ".." (domain::is_relative_path).
bool has_include(const Toolchain& toolchain, std::string_view name);

// A folder that the compile of every plugin searches for includes.
struct IncludeFolder {
  std::filesystem::path folder;
  bool exists = false;
  std::uint64_t files = 0;  // in it and below
};

// In the order in which they are searched. Throws base::FileError.
std::vector<IncludeFolder> include_folders(const Toolchain& toolchain);

// The files that `#include <name>` finds, by name: relative to the folder that is searched, with
// its extension. Those of a plugin's own folder aside. Throws base::FileError.
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
  // Throws base::FileError.
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

// Notices changed toolchains, with which compiled plugins become stale: the operator replaces
// compilers and includes without telling the service.
class ToolchainWatch {
 public:
  explicit ToolchainWatch(const Toolchains& toolchains) : toolchains_(toolchains) {}

  // A number that moves when an installed toolchain changed. Looks at each of their files, some
  // hundred: once a request is enough.
  std::uint64_t generation();

  // generation(), but looks at the files at most once a second. `now`: seconds since the epoch.
  std::uint64_t recent_generation(std::int64_t now);

  // The fingerprints of the installed lines, as of the last call of either.
  const std::map<std::string, std::string>& fingerprints() const { return seen_; }

  // The fingerprint of a toolchain as of the last call of generation(), for the many look-ups of
  // one request: what is kept under a fingerprint needs that of compile::Toolchains, which looks at
  // every file. Throws base::FileError.
  std::string fingerprint(const Toolchain& toolchain) const;

 private:
  const Toolchains& toolchains_;
  std::map<std::string, std::string> seen_;  // fingerprints of the installed lines
  std::uint64_t generation_ = 0;
  std::int64_t looked_at_ = -1;  // second of the last look
};

}  // namespace goldsmith::compile
