#include "app/mirror/unpacker.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "app/archive/depot_upkeep.hpp"
#include "app/archive/io.hpp"
#include "app/archive/zip.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "app/host/process.hpp"
#include "app/host/sandbox.hpp"

namespace goldsmith::mirror {
namespace {

namespace fs = std::filesystem;
using host::ProcessEnd;

constexpr const char* kName = "goldsmith-unpack";
constexpr std::uint64_t kReportBytes = 8U << 10;
constexpr std::uint64_t kOpenFiles = 64;
constexpr int kNotLoaded = 127;  // the dynamic loader's exit code
// Counted for the whole user: bubblewrap needs two, the host's others too.
constexpr std::uint64_t kProcesses = 1024;

// A ZIP has two headers for each file, both with the path.
constexpr std::uint64_t kHeaderBytes = 256;

void append(std::vector<std::string>& arguments, const char* name, std::string value) {
  arguments.emplace_back(name);
  arguments.push_back(std::move(value));
}

std::vector<std::string> arguments_of(const UnpackFiles& files, const std::vector<fs::path>& names,
                                      const domain::InstallRules& rules,
                                      const base::MirrorConfig& limits) {
  std::vector<std::string> arguments;
  append(arguments, "--unpacked-bytes", std::to_string(limits.unpacked_bytes));
  append(arguments, "--entries", std::to_string(limits.entries));
  append(arguments, "--path-bytes", std::to_string(limits.path_bytes));
  append(arguments, "--ratio", std::to_string(limits.ratio));
  for (const domain::PathMap& map : rules.map) {
    append(arguments, map.is_file ? "--map-file" : "--map-from", map.from);
    append(arguments, "--map-to", map.to);
  }
  for (const std::string& glob : rules.drop) append(arguments, "--drop", glob);
  for (const std::string& glob : rules.executables) append(arguments, "--executable", glob);
  for (std::size_t i = 0; i < files.archives.size(); ++i) {
    append(arguments, "--archive", std::to_string(files.archives[i].get()));
    append(arguments, "--spill", std::to_string(files.spills[i].get()));
    append(arguments, "--name", names[i].filename().string());
  }
  if (files.any_names) append(arguments, "--names", "any");
  append(arguments, "--output", std::to_string(files.output.get()));
  append(arguments, "--origins", std::to_string(files.origins.get()));
  return arguments;
}

host::ProcessLimits process_limits(const base::MirrorConfig& limits) {
  constexpr int kClockFactor = 4;
  host::ProcessLimits process;
  process.wall_clock =
      std::max(limits.min_wall_clock, kClockFactor * std::chrono::seconds(limits.cpu_seconds));
  process.output_bytes = kReportBytes;
  process.cpu_seconds = limits.cpu_seconds;
  process.address_space_bytes = limits.memory_bytes;
  process.file_size_bytes =
      limits.unpacked_bytes + limits.entries * 2 * (limits.path_bytes + kHeaderBytes);
  process.open_files = kOpenFiles;
  process.processes = kProcesses;
  return process;
}

host::Command command_of(const UnpackFiles& files, const std::vector<fs::path>& names,
                         const domain::InstallRules& rules, const base::MirrorConfig& limits) {
  host::Command command;
  command.arguments = arguments_of(files, names, rules, limits);
  command.limits = process_limits(limits);
  for (const base::UniqueFd& archive : files.archives) {
    command.kept_descriptors.push_back(archive.get());
  }
  for (const base::UniqueFd& spill : files.spills) command.kept_descriptors.push_back(spill.get());
  command.kept_descriptors.push_back(files.output.get());
  command.kept_descriptors.push_back(files.origins.get());
  return command;
}

std::string in_seconds(std::uint64_t count) { return std::to_string(count) + " s"; }

// Why it ended before it could report anything; std::nullopt if it ended by itself.
std::optional<std::string> problem_of(const host::ProcessOutcome& outcome,
                                      const base::MirrorConfig& limits) {
  if (auto reason = host::sandbox_failure(outcome)) return reason;
  if (outcome.end == ProcessEnd::not_started) return outcome.reason;
  if (outcome.end == ProcessEnd::output_limit) return "it said more than a report can have";
  if (outcome.end == ProcessEnd::wall_clock) {
    return "it did not end within " +
           in_seconds(static_cast<std::uint64_t>(outcome.duration.count() / 1'000'000)) +
           ", which depends on mirror.cpu_seconds";
  }
  if (host::used_up_processor_time(outcome, limits.cpu_seconds)) {
    return "it needs more than the " + in_seconds(limits.cpu_seconds) +
           " of processor time that mirror.cpu_seconds allows";
  }
  const int number = host::signal_of(outcome);
  if (number == SIGXFSZ) return "it wrote more than mirror.unpacked_mb allows";
  if (number != 0) return "it was ended by " + host::signal_name(number);
  if (outcome.code == kNotLoaded) {
    return "its libraries can't be loaded; mirror.memory_mb may allow too little";
  }
  return std::nullopt;
}

[[noreturn]] void fail(const std::string& reason) {
  throw UnpackError(std::string(kName) + ": " + reason);
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool is_control(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte < 0x20 || byte == 0x7F;
}

// The one line that it printed; "" if it is not printable.
std::string_view line_of(const std::string& output) {
  std::string_view line = output;
  if (line.ends_with('\n')) line.remove_suffix(1);
  const bool printable =
      domain::is_utf8(line) && std::none_of(line.begin(), line.end(), is_control);
  return printable ? line : std::string_view();
}

// How many files were left out. What it reports is not trusted.
std::uint64_t read_report(const host::ProcessOutcome& outcome, const std::vector<fs::path>& names) {
  std::string_view text = line_of(outcome.output);
  if (take_word(text, "failed ")) fail(std::string(text));
  if (outcome.code == 0 && take_word(text, "done ")) {
    const auto dropped = base::take_number(text);
    if (dropped && text.empty()) return *dropped;
  } else if (outcome.code == 1 && take_word(text, "refused ")) {
    const auto number = base::take_number(text);
    if (number && *number >= 1 && *number <= names.size()) {
      throw RefusedArchive(names[*number - 1].string() + ": " + std::string(text));
    }
  }
  fail(fmt::format("it ended with code {} and no valid report", outcome.code));
}

}  // namespace

std::uint64_t run_unpacker(const fs::path& program, const UnpackFiles& files,
                           const std::vector<fs::path>& names, const domain::InstallRules& rules,
                           const base::MirrorConfig& limits) {
  const host::ProcessOutcome outcome =
      host::run_unpack_program(program, command_of(files, names, rules, limits));
  if (outcome.end == ProcessEnd::interrupted) base::check_interruption();
  if (const auto problem = problem_of(outcome, limits)) fail(*problem);
  return read_report(outcome, names);
}

namespace {

using Entries = std::vector<archive::ZipEntry>;

void require(bool holds, const char* otherwise) {
  if (!holds) throw InvalidOutput(otherwise);
}

void check_limits(const Entries& entries, const base::MirrorConfig& limits) {
  require(!entries.empty(), "it has no file");
  require(entries.size() <= limits.entries, "it has more entries than mirror.entries allows");
  std::uint64_t left = limits.unpacked_bytes;
  for (const archive::ZipEntry& entry : entries) {
    require(entry.path.size() <= limits.path_bytes, "a path exceeds mirror.path_bytes");
    require(entry.size <= left && entry.compressed_size <= entry.size,
            "its files exceed mirror.unpacked_mb");
    left -= entry.size;
  }
}

void check_paths(const Entries& entries, bool any_names) {
  std::set<std::string> folded;
  const std::string* previous = nullptr;
  for (const archive::ZipEntry& entry : entries) {
    require(domain::is_relative_path(entry.path), "a path is unsafe");
    require(previous == nullptr || *previous < entry.path, "its entries are not ordered by path");
    require(folded.insert(any_names ? entry.path : base::fold_case(entry.path)).second,
            "paths differ in letter case alone");
    previous = &entry.path;
  }
  for (const std::string& path : folded) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      require(!folded.contains(path.substr(0, slash)), "a path is both a file and a folder");
    }
  }
}

}  // namespace

