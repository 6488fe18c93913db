#include "app/compile/compiled_plugin_cache.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include "app/archive/zip.hpp"
#include "app/base/clock.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/log.hpp"
#include "app/compile/scheduler.hpp"
#include "app/pawn/amxx_file.hpp"
#include "app/pawn/diagnostics.hpp"

namespace goldsmith::compile {
namespace {

constexpr std::string_view kCompiled = ".amxx";
constexpr std::string_view kRejected = ".rejected";

constexpr std::uint64_t kSizeVersion = 0x676f6c6473620001;  // "goldsb", layout 1
// The folder is listed that often at least, because "goldsmith cache prune" does not count.
constexpr std::int64_t kMeasuredFor = 600;  // seconds

std::int64_t seconds_now() { return base::unix_seconds(std::chrono::system_clock::now()); }

// A kept rejection begins with a digest of the rest, which is the compiler's output. One that was
// damaged, or written by other rules, would make this host's build hashes differ from others'.
std::string rejection_of(const std::string& output) {
  return "rejection 1 " + base::sha256_hex(output) + "\n" + output;
}

bool is_rejection(const std::string& text) {
  const std::size_t line_end = text.find('\n');
  return line_end != std::string::npos && text == rejection_of(text.substr(line_end + 1));
}

// std::nullopt if the file does not exist, or was pruned a moment ago. One that a bad disk does not
// give costs a compile, as one that is missing.
std::optional<std::string> read_kept(const std::filesystem::path& file) try {
  if (!base::mark_used(file)) return std::nullopt;
  return base::read_file(file);
} catch (const base::FileError& error) {
  if (error.error_number() != ENOENT) {
    base::log(base::LogLevel::warning, "a compiled plugin can't be read",
              {{"cause", error.what()}});
  }
  return std::nullopt;
}

archive::CachedFileKind kind_of(const std::filesystem::path& file) {
  using Kind = archive::CachedFileKind;
  if (base::is_temporary(file)) return Kind::unfinished;
  const bool is_kept = file.extension() == kCompiled || file.extension() == kRejected;
  return is_kept && base::is_sha256_hex(file.stem().string()) ? Kind::finished : Kind::stray;
}

// Checks that a plugin is complete, or that a rejection is as it was written.
void verify_artefact(const std::filesystem::path& file) {
  const std::string bytes = base::read_file(file);
  if (file.extension() == kRejected) {
    if (is_rejection(bytes)) return;
    throw archive::ZipError(file.string() + ": not a rejection as the compiler gave it");
  }
  if (!pawn::is_complete_amxx(bytes)) {
    throw archive::ZipError(file.string() + ": not a compiled plugin");
  }
}

// Writing one takes less than a second: an older temporary file belonged to a killed worker.
constexpr archive::CacheFormat kFormat{"artefacts", kind_of, verify_artefact,
                                       std::chrono::hours(1)};

}  // namespace

archive::CacheFolder artefact_folder(const base::Config& config) {
  archive::CacheLimits limits =
      archive::configured_limits(config.cache, config.cache.artefact_bytes);
  limits.handover = std::chrono::seconds(0);  // whoever uses a file has read all of it
  return {config.artefact_cache, kFormat, limits};
}

struct CompiledPluginCache::Size {
  std::uint64_t version;
  std::atomic<std::int64_t> bytes;     // of all files, those about to be added included
  std::atomic<std::int64_t> measured;  // when the folder was listed; seconds since the epoch
};

CompiledPluginCache::CompiledPluginCache(const CompileService& compile, archive::CacheFolder folder,
                                         const std::filesystem::path& size)
    : compile_(compile),
      folder_(std::move(folder)),
      size_(size, host::SharedFile::Open::create, {kSizeVersion, sizeof(Size)}) {}

// Returns false if a file of `bytes` must not be added. A full folder is emptied a tenth below its
// limit, so that it is not listed for each file.
bool CompiledPluginCache::make_room(std::uint64_t bytes) const {
  const archive::CacheLimits& limits = folder_.limits();
  if (bytes > limits.bytes) return false;
  const auto more = static_cast<std::int64_t>(bytes);
  const std::int64_t sum = size().bytes.fetch_add(more) + more;
  const std::int64_t age = seconds_now() - size().measured.load();
  if (sum <= static_cast<std::int64_t>(limits.bytes) && age >= 0 && age < kMeasuredFor &&
      base::available_bytes(folder_.path()) >= bytes + limits.free_bytes &&
      base::available_inodes(folder_.path()) > limits.free_inodes) {
    return true;
  }
  base::UniqueFd lock = folder_.lock();
  const std::int64_t noted = size().bytes.load();
  using Room = archive::CacheFolder::Room;
  Room room(folder_, std::move(lock));
  const bool has_room = !room.make(bytes, Room::Spare::tenth);
  // What others added meanwhile stays counted, perhaps twice: too much is the safe side.
  size().bytes.fetch_add(static_cast<std::int64_t>(room.used().bytes) + (has_room ? more : 0) -
                         noted);
  size().measured.store(seconds_now());
  return has_room;
}

// The folder is made on first use, so that a fresh cache volume needs no preparation. A full disk
// costs the next build a compile, but this one has what it needs.
void CompiledPluginCache::keep(const std::filesystem::path& file, const std::string& bytes) const {
  constexpr const char* kNotKept = "a compiled plugin can't be kept";
  try {
    std::filesystem::create_directories(folder_.path());
    if (make_room(bytes.size())) {
      base::write_atomically(file, bytes);
    } else {
      base::log(base::LogLevel::warning, kNotKept,
                {{"cause", folder_.path().string() +
                               " has no room left (cache.artefacts_mb, cache.inodes, "
                               "cache.free_mb, cache.free_inodes)"}});
    }
  } catch (const std::runtime_error& error) {
    base::log(base::LogLevel::warning, kNotKept, {{"cause", error.what()}});
  }
}

std::filesystem::path CompiledPluginCache::file_of(const CompiledBinary& wanted,
                                                   std::string_view extension) const {
  // Compiles 1 knew no includes of components, nor names in another case: what they rejected may
  // pass now.
  const std::string rules = extension == kRejected ? "rejected 2\n" : "artefact 1\n";
  const std::string key =
      base::sha256_hex(rules + wanted.content_digest + "\n" + wanted.toolchain_fingerprint + "\n");
  return folder_.path() / (key + std::string(extension));
}

Rejected CompiledPluginCache::rejected_for(std::string missing_include,
                                           const std::string& toolchain_line) const {
  std::string hint = compile_hint(missing_include, toolchain_line, compile_.toolchains);
  return {true, std::move(missing_include), std::move(hint)};
}

std::optional<CompiledOutcome> CompiledPluginCache::kept(CompiledBinary wanted,
                                                         const std::string& toolchain_line) const {
  if (auto binary = read_kept(file_of(wanted, kCompiled))) {
    wanted.binary = std::move(*binary);
    if (!pawn::is_valid_amxx(wanted.binary)) return std::nullopt;
    return wanted;
  }
  const auto rejection = read_kept(file_of(wanted, kRejected));
  if (!rejection || !is_rejection(*rejection)) return std::nullopt;
  return rejected_for(pawn::missing_include(*rejection), toolchain_line);
}

compile::CompileInputs CompiledPluginCache::equip(
    const compile::Toolchain& toolchain, const domain::PluginVersion& version,
    const compile::ComponentIncludes& components) const {
  return compile::equip(toolchain, compile_.toolchains.include_index(toolchain),
                        compile_.watch.fingerprint(toolchain), version, components);
}

CompiledOutcome CompiledPluginCache::get(const std::string& toolchain_line,
                                         const domain::PluginVersion& version,
                                         const std::optional<domain::Permit>& may_compile,
                                         const compile::ComponentIncludes& components,
                                         const LoadSources& load) const {
  const auto toolchain = compile_.toolchains.find(toolchain_line);
  if (!toolchain) throw not_installed(toolchain_line);

  compile::CompileInputs inputs = equip(*toolchain, version, components);
  const CompileScheduler::Source described =
      CompileScheduler::source(inputs.toolchain, inputs.fingerprint, version);
  CompiledBinary wanted{"", described.content_digest, described.toolchain_fingerprint,
                        inputs.warnings};
  if (auto found = kept(wanted, toolchain_line)) return *std::move(found);
  if (!may_compile) {
    if (compile_.compiles.remembered(described)) return Rejected{};
    throw NeedsCompile();
  }
  // What was seen last has found the kept file; what is kept now has the current fingerprint.
  wanted.toolchain_fingerprint = compile::fingerprint_with(
      compile_.toolchains.fingerprint(*toolchain), inputs.looked_up, components.offers.get());
  domain::PluginVersion loaded = version;
  if (load) {
    load(loaded);
    inputs = equip(*toolchain, loaded, components);
  }
  return compile(
      CompileScheduler::source(inputs.toolchain, described.toolchain_fingerprint, loaded),
      *may_compile, std::move(wanted));
}

CompiledOutcome CompiledPluginCache::compile(const CompileScheduler::Source& source,
                                             const domain::Permit& may_compile,
                                             CompiledBinary wanted) const {
  compile::Compilation compilation = compile_.compiles.compile(source, may_compile);
  switch (compilation.result) {
    case compile::Result::unavailable:
      break;
    case compile::Result::failed:
      if (!compilation.is_verdict()) return Rejected{false};
      keep(file_of(wanted, kRejected), rejection_of(compilation.output));
      return rejected_for(compilation.missing_include, source.toolchain.line);
    case compile::Result::compiled:
      wanted.binary = std::move(compilation.binary);
      keep(file_of(wanted, kCompiled), wanted.binary);
      return wanted;
  }
  throw no_compiler("toolchain " + source.toolchain.line + ": " + compilation.cause);
}

}  // namespace goldsmith::compile
