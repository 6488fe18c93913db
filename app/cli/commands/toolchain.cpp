#include <algorithm>
#include <ostream>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/compile/compiler.hpp"

namespace goldsmith::cli::commands::toolchain {
namespace {

using compile::ToolchainCheck;
using State = ToolchainCheck::State;

compile::Toolchains toolchains_of(Context& context) {
  return {context.config().toolchains, context.config().includes};
}

void run_list(const Arguments& arguments, Context& context) {
  const compile::Toolchains toolchains = toolchains_of(context);
  const auto installed = [&](const std::string& line) { return !!toolchains.find(line); };
  const auto folder = [&](const std::string& line) {
    return toolchains.place_of(line).folder.string();
  };
  const auto fingerprint = [&](const std::string& line) {
    const std::optional<compile::Toolchain> found = toolchains.find(line);
    return found ? toolchains.fingerprint(*found) : "";
  };
  const auto short_fingerprint = [&](const std::string& line) {
    return fingerprint(line).substr(0, 12);
  };
  const Listing<std::string> listing(
      {{"TOOLCHAIN", "toolchain", std::identity()},
       {"INSTALLED", "installed", installed},
       {"FOLDER", "folder", folder},
       {.header = "FINGERPRINT", .value = short_fingerprint, .absent = "-"},
       {.field = "fingerprint", .value = fingerprint}});
  listing.print(domain::toolchain_lines(), arguments, context);
}

std::string_view name_of(State state) {
  switch (state) {
    case State::works:
      return "works";
    case State::broken:
      return "broken";
    case State::not_installed:
      return "not installed";
  }
  return "";
}

json::Object view(const ToolchainCheck& check) {
  json::Array includes = json::array_of(check.includes, [](const compile::IncludeFolder& folder) {
    return json::Object{
        {"folder", folder.folder.string()}, {"exists", folder.exists}, {"files", folder.files}};
  });
  return {{"toolchain", check.toolchain.line},         {"state", name_of(check.state)},
          {"folder", check.toolchain.folder.string()}, {"compiler", check.banner},
          {"fingerprint", check.fingerprint},          {"includes", std::move(includes)},
          {"compile_ms", check.duration.count()},      {"problem", check.problem}};
}

std::string describe(const compile::IncludeFolder& folder) {
  if (!folder.exists) return folder.folder.string() + ": none";
  return folder.folder.string() + ": " + count_of(folder.files, "file");
}

void print(const ToolchainCheck& check, std::ostream& out) {
  std::vector<std::pair<std::string, std::string>> fields = {
      {"toolchain", check.toolchain.line},
      {"state", std::string(name_of(check.state))},
      {"folder", check.toolchain.folder.string()}};
  if (!check.banner.empty()) fields.emplace_back("compiler", check.banner);
  if (!check.fingerprint.empty()) fields.emplace_back("fingerprint", check.fingerprint);
  for (const compile::IncludeFolder& folder : check.includes) {
    fields.emplace_back("includes", describe(folder));
  }
  if (check.state == State::works) {
    fields.emplace_back("probe", fmt::format("compiled in {} ms", check.duration.count()));
  }
  if (!check.problem.empty()) fields.emplace_back("problem", one_line(check.problem));
  print_fields(out, fields);
}

// The lines that were asked for; all of them when none was.
std::vector<std::string> lines_of(const Arguments& arguments) {
  const std::vector<std::string>& known = domain::toolchain_lines();
  std::vector<std::string> lines = arguments.list("TOOLCHAIN");
  for (const std::string& line : lines) {
    if (std::find(known.begin(), known.end(), line) == known.end()) {
      throw UsageError("TOOLCHAIN: \"" + line + "\" is not a toolchain; allowed are " +
                       base::alternatives({known.begin(), known.end()}));
    }
  }
  return lines.empty() ? known : lines;
}

// One that is not installed is a failure only where it was asked for by name, or where none is.
void judge(const std::vector<ToolchainCheck>& checks, bool by_name) {
  const auto count = [&](State state) {
    return std::count_if(checks.begin(), checks.end(),
                         [&](const ToolchainCheck& check) { return check.state == state; });
  };
  const auto missing = count(State::not_installed);
  const auto broken = count(State::broken) + (by_name ? missing : 0);
  if (broken > 0) {
    throw Failure(
        fmt::format("{} {} not work", broken, broken == 1 ? "toolchain does" : "toolchains do"));
  }
  if (missing == static_cast<std::ptrdiff_t>(checks.size())) {
    throw Failure("no toolchain is installed, so no plugin can be compiled");
  }
}

void run_check(const Arguments& arguments, Context& context) {
  const std::vector<std::string> lines = lines_of(arguments);
  const compile::Toolchains toolchains = toolchains_of(context);
  const compile::Compiler compiler = compile::command_compiler(context.config().compile);
  std::vector<ToolchainCheck> checks;
  checks.reserve(lines.size());
  for (const std::string& line : lines) {
    checks.push_back(compile::check_toolchain(toolchains, compiler, line));
  }
  json::Array listing;
  for (const ToolchainCheck& check : checks) {
    listing.emplace_back(view(check));
    if (arguments.has("json")) continue;
    if (&check != &checks.front()) context.out() << '\n';
    print(check, context.out());
  }
  if (arguments.has("json")) context.print(listing);
  judge(checks, arguments.has("TOOLCHAIN"));
}

Verb list_verb() {
  return {
      .name = "list",
      .summary = "Lists the toolchains and whether each is installed.",
      .text =
          "Lists the toolchains that the API offers, whether each is installed completely, and the "
          "fingerprint of its compiler and includes. If the fingerprint changes, plugins are "
          "compiled again, and archives that contain plugins get another build hash.",
      .options = {json_option()},
      .examples = {"goldsmith toolchain list"},
      .run = run_list,
  };
}

Verb check_verb() {
  return {
      .name = "check",
      .summary = "Tests the toolchains, and explains failures.",
      .text =
          "Compiles a small plugin with each toolchain in the sandbox, as the service does, and "
          "shows the compiler's version, the fingerprint, and the folders of includes in the order "
          "in which they are searched. Problems are listed with a remedy.\n\n"
          "The exit code is 1 if an installed toolchain does not work, if a named one is not "
          "installed, or if none is installed.",
      .positionals = {{.name = "TOOLCHAIN", .required = false, .repeated = true}},
      .options = {json_option()},
      .examples = {"goldsmith toolchain check", "goldsmith toolchain check 1.9 1.10"},
      .run = run_check,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "toolchain",
      .summary = "The installed compilers.",
      .text =
          "Shows and tests the compilers of plugins. A toolchain is a folder that holds amxxpc, "
          "amxxpc32.so and include/, below the configured folder of toolchains; third-party "
          "includes for it belong in the configured folder of includes, in a folder of its name. "
          "Includes of mirrored components are found without being there.",
      .verbs = {list_verb(), check_verb()},
  };
}

}  // namespace goldsmith::cli::commands::toolchain