archive::VerifiedDepotFile copy_to_depot_file(base::UniqueFd unpacked,
                                              const base::MirrorConfig& limits,
                                              const std::filesystem::path& target,
                                              bool any_names) try {
  const archive::ZipReader source(std::move(unpacked), "the unpacked files");
  const Entries& entries = source.entries();
  check_limits(entries, limits);
  check_paths(entries, any_names);

  const base::UniqueFd fd = base::open_file(target, O_RDWR | O_CREAT | O_TRUNC);
  archive::ZipWriter writer(fd.get(), target);
  std::vector<const archive::ZipEntry*> all;
  all.reserve(entries.size());
  for (const archive::ZipEntry& entry : entries) all.push_back(&entry);
  writer.copy(source, all);
  const std::string digest = archive::finish_depot_file(writer, fd.get(), target);
  archive::VerifiedDepotFile copy = archive::verify_depot_file(target);
  require(copy.digest == digest, "it changed while it was copied");
  return copy;
} catch (const archive::ZipError& error) {
  throw InvalidOutput(error.what());
}

namespace {

constexpr std::uint64_t kNumberBytes = 8;           // with the space and the line feed
constexpr std::uint64_t kNativesBytes = 32U << 20;  // of all files
constexpr std::uint64_t kLinkBytes = 16U << 20;     // likewise
constexpr std::string_view kLink = "- ";

domain::FileOrigin parse_line(std::string_view line, std::size_t archives,
                              const base::MirrorConfig& limits) {
  const auto source = base::take_number<std::size_t>(line);
  line = line.substr(0, line.find('\t'));
  if (!source || *source >= archives) {
    throw InvalidOutput("the origin of a file names no archive");
  }
  domain::FileOrigin origin{*source, std::string(line)};
  if (origin.path.empty() || origin.path.size() > limits.path_bytes ||
      !domain::is_relative_path(origin.path)) {
    throw InvalidOutput("the origin of a file is no path");
  }
  return origin;
}

// The names that are recorded of the file with that path; an empty text means that none was found.
std::vector<std::string> parse_natives(std::string_view text, std::string_view path) {
  std::vector<std::string> natives;
  if (text.empty()) return natives;
  for (const std::string_view name : base::split(text, ' ')) natives.emplace_back(name);
  const auto is_name = domain::has_natives(path) ? domain::is_native_name
                       : domain::is_map(path)    ? domain::is_wad_name
                                                 : domain::is_declared_name;
  if (!std::all_of(natives.begin(), natives.end(), is_name) ||
      !std::is_sorted(natives.begin(), natives.end())) {
    throw InvalidOutput("the natives of a file are no sorted names");
  }
  return natives;
}

std::string link_in(std::string_view line, const base::MirrorConfig& limits) {
  line.remove_prefix(kLink.size());
  if (line.empty() || line.size() > limits.path_bytes || !domain::is_relative_path(line) ||
      !base::is_printable(line)) {
    throw InvalidOutput("a link has no path");
  }
  return std::string(line);
}

std::string read_text(const base::UniqueFd& fd, std::uint64_t longest) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) {
    throw base::FileError("the origins of the files", "can't be examined", errno);
  }
  if (static_cast<std::uint64_t>(status.st_size) > longest) {
    throw InvalidOutput("the origins of its files are longer than they can be");
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  text.resize(archive::read_at({fd.get(), 0, "the origins of the files"}, text));
  return text;
}

}  // namespace

