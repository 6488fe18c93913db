#include "app/mirror/unpacker.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <string_view>

#include <fmt/core.h>

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

[[noreturn]] void fail(const std::string& reason, bool is_too_much = false) {
  throw UnpackError(std::string(kName) + ": " + reason, is_too_much);
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
  }
  const bool is_too_much = outcome.code == 1 && take_word(text, "too much ");
  if (is_too_much || (outcome.code == 1 && take_word(text, "refused "))) {
    const auto number = base::take_number(text);
    if (number && *number >= 1 && *number <= names.size()) {
      throw RefusedArchive(names[*number - 1].string() + ": " + std::string(text), is_too_much);
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
  if (const auto problem = problem_of(outcome, limits)) {
    fail(*problem, host::signal_of(outcome) == SIGXFSZ);
  }
  return read_report(outcome, names);
}

}  // namespace goldsmith::mirror
