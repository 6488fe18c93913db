#include "app/service/compiled_plugin_cache.hpp"

#include <cerrno>
#include <optional>
#include <utility>

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
                                         const ToolchainWatch& watch, const FairCompiles& compiles,
                                         FolderBudget& budget)
    : root_(std::move(root)),
      toolchains_(toolchains),
      watch_(watch),
      compiles_(compiles),
      budget_(budget) {}

// The folder is made on first use, so that a fresh cache volume needs no preparation. A full disk
// costs the next build a compile, but this one has what it needs.
void CompiledPluginCache::keep(const std::filesystem::path& file, const std::string& bytes) const {
  constexpr const char* kNotKept = "a compiled plugin can't be kept";
  try {
    std::filesystem::create_directories(root_);
    if (budget_.make_room(bytes.size())) {
      sys::write_atomically(file, bytes);
    } else {
      sys::log(
          sys::LogLevel::warning, kNotKept,
          {{"cause", root_.string() + " has no room left (cache.artefacts_mb, cache.free_mb)"}});
    }
  } catch (const std::runtime_error& error) {
    sys::log(sys::LogLevel::warning, kNotKept, {{"cause", error.what()}});
  }
}

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

  const FairCompiles::Source source =
      FairCompiles::source(*toolchain, watch_.fingerprint(*toolchain), version);
  CompiledBinary wanted;
  wanted.content_digest = source.content_digest;
  wanted.toolchain_fingerprint = source.toolchain_fingerprint;
  if (auto binary = read_kept(file_of(wanted, kCompiled))) {
    // A damaged file (a disk that lies, a hand that edits) is compiled again instead of served.
    wanted.binary = std::move(*binary);
    if (compile::is_valid_amxx(wanted.binary)) return wanted;
  } else if (const auto rejection = read_kept(file_of(wanted, kRejected));
             rejection && is_rejection(*rejection)) {
    return Rejected{};
  }
  if (may_compile) return compile(source, *may_compile, std::move(wanted));
  if (compiles_.remembered(source)) return Rejected{};
  return CompileObstacle(NeedsCompile{});
}

CompiledOutcome CompiledPluginCache::compile(const FairCompiles::Source& source,
                                             const domain::Permit& may_compile,
                                             CompiledBinary wanted) const {
  // Kept under the fingerprint of now: `source` has the one that was seen last.
  wanted.toolchain_fingerprint = toolchains_.fingerprint(source.toolchain);
  auto compiled = compiles_.compile(source, may_compile);
  if (const auto* refusal = std::get_if<domain::RateLimited>(&compiled)) {
    return CompileObstacle(*refusal);
  }
  auto& compilation = std::get<compile::Compilation>(compiled);
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
      CompilerUnavailable{"toolchain " + source.toolchain.line + ": " + compilation.cause});
}

}  // namespace goldsmith::service
