// Tests a toolchain as the service uses it (compiler.hpp).
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/compile/compiler.hpp"

namespace goldsmith::compile {

using State = ToolchainCheck::State;

// Two includes and a function of each: enough to see that they are there and go together.
constexpr const char* kProbe =
    "#include <amxmodx>\n"
    "#include <amxmisc>\n"
    "public plugin_init() {\n"
    "  register_plugin(\"Probe\", \"1.0\", \"goldsmith\");\n"
    "  new folder[64];\n"
    "  get_configsdir(folder, 63);\n"
    "}\n";

domain::PluginVersion probe() {
  domain::PluginFile file;
  file.filename = "probe.sma";
  file.kind = "sma";
  file.content = kProbe;
  domain::PluginVersion version;
  version.version = "1.0";
  version.files.push_back(std::move(file));
  return version;
}

std::string how_to_install(const Toolchain& toolchain) {
  return " (goldsmith-install-toolchain " + toolchain.line + " installs it)";
}

void try_compiler(ToolchainCheck& check, const Compiler& compiler) {
  const Compilation compilation = compiler.compile(check.toolchain, probe(), Priority::normal);
  check.banner = compilation.banner;
  check.duration = compilation.duration;
  if (compilation.result == Result::compiled) {
    check.state = State::works;
  } else if (compilation.result == Result::unavailable) {
    check.problem = compilation.cause;
  } else {
    check.problem = "it does not compile a simple plugin: " + compilation.output +
                    " (goldsmith-install-toolchain " + check.toolchain.line + " installs it again)";
  }
}

// bubblewrap reports a file that is not a program like one whose loader is missing.
bool is_program(const std::filesystem::path& file) {
  constexpr std::string_view kMagic =
      "\x7F"
      "ELF";
  constexpr std::size_t kSmallestHeader = 52;
  const std::string content = base::read_file(file);
  return content.size() >= kSmallestHeader && content.starts_with(kMagic);
}

// Leaves the state at `broken` unless the toolchain works.
void examine(ToolchainCheck& check, const Toolchains& toolchains, const Compiler& compiler) {
  check.state = State::broken;
  check.includes = include_folders(check.toolchain);
  check.problem = toolchains.defect(check.toolchain.line);
  if (!check.problem.empty()) {
    check.problem += how_to_install(check.toolchain);
    return;
  }
  const std::filesystem::path program = check.toolchain.folder / "amxxpc";
  if (!is_program(program)) {
    check.problem = program.string() + ": is not a program" + how_to_install(check.toolchain);
    return;
  }
  check.fingerprint = toolchains.fingerprint(check.toolchain);
  try_compiler(check, compiler);
}

ToolchainCheck check_toolchain(const Toolchains& toolchains, const Compiler& compiler,
                               std::string_view line) {
  ToolchainCheck check;
  check.toolchain = toolchains.place_of(line);
  std::error_code error;
  if (!std::filesystem::exists(check.toolchain.folder, error)) {
    check.problem = check.toolchain.folder.string() + ": there is no such folder" +
                    how_to_install(check.toolchain);
    return check;
  }
  try {
    examine(check, toolchains, compiler);
  } catch (const base::FileError& failure) {
    check.problem = failure.what();
  }
  return check;
}

}  // namespace goldsmith::compile
