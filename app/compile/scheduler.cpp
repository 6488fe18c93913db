#include "app/compile/scheduler.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "app/base/digest.hpp"
#include "app/compile/content.hpp"

namespace goldsmith::compile {
namespace {

// A compile is not worth its start with less time left.
constexpr std::chrono::milliseconds kLeast{200};

// The compilers add the extension where a source leaves it out, as most do.
std::string include_file(std::string_view include) {
  const std::filesystem::path path(include);
  return path.has_extension() ? path.native() : path.native() + ".inc";
}

// The newest line that has the include; "" if none has it.
std::string line_with(std::string_view include, const Toolchains& toolchains) {
  std::string line;
  for (const Toolchain& toolchain : toolchains.installed()) {
    if (has_include(toolchain, include)) line = toolchain.line;
  }
  return line;
}

}  // namespace

std::string CompileScheduler::key_of(const Source& source) {
  return base::sha256_hex("compile 1\n" + source.content_digest + "\n" +
                          source.toolchain_fingerprint + "\n");
}

CompileScheduler::Source CompileScheduler::source(const Toolchain& toolchain,
                                                  std::string fingerprint,
                                                  const domain::PluginVersion& version) {
  const std::string& known = version.content_digest;
  return {toolchain, version, known.empty() ? content_digest(version) : known,
          std::move(fingerprint)};
}

std::optional<Compilation> CompileScheduler::remembered(const Source& source) const {
  return dependencies_.history.limit_of(key_of(source), dependencies_.clock.now());
}

Compilation CompileScheduler::run(const Source& source, Priority priority) const {
  return dependencies_.compiler.compile(source.toolchain, source.version,
                                        {priority, dependencies_.time.left()});
}

Compilation CompileScheduler::run_patiently(const Source& source, Compilation starved) const {
  constexpr std::chrono::milliseconds kPause{100};
  while (dependencies_.time.left() > kPause) {
    const domain::Admission admission = dependencies_.limits.compile_patiently();
    if (std::holds_alternative<domain::Turn>(admission)) {
      return run(source, Priority::patient);
    }
    std::this_thread::sleep_for(kPause);
  }
  return starved;
}

Compilation CompileScheduler::compile(const Source& source, const domain::Permit& may_compile,
                                      Priority proved) const {
  const std::string key = key_of(source);
  CompileHistory& history = dependencies_.history;
  if (auto known = history.limit_of(key, dependencies_.clock.now())) return std::move(*known);

  domain::require(dependencies_.time.refusal(kLeast));
  domain::Turn slot;
  const bool is_proved = history.is_proved(key, dependencies_.clock.now());
  if (!is_proved) slot = domain::require(dependencies_.limits.compile_unproved());
  domain::require(may_compile.ask());
  Compilation compilation = run(source, is_proved ? proved : Priority::background);
  if (compilation.timed_out && !is_proved && proved == Priority::normal) {
    compilation = run_patiently(source, std::move(compilation));
  }
  if (compilation.timed_out) domain::require(dependencies_.time.refusal(kLeast));
  history.record(key, compilation, dependencies_.clock.now());
  return compilation;
}

std::string compile_hint(std::string_view include, std::string_view line,
                         const Toolchains& toolchains, HintFor whom) {
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

}  // namespace goldsmith::compile
