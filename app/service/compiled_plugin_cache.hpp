// Binaries compiled for server builds, kept by content: source files, includes and toolchain
// (decision S7). Files `<root>/<key>.amxx`, or `<key>.rejected` where the compiler said no.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/compile/compiler.hpp"

namespace goldsmith::service {

struct Artefact {
  std::string binary;                 // "" = the compiler rejected the source
  std::string content_digest;         // of the plugin's files
  std::string toolchain_fingerprint;  // fingerprint
};

// True for the name of a kept one.
bool is_artefact(const std::filesystem::path& file);

// What is wrong with a kept one: a plugin that is not complete, a rejection that is not as it was
// written. "" = nothing. Throws sys::FileError.
std::string artefact_defect(const std::filesystem::path& file);

class CompiledPluginCache {
 public:
  CompiledPluginCache(std::filesystem::path root, const compile::Toolchains& toolchains,
                      const compile::Compiler& compiler);

  // From the cache, else compiled and kept. `take_compile` is asked before the compiler starts;
  // false throws FloodBrake. Throws CompilerUnavailable when there is no working compiler. A
  // rejection is kept where the compiler named an error (decision P15): what ended at a limit, or
  // without a reason, may pass another time or on another host.
  Artefact get(const std::string& toolchain_line, const domain::PluginVersion& version,
               const std::function<bool()>& take_compile) const;

 private:
  std::filesystem::path root_;
  const compile::Toolchains& toolchains_;
  const compile::Compiler& compiler_;
};

}  // namespace goldsmith::service
