// The files of one compile: the folder that the compiler sees.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "app/domain/plugin.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::compile {

// Layout below folder(): the entry point under a fixed name, `src/` with the plugin's other files
// side by side, `tree/` with those that are installed below the entry point's folder, at their
// relative path (`include/mod/x.inc` for `#include <mod/x>`), and `out/`, the only folder that the
// compiler may write to. Names chosen by a plugin occur in `src/` and `tree/` alone, so that none
// can pass for a source, an option or an output.
class Job {
 public:
  // `entry` is one of `version`'s files. Throws sys::FileError, and std::invalid_argument for
  // invalid file names (decision R15).
  Job(const std::filesystem::path& scratch, const domain::PluginVersion& version,
      const domain::PluginFile& entry);

  const std::filesystem::path& folder() const { return scratch_.path(); }
  // "plugin.sma", unless the plugin has another file of that name.
  const std::string& source() const { return source_; }

  // The output file in `out/`; "" if there is none, or if it is not a regular file of at most
  // `limit` bytes: a hostile source may make the compiler leave a link or a FIFO.
  std::string output(const std::string& name, std::uint64_t limit) const;

 private:
  void place(const domain::PluginFile& file, const domain::PluginFile& entry);
  void write(const std::filesystem::path& relative, std::string_view content);

  sys::TempDir scratch_;
  std::string source_ = "plugin.sma";
};

}  // namespace goldsmith::compile
