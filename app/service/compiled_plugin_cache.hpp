// Binaries compiled for server builds, kept by content: source files, includes and toolchain
// (decision S7). Files `<root>/<key>.amxx`, or `<key>.rejected` where the compiler said no.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "app/domain/permit.hpp"
#include "app/service/compile_outcomes.hpp"
#include "app/service/fair_compiles.hpp"
#include "app/service/folder_budget.hpp"
#include "app/service/toolchain_watch.hpp"

namespace goldsmith::service {

struct CompiledBinary {
  std::string binary;          // the .amxx file
  std::string content_digest;  // of the plugin's files
  std::string toolchain_fingerprint;
};

// The source does not compile with that toolchain.
struct Rejected {
  bool is_final = true;  // false: another try may pass
};

using CompiledOutcome = std::variant<CompiledBinary, Rejected, CompileObstacle>;

// True for the name of a kept one.
bool is_artefact(const std::filesystem::path& file);

// What is wrong with a kept one: a plugin that is not complete, a rejection that is not as it was
// written. "" = nothing. Throws sys::FileError.
std::string artefact_defect(const std::filesystem::path& file);

class CompiledPluginCache {
 public:
  CompiledPluginCache(std::filesystem::path root, const compile::Toolchains& toolchains,
                      const ToolchainWatch& watch, const FairCompiles& compiles,
                      FolderBudget& budget);

  // From the cache, else compiled and kept. `may_compile` is asked before the compiler starts;
  // std::nullopt = never compile: NeedsCompile for what is not kept. A rejection is kept where the
  // compiler named an error (decision P15): what ended at a limit, or without a reason, may pass
  // another time or on another host. Throws sys::FileError when the cache can't be read.
  CompiledOutcome get(const std::string& toolchain_line, const domain::PluginVersion& version,
                      const std::optional<domain::Permit>& may_compile) const;

 private:
  void keep(const std::filesystem::path& file, const std::string& bytes) const;
  std::filesystem::path file_of(const CompiledBinary& wanted, const char* extension) const;
  CompiledOutcome compile(const FairCompiles::Source& source, const domain::Permit& may_compile,
                          CompiledBinary wanted) const;

  std::filesystem::path root_;
  const compile::Toolchains& toolchains_;
  const ToolchainWatch& watch_;
  const FairCompiles& compiles_;
  FolderBudget& budget_;  // of root_
};

}  // namespace goldsmith::service
