// What a check of plugins found, as lists and JSON.
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/base/parallel.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/plugin_check.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/compile/scheduler.hpp"
#include "app/limits/gate.hpp"

namespace goldsmith::cli {

namespace {

using domain::CompileResult;

// As the API calls it.
std::string result_name(const std::optional<CompileResult>& result) {
  if (!result || *result == CompileResult::undecided) return "unknown";
  return std::string(domain::to_string(*result));
}

json::Object compiles_with(const CheckedVersion& version) {
  json::Object compiles;
  for (const std::string& line : domain::toolchain_lines()) compiles[line] = "unknown";
  for (const auto& each : version.compiles) compiles[each.toolchain] = result_name(each.result);
  return compiles;
}

const domain::StartVerdict* start_of(const CheckedVersion& version, const std::string& line) {
  const auto start = std::find_if(version.starts.begin(), version.starts.end(),
                                  [&](const auto& each) { return each.toolchain == line; });
  return start == version.starts.end() ? nullptr : &*start;
}

json::Object runs_with(const CheckedVersion& version) {
  json::Object runs;
  for (const std::string& line : domain::toolchain_lines()) {
    const domain::StartVerdict* start = start_of(version, line);
    runs[line] = start ? domain::to_string(start->result) : "unknown";
  }
  return runs;
}

json::Object start_errors(const CheckedVersion& version) {
  json::Object errors;
  for (const domain::StartVerdict& start : version.starts) {
    if (start.messages.empty()) continue;
    errors[start.toolchain] = json::Array(start.messages.begin(), start.messages.end());
  }
  return errors;
}

json::Object plays_with(const CheckedVersion& version) {
  json::Object plays;
  for (const std::string& line : domain::toolchain_lines()) {
    const domain::StartVerdict* start = start_of(version, line);
    const bool is_played = start != nullptr && start->play_error.has_value();
    plays[line] = !is_played ? "unknown" : start->play_error->empty() ? "plays" : "faulty";
  }
  return plays;
}

json::Object play_errors(const CheckedVersion& version) {
  json::Object errors;
  for (const domain::StartVerdict& start : version.starts) {
    const std::string error = start.play_error.value_or("");
    if (!error.empty()) errors[start.toolchain] = error;
  }
  return errors;
}

json::Object frame_percent(const CheckedVersion& version) {
  json::Object percent;
  for (const domain::StartVerdict& start : version.starts) {
    if (start.frame_percent) percent[start.toolchain] = *start.frame_percent;
  }
  return percent;
}

json::Array needs_json(const CheckedVersion& version) {
  json::Array needs;
  const domain::PluginNeeds* found = nullptr;
  for (const auto& each : version.compiles) {
    if (each.findings && each.findings->needs) found = &*each.findings->needs;
  }
  if (found == nullptr) return needs;
  for (const domain::PluginNeed& need : found->required) {
    needs.push_back(json::Object{{"name", need.name},
                                 {"kind", need.is_class ? "class" : "library"},
                                 {"optional", found->is_filtered}});
  }
  return needs;
}

json::Object compile_errors(const CheckedVersion& version) {
  json::Object errors;
  for (const auto& each : version.compiles) {
    if (each.result != CompileResult::failed || !each.findings) continue;
    errors[each.toolchain] =
        json::Object{{"hint", each.findings->hint}, {"output", each.findings->errors}};
  }
  return errors;
}

bool is_ok(const CheckedVersion& version) {
  return std::all_of(version.compiles.begin(), version.compiles.end(),
                     [](const auto& each) { return each.result == CompileResult::ok; }) &&
         std::all_of(version.starts.begin(), version.starts.end(), [](const auto& each) {
           return each.result == domain::StartVerdict::Result::runs && each.messages.empty() &&
                  each.play_error.value_or("").empty();
         });
}

// The hint, or else the first error; one line for the toolchains that report the same.
void print_reasons(const CheckedVersion& version, std::ostream& out) {
  std::vector<compile::Rejection> rejections;
  for (const directory::CheckedCompile& each : version.compiles) {
    if (each.result != CompileResult::failed || !each.findings) continue;
    compile::add_rejection(rejections, each.toolchain, *each.findings);
  }
  for (const compile::Rejection& rejection : rejections) {
    const std::string& errors = rejection.findings.errors;
    const std::string& hint = rejection.findings.hint;
    out << version.version->slug << ' ' << version.version->version << " does not compile with "
        << rejection.lines << ": " << (hint.empty() ? errors.substr(0, errors.find('\n')) : hint)
        << '\n';
  }
}

// One line for the toolchains that report the same.
void print_faults(const CheckedVersion& version, std::ostream& out) {
  using Result = domain::StartVerdict::Result;
  // By what is wrong.
  std::map<std::pair<std::string_view, std::string>, std::vector<std::string>> lines;
  for (const domain::StartVerdict& start : version.starts) {
    std::string message = start.messages.empty() ? "" : ": " + start.messages.front();
    const bool is_played = start.play_error.has_value();
    if (start.result == Result::runs) {
      if (is_played) message = start.play_error->empty() ? "" : ": " + *start.play_error;
      if (message.empty()) continue;
    }
    const char* const fault = start.result == Result::faulty    ? " does not run with "
                              : start.result == Result::refused ? " was not started with "
                              : is_played                       ? " runs, but does not play, with "
                                          : " runs, but can't be played, with ";
    lines[{fault, message}].push_back(start.toolchain);
  }
  for (const auto& [fault, names] : lines) {
    out << version.version->slug << ' ' << version.version->version << fault.first
        << base::join(names, ", ") << fault.second << '\n';
  }
}

void print_costs(const CheckedVersion& version, std::ostream& out) {
  for (const domain::StartVerdict& start : version.starts) {
    if (start.frame_percent.value_or(0) == 0) continue;
    out << version.version->slug << ' ' << version.version->version << " takes "
        << *start.frame_percent << " % of a frame with " << start.toolchain << '\n';
  }
}

// Each once, of all toolchains.
std::set<std::string> warnings_of(const CheckedVersion& version) {
  std::set<std::string> all;
  for (const auto& each : version.compiles) all.insert(each.warnings.begin(), each.warnings.end());
  return all;
}

json::Array warnings(const CheckedVersion& version) {
  const auto all = warnings_of(version);
  return {all.begin(), all.end()};
}

void print_warnings(const CheckedVersion& version, std::ostream& out) {
  for (const std::string& warning : warnings_of(version)) {
    out << version.version->slug << ' ' << version.version->version << ": " << warning << '\n';
  }
}

}  // namespace

Totals totals_of(const std::vector<CheckedVersion>& all) {
  Totals totals;
  for (const CheckedVersion& version : all) {
    for (const directory::CheckedCompile& each : version.compiles) {
      if (each.is_compiled) ++totals.compiled;
      if (!each.result) {
        ++totals.without;
        totals.causes.insert(each.cause);
      } else if (*each.result == CompileResult::ok) {
        ++totals.ok;
      } else if (*each.result == CompileResult::failed) {
        ++totals.failed;
      } else {
        ++totals.undecided;
      }
    }
  }
  return totals;
}

Listing<CheckedVersion> checked_listing() {
  using Row = CheckedVersion;
  std::vector<Column<Row>> columns = {
      {"SLUG", "slug", [](const Row& row) { return row.version->slug; }},
      {"VERSION", "version", [](const Row& row) { return row.version->version; }},
      {.field = "compiles_with", .value = compiles_with},
      {.field = "compile_errors", .value = compile_errors},
      {.field = "frame_percent", .value = frame_percent},
      {.field = "play_errors", .value = play_errors},
      {.field = "plays_with", .value = plays_with},
      {.field = "runs_with", .value = runs_with},
      {.field = "start_errors", .value = start_errors},
      {.field = "needs", .value = needs_json},
      {.field = "warnings", .value = warnings}};
  for (const std::string& line : domain::toolchain_lines()) {
    const auto result = [line](const Row& row) {
      if (const domain::StartVerdict* start = start_of(row, line)) {
        return std::string(domain::to_string(start->result));
      }
      for (const auto& each : row.compiles) {
        if (each.toolchain == line) return result_name(each.result);
      }
      return std::string();
    };
    columns.push_back({.header = line, .value = result, .absent = "-"});
  }
  return columns;
}

void print_checked(const std::vector<CheckedVersion>& all, bool by_name, std::ostream& out) {
  std::vector<CheckedVersion> shown = all;
  if (!by_name) std::erase_if(shown, is_ok);
  if (!shown.empty()) {
    checked_listing().table(shown).print(out);
    out << '\n';
    for (const CheckedVersion& version : shown) {
      print_reasons(version, out);
      print_faults(version, out);
    }
  }
  if (all.empty()) {
    out << (by_name ? "no published version has a source\n" : "every version has its verdicts\n");
    return;
  }
  for (const CheckedVersion& version : all) {
    print_warnings(version, out);
    print_costs(version, out);
  }
  const Totals totals = totals_of(all);
  out << count_of(all.size(), "version") << ", " << count_of(totals.compiled, "compile") << ": "
      << totals.ok << " ok, " << totals.failed << " failed, " << totals.undecided + totals.without
      << " unknown\n";
  std::map<domain::StartVerdict::Result, std::size_t> starts;
  for (const CheckedVersion& version : all) {
    for (const domain::StartVerdict& start : version.starts) ++starts[start.result];
  }
  if (starts.empty()) return;
  using enum domain::StartVerdict::Result;
  out << count_of(starts[runs] + starts[faulty] + starts[refused], "start") << ": " << starts[runs]
      << " run, " << starts[faulty] << " faulty, " << starts[refused] << " refused\n";
}

}  // namespace goldsmith::cli
