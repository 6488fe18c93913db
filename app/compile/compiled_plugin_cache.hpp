// Binaries compiled for server builds, kept by content: source files, includes and toolchain
// (decision S7). Files `<root>/<key>.amxx`, or `<key>.rejected` where the compiler said no.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/archive/cache_folder.hpp"
#include "app/base/config.hpp"
#include "app/compile/compile_inputs.hpp"
#include "app/compile/scheduler.hpp"
#include "app/domain/permit.hpp"
#include "app/host/shared_file.hpp"

namespace goldsmith::compile {

struct CompiledBinary {
  std::string binary;                 // the .amxx file
  std::string content_digest;         // of the plugin's files
  std::string toolchain_fingerprint;  // of compile::CompileInputs
  std::vector<std::string> warnings;  // of compile::CompileInputs
};

// The source does not compile with that toolchain.
struct Rejected {
  bool is_final = true;              // false: another try may pass
  std::string missing_include = {};  // as the source names it; "" = not the reason, or not known
  std::string hint = {};             // of compile_hint()
};

// Loads the content of what a compile reads, as PluginSources::load_sources.
using LoadSources = std::function<void(domain::PluginVersion&)>;

using CompiledOutcome = std::variant<CompiledBinary, Rejected>;

// The cache as a folder of files, with the limits that are configured.
archive::CacheFolder artefact_folder(const base::Config& config);

class CompiledPluginCache {
 public:
  // All processes that keep files in `folder`, of artefact_folder(), share the sum of their sizes
  // in the file `size`, which is made if it is missing: the folder need not be listed each time.
  // Throws base::FileError.
  CompiledPluginCache(const CompileService& compile, archive::CacheFolder folder,
                      const std::filesystem::path& size);

  // Whether the toolchain of that line is installed.
  bool can_compile(const std::string& toolchain_line) const {
    return compile_.toolchains.find(toolchain_line).has_value();
  }

  // Returns the kept binary, or else compiles and keeps it. `may_compile` is asked before the
  // compiler starts; std::nullopt = never compile: throws NeedsCompile if nothing is kept. A
  // rejection is kept if the compiler named an error (decision P15): what ended at a limit, or
  // without a reason, may pass another time or on another host. `version` is described: only a
  // compile needs its sources, which `load` loads then, if it is given. Throws domain::Failure when
  // nothing can be compiled, base::FileError when the cache can't be read, and what reading
  // `components` and `load` throw.
  CompiledOutcome get(const std::string& toolchain_line, const domain::PluginVersion& version,
                      const std::optional<domain::Permit>& may_compile,
                      const ComponentIncludes& components = {}, const LoadSources& load = {}) const;

 private:
  struct Size;

  Size& size() const { return *static_cast<Size*>(size_.data()); }
  bool make_room(std::uint64_t bytes) const;
  void keep(const std::filesystem::path& file, const std::string& bytes) const;
  std::filesystem::path file_of(const CompiledBinary& wanted, std::string_view extension) const;
  // A damaged file (a disk that lies, a hand that edits) is compiled again instead of served.
  std::optional<CompiledOutcome> kept(CompiledBinary wanted,
                                      const std::string& toolchain_line) const;
  CompileInputs equip(const Toolchain& toolchain, const domain::PluginVersion& version,
                      const ComponentIncludes& components) const;
  Rejected rejected_for(std::string missing_include, const std::string& toolchain_line) const;
  CompiledOutcome compile(const CompileScheduler::Source& source, const domain::Permit& may_compile,
                          CompiledBinary wanted) const;

  const CompileService& compile_;
  archive::CacheFolder folder_;
  host::SharedFile size_;
};

}  // namespace goldsmith::compile