std::vector<domain::FileOrigin> read_origins(const base::UniqueFd& fd,
                                             std::vector<domain::ManifestFile>& files,
                                             std::size_t archives, const base::MirrorConfig& limits,
                                             std::vector<std::string>* links) {
  const std::string text =
      read_text(fd, files.size() * (limits.path_bytes + kNumberBytes) + kNativesBytes + kLinkBytes);
  std::string_view rest = text;
  std::vector<domain::FileOrigin> origins;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) throw InvalidOutput("the origins of its files end early");
    const std::string_view line = rest.substr(0, end);
    if (links && line.starts_with(kLink)) {
      links->push_back(link_in(line, limits));
      rest.remove_prefix(end + 1);
      continue;
    }
    if (origins.size() == files.size()) throw InvalidOutput("a file has two origins");
    domain::ManifestFile& file = files[origins.size()];
    origins.push_back(parse_line(line, archives, limits));
    const std::size_t tab = line.find('\t');
    if ((tab != std::string_view::npos) != domain::has_names(file.path)) {
      throw InvalidOutput(
          "names are said of another file than AMX Mod X, its modules, includes and maps");
    }
    if (tab != std::string_view::npos) {
      file.natives = parse_natives(line.substr(tab + 1), file.path);
    }
    rest.remove_prefix(end + 1);
  }
  if (origins.size() != files.size()) throw InvalidOutput("not every file has one origin");
  return origins;
}

}  // namespace goldsmith::mirror
