#include "app/service/artefacts.hpp"

#include <system_error>

#include "app/service/plugin_content.hpp"
#include "app/service/server_builds.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/log.hpp"

namespace goldsmith::service {
namespace {

compile::Compilation compile_or_throw(const compile::Compiler& compiler,
                                      const compile::Toolchain& toolchain,
                                      const domain::PluginVersion& version,
                                      const std::function<bool()>& take_compile) {
  if (!take_compile()) throw FloodBrake();
  compile::Compilation compilation = compiler.compile(toolchain, version);
  if (compilation.result == compile::Result::unavailable) {
    throw CompilerUnavailable("toolchain " + toolchain.line + ": " + compilation.cause);
  }
  return compilation;
}

// The folder is made on first use, so that a fresh cache volume needs no preparation. A full disk
// costs the next build a compile, but this one has what it needs.
void keep(const std::filesystem::path& file, const std::string& bytes) {
  try {
    std::filesystem::create_directories(file.parent_path());
    sys::write_atomically(file, bytes);
  } catch (const std::runtime_error& error) {
    sys::log(sys::LogLevel::warning, "a compiled plugin can't be kept", {{"cause", error.what()}});
  }
}

}  // namespace

Artefacts::Artefacts(std::filesystem::path root, const compile::Toolchains& toolchains,
                     const compile::Compiler& compiler)
    : root_(std::move(root)), toolchains_(toolchains), compiler_(compiler) {}

Artefact Artefacts::get(const std::string& toolchain_line, const domain::PluginVersion& version,
                        const std::function<bool()>& take_compile) const {
  const auto toolchain = toolchains_.find(toolchain_line);
  if (!toolchain) throw CompilerUnavailable("toolchain " + toolchain_line + " is not installed");

  Artefact artefact;
  artefact.content_digest = content_digest(version);
  artefact.toolchain_print = toolchains_.fingerprint(*toolchain);
  const std::string key = sys::sha256_hex("artefact 1\n" + artefact.content_digest + "\n" +
                                          artefact.toolchain_print + "\n");
  const std::filesystem::path compiled = root_ / (key + ".amxx");
  const std::filesystem::path rejected = root_ / (key + ".rejected");

  std::error_code ignored;
  if (std::filesystem::exists(compiled, ignored)) {
    artefact.binary = sys::read_file(compiled);
    // A damaged file (a disk that lies, a hand that edits) is compiled anew instead of served.
    if (compile::is_valid_amxx(artefact.binary)) return artefact;
  } else if (std::filesystem::exists(rejected, ignored)) {
    return artefact;
  }

  const compile::Compilation compilation =
      compile_or_throw(compiler_, *toolchain, version, take_compile);
  artefact.binary = compilation.binary;
  if (compilation.result == compile::Result::compiled) {
    keep(compiled, compilation.binary);
  } else if (!compilation.limit_hit) {
    keep(rejected, compilation.output);
  }
  return artefact;
}

}  // namespace goldsmith::service
