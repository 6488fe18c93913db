#include "app/service/compiled_plugin_cache.hpp"

#include <cerrno>
#include <optional>
#include <utility>

#include "app/service/plugin_content.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/log.hpp"

namespace goldsmith::service {
namespace {

constexpr const char* kCompiled = ".amxx";
constexpr const char* kRejected = ".rejected";

// What a kept rejection begins with: a digest of the rest, which is the compiler's output. One that
// was damaged, or written by other rules, would make this host's build hashes differ from others'.
std::string rejection_of(const std::string& output) {
  return "rejection 1 " + sys::sha256_hex(output) + "\n" + output;
}

bool is_rejection(const std::string& text) {
  const std::size_t line_end = text.find('\n');
  return line_end != std::string::npos && text == rejection_of(text.substr(line_end + 1));
}

// std::nullopt when it is not there: never was, or was pruned a moment ago.
std::optional<std::string> read_kept(const std::filesystem::path& file) try {
  if (!sys::mark_used(file)) return std::nullopt;
  return sys::read_file(file);
} catch (const sys::FileError& error) {
  if (error.error_number() == ENOENT) return std::nullopt;
  throw;
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

bool is_artefact(const std::filesystem::path& file) {
  const std::string key = file.stem().string();
  const bool is_kept = file.extension() == kCompiled || file.extension() == kRejected;
  return is_kept && sys::is_sha256_hex(key);
}

std::string artefact_defect(const std::filesystem::path& file) {
  const std::string bytes = sys::read_file(file);
  if (file.extension() == kCompiled) {
    return compile::is_complete_amxx(bytes) ? "" : "not a compiled plugin";
  }
  return is_rejection(bytes) ? "" : "not a rejection as the compiler gave it";
}

CompiledPluginCache::CompiledPluginCache(std::filesystem::path root,
                                         const compile::Toolchains& toolchains,
                                         const compile::Compiler& compiler)
    : root_(std::move(root)), toolchains_(toolchains), compiler_(compiler) {}

std::filesystem::path CompiledPluginCache::file_of(const CompiledBinary& wanted,
                                                   const char* extension) const {
  const std::string key = sys::sha256_hex("artefact 1\n" + wanted.content_digest + "\n" +
                                          wanted.toolchain_fingerprint + "\n");
  return root_ / (key + extension);
}

CompiledOutcome CompiledPluginCache::get(const std::string& toolchain_line,
                                         const domain::PluginVersion& version,
                                         const std::optional<domain::Permit>& may_compile) const {
  const auto toolchain = toolchains_.find(toolchain_line);
  if (!toolchain) return CompileObstacle(not_installed(toolchain_line));

  CompiledBinary wanted;
  wanted.content_digest = content_digest(version);
  wanted.toolchain_fingerprint = toolchains_.fingerprint(*toolchain);
  if (auto binary = read_kept(file_of(wanted, kCompiled))) {
    // A damaged file (a disk that lies, a hand that edits) is compiled again instead of served.
    wanted.binary = std::move(*binary);
    if (compile::is_valid_amxx(wanted.binary)) return wanted;
  } else if (const auto rejection = read_kept(file_of(wanted, kRejected));
             rejection && is_rejection(*rejection)) {
    return Rejected{};
  }
  if (!may_compile) return CompileObstacle(NeedsCompile{});
  return compile(*toolchain, version, *may_compile, std::move(wanted));
}

CompiledOutcome CompiledPluginCache::compile(const compile::Toolchain& toolchain,
                                             const domain::PluginVersion& version,
                                             const domain::Permit& may_compile,
                                             CompiledBinary wanted) const {
  if (const auto refusal = may_compile.ask()) return CompileObstacle(*refusal);
  compile::Compilation compilation = compiler_.compile(toolchain, version);
  switch (compilation.result) {
    case compile::Result::unavailable:
      break;
    case compile::Result::failed:
      if (!compilation.is_verdict()) return Rejected{.is_final = false};
      keep(file_of(wanted, kRejected), rejection_of(compilation.output));
      return Rejected{};
    case compile::Result::compiled:
      wanted.binary = std::move(compilation.binary);
      keep(file_of(wanted, kCompiled), wanted.binary);
      return wanted;
  }
  return CompileObstacle(
      CompilerUnavailable{"toolchain " + toolchain.line + ": " + compilation.cause});
}

}  // namespace goldsmith::service
