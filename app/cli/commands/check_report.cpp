#include "app/cli/commands/check_report.hpp"

#include <algorithm>
#include <set>

#include "app/service/compile_hint.hpp"

namespace goldsmith::cli {
namespace {

using domain::CompileResult;

// As the API calls it.
std::string name_of(const std::optional<CompileResult>& result) {
  if (!result || *result == CompileResult::undecided) return "unknown";
  return std::string(domain::to_string(*result));
}

json::Object compiles_with(const CheckedVersion& version) {
  json::Object compiles;
  for (const std::string& line : domain::toolchain_lines()) compiles[line] = "unknown";
  for (const auto& each : version.compiles) compiles[each.toolchain] = name_of(each.result);
  return compiles;
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
  return std::all_of(
      version.compiles.begin(), version.compiles.end(),
      [](const service::CheckedCompile& each) { return each.result == CompileResult::ok; });
}

// The hint, or else the first error; one line for the toolchains that report the same.
void print_reasons(const CheckedVersion& version, std::ostream& out) {
  std::vector<service::Rejection> rejections;
  for (const service::CheckedCompile& each : version.compiles) {
    if (each.result != CompileResult::failed || !each.findings) continue;
    service::add_rejection(rejections, each.toolchain, *each.findings);
  }
  for (const service::Rejection& rejection : rejections) {
    const std::string& errors = rejection.findings.errors;
    const std::string& hint = rejection.findings.hint;
    out << version.version->slug << ' ' << version.version->version << " does not compile with "
        << rejection.lines << ": " << (hint.empty() ? errors.substr(0, errors.find('\n')) : hint)
        << '\n';
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
    for (const service::CheckedCompile& each : version.compiles) {
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
      {.field = "needs", .value = needs_json},
      {.field = "warnings", .value = warnings}};
  for (const std::string& line : domain::toolchain_lines()) {
    const auto result = [line](const Row& row) {
      for (const auto& each : row.compiles) {
        if (each.toolchain == line) return name_of(each.result);
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
    for (const CheckedVersion& version : shown) print_reasons(version, out);
  }
  if (all.empty()) {
    out << (by_name ? "no published version has a source\n" : "every version has its verdicts\n");
    return;
  }
  for (const CheckedVersion& version : all) print_warnings(version, out);
  const Totals totals = totals_of(all);
  out << count_of(all.size(), "version") << ", " << count_of(totals.compiled, "compile") << ": "
      << totals.ok << " ok, " << totals.failed << " failed, " << totals.undecided + totals.without
      << " unknown\n";
}

}  // namespace goldsmith::cli
