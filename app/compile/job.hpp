// The files of one compile: the folder that the compiler sees.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/base/file.hpp"
#include "app/compile/toolchain.hpp"
#include "app/domain/plugin.hpp"
#include "app/host/process.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::compile {

// Layout below folder(): the entry point under a fixed name, `src/` with the plugin's other files
// side by side, `tree/` with those that are installed below the entry point's folder, at their
// relative path (`include/mod/x.inc` for `#include <mod/x>`), `more/` with the includes of add(),
// and `out/` for what the compiler makes. In a sandbox it has only the files of create_output()
// from there, in a folder in memory that is mounted over `work/`, where it may create a few others.
// Names chosen by a plugin occur in `src/`, `tree/` and `more/` alone, so that none can pass for a
// source, an option or an output.
class Job {
 public:
  // `entry` is one of `version`'s files; it and those of is_placed() have their content. Throws
  // base::FileError, and std::invalid_argument for invalid file names (decision R15).
  Job(const std::filesystem::path& scratch, const domain::PluginVersion& version,
      const domain::PluginFile& entry);

  const std::filesystem::path& folder() const { return scratch_.path(); }
  // "plugin.sma", unless the plugin has another file of that name.
  const std::string& source() const { return source_; }

  // Adds includes to `more/`. Throws base::FileError.
  void add(const std::vector<ExtraInclude>& includes) const;

  // An empty file in `out/`, for a compiler that is given that file alone. Throws base::FileError.
  void create_output(const std::string& name) const;

  // For a process of root that compiles as `account`: lets that one alone read the job, and write
  // to `out/` and the files that are there. Throws base::FileError,
  // std::filesystem::filesystem_error.
  void give_to(const host::Account& account);

  // The output file in `out/`; "" if there is none, or if it is not a regular file of at most
  // `limit` bytes: a hostile source may make the compiler leave a link or a FIFO.
  std::string output(const std::string& name, std::uint64_t limit) const;

 private:
  void place(const domain::PluginFile& file, const domain::PluginFile& entry);
  void write(const std::filesystem::path& relative, std::string_view content) const;
  void write_below(const std::filesystem::path& folder, const std::string& name,
                   std::string_view content) const;

  base::TempDir scratch_;
  std::string source_ = "plugin.sma";
};

// Copies of toolchains for a process of root that compiles as `account`, which may not be allowed
// to enter their folders. Each folder is copied once, as it is then. For several threads.
class ToolchainCopies {
 public:
  // `scratch`: where the copies are until this is destroyed.
  ToolchainCopies(std::filesystem::path scratch, const host::Account& account);

  // Throws base::FileError, std::filesystem::filesystem_error.
  Toolchain copy_of(const Toolchain& toolchain);

 private:
  std::filesystem::path copied(const std::filesystem::path& folder);

  std::filesystem::path scratch_;
  host::Account account_;
  std::mutex mutex_;
  std::map<std::filesystem::path, std::unique_ptr<base::TempDir>> copies_;  // by what was copied
};

}  // namespace goldsmith::compile
