#include "app/service/compile_hint.hpp"

#include <filesystem>

namespace goldsmith::service {
namespace {

// The compilers add the extension where a source leaves it out, as most do.
std::string include_file(std::string_view include) {
  const std::filesystem::path path(include);
  return path.has_extension() ? path.native() : path.native() + ".inc";
}

// The newest line that has the include; "" if none has it.
std::string line_with(std::string_view include, const compile::Toolchains& toolchains) {
  std::string line;
  for (const compile::Toolchain& toolchain : toolchains.installed()) {
    if (compile::has_include(toolchain, include)) line = toolchain.line;
  }
  return line;
}

}  // namespace

std::string compile_hint(std::string_view include, std::string_view line,
                         const compile::Toolchains& toolchains, HintFor whom) {
  if (include.empty()) return {};
  std::string hint =
      "Needs " + include_file(include) +
      ", which is neither among the plugin's files nor installed here for AMX Mod X " +
      std::string(line) + ".";
  const std::string other = line_with(include, toolchains);
  if (other.empty()) return hint;
  hint += " AMX Mod X " + other + " has it";
  return hint + (whom == HintFor::download ? ": try amxx=" + other + "." : ".");
}

void add_rejection(std::vector<Rejection>& rejections, const std::string& line,
                   const domain::CompileFindings& findings) {
  for (Rejection& other : rejections) {
    if (other.findings.errors != findings.errors) continue;
    other.lines += ", " + line;
    other.findings = findings;
    return;
  }
  rejections.push_back({line, findings});
}

}  // namespace goldsmith::service
