#include <algorithm>
#include <chrono>

#include "app/cli/commands/doctor.hpp"
#include "app/compile/toolchain_check.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

using State = compile::ToolchainCheck::State;

// More than TimeoutStartSec of goldsmith-build@check.service.
constexpr std::chrono::seconds kCheckTime{150};

// The problems that the unit has printed since then.
std::vector<std::string> problems_in_journal(domain::Timestamp since) {
  std::vector<std::string> problems;
  for (const std::string& line : journal_lines("goldsmith-build@check.service", since)) {
    constexpr std::string_view kField = "problem ";
    if (line.starts_with(kField)) {
      problems.emplace_back(sys::trim_ascii(line.substr(kField.size())));
    }
  }
  return problems;
}

// Whether toolchains also work inside what the units forbid: the instance runs "goldsmith toolchain
// check" with the account and the restrictions of the build workers, drop-ins of the operator
// included. `known` are the problems that toolchains have elsewhere, too.
void examine_unit(Context& context, const std::vector<std::string>& known, Findings& findings) {
  const domain::Timestamp start = context.now();
  const Answer answer =
      ask({"/usr/bin/systemctl", "start", "goldsmith-build@check.service"}, kCheckTime);
  if (answer.good) {
    findings.good("units", "the compilers work inside goldsmith-build@.service");
    return;
  }
  const std::vector<std::string> problems = problems_in_journal(start);
  const auto is_known = [&](const std::string& problem) {
    return std::find(known.begin(), known.end(), problem) != known.end();
  };
  const auto cause = std::find_if_not(problems.begin(), problems.end(), is_known);
  if (cause == problems.end() && !problems.empty()) return;
  findings.bad("units",
               "the compilers do not work inside goldsmith-build@.service: " +
                   (problems.empty() ? answer.text : *cause),
               "systemctl cat goldsmith-build@check.service shows what it forbids, drop-ins "
               "included; journalctl -u goldsmith-build@check.service says more");
}

}  // namespace

void examine_toolchains(Context& context, Findings& findings) {
  const sys::Config& config = context.config();
  const compile::Toolchains toolchains(config.toolchains, config.includes);
  const compile::Compiler compiler = compile::command_compiler(config.compile);
  bool is_one_installed = false;
  std::vector<std::string> problems;
  for (const std::string& line : domain::toolchain_lines()) {
    const compile::ToolchainCheck check = compile::check_toolchain(toolchains, compiler, line);
    if (check.state == State::not_installed) continue;
    is_one_installed = true;
    if (check.state == State::works) {
      findings.good("toolchain " + line, check.banner + " in " + check.toolchain.folder.native());
    } else {
      problems.push_back(one_line(check.problem));
      findings.bad("toolchain " + line, check.problem, "goldsmith toolchain check " + line);
    }
  }
  if (!is_one_installed) {
    findings.warning("toolchains", "none is installed in " + config.toolchains.native(),
                     "goldsmith-install-toolchain 1.10");
  } else if (can_start_units(context)) {
    examine_unit(context, problems, findings);
  }
}

}  // namespace goldsmith::cli
