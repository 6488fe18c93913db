// Compiles one plugin in a sandbox. The source is treated as hostile.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/config.hpp"
#include "app/compile/toolchain.hpp"
#include "app/domain/plugin.hpp"
#include "app/host/process.hpp"

namespace goldsmith::compile {

enum class Result {
  compiled,
  failed,      // the compiler rejected the source, or a limit ended it (decision P6)
  unavailable  // no working compiler, sandbox or scratch disk, or no end within the wall clock
};

struct Compilation {
  Result result = Result::unavailable;
  std::string binary;  // the .amxx file
  // Diagnostics, paths relative to the plugin's folder, at most 4000 characters (decision P6).
  std::string output;
  std::string banner;           // the first line that the compiler printed; "" if unavailable
  std::string missing_include;  // if `failed`: what `#include` did not find; "" = all were found
  // Why it is `unavailable`, with the way out if known; for the log, never for a client.
  std::string cause;
  // If `failed`: a limit ended the compiler, or may have. False where it crashed after errors of
  // its own.
  bool limit_hit = false;
  // If `failed`: the compiler named an error in the source.
  bool names_error = false;
  bool timed_out = false;  // if `unavailable`: there was no end within the wall clock
  std::chrono::milliseconds duration{0};
  std::chrono::milliseconds processor_time{0};  // of the compiler and its sandbox

  // True if the result is the same whenever this compiler compiles this source (decision P15): it
  // compiled, or the compiler named an error in it; false after a limit, a crash or an unexplained
  // end.
  bool is_verdict() const {
    return result == Result::compiled || (result == Result::failed && names_error && !limit_hit);
  }
};

// `background`: takes only the processor time that others leave (decision P15). `patient`: as
// normal, with four times the wall clock, for what got too little time in the background.
enum class Priority { normal, background, patient };

struct Pace {
  using Time = std::chrono::milliseconds;
  Pace(Priority asked, Time end = Time::max()) : priority(asked), longest(end) {}

  Priority priority;
  Time longest;  // ends the compile even before the wall clock of the configuration
};

class ToolchainCopies;

class Compiler {
 public:
  // `account`: who compiles in place of root; only root may name one. Toolchains are then what they
  // were at their first compile, which copies them.
  Compiler(base::CompileConfig config, std::filesystem::path scratch,
           std::optional<host::Account> account = std::nullopt);
  virtual ~Compiler() = default;

  // Limits of processor time, memory, output and files decide what fails, so that a busy host never
  // rejects a good plugin; the wall clock is a safety net (decision P13). Without enough free space
  // on the scratch disk the compiler is unavailable.
  //
  // Compiles `version`'s entry point (domain::entry_point; it must have one) with its other files
  // beside it. Files must have their content. Deterministic: equal input, equal binary.
  virtual Compilation compile(const Toolchain& toolchain, const domain::PluginVersion& version,
                              const Pace& pace) const;

 private:
  base::CompileConfig config_;
  std::filesystem::path scratch_;
  std::optional<host::Account> account_;
  std::shared_ptr<ToolchainCopies> copies_;  // null without an account
};

// That of a command, which root may have started: root's compiles run as goldsmith-build, or as
// nobody. Throws base::FileError if there is neither.
Compiler command_compiler(const base::CompileConfig& config);

// Why the end says nothing about the source: the compiler was not started, has no sandbox or lacks
// a library; it did not end within the wall clock, which a busy host can cause; or it was killed
// from outside (decision P13).
std::optional<std::string> broken_compiler(const host::ProcessOutcome& outcome,
                                           const base::CompileConfig& limits);

// Tests a toolchain as the service uses it: compiles a small plugin in the sandbox.
struct ToolchainCheck {
  enum class State { works, broken, not_installed };

  Toolchain toolchain;
  State state = State::not_installed;
  std::string banner;                     // the first line that the compiler prints
  std::string fingerprint;                // "" if unknown
  std::vector<IncludeFolder> includes;    // in the order in which they are searched
  std::chrono::milliseconds duration{0};  // of the compile
  std::string problem;                    // what is wrong, and the way out
};

// `line` is one of domain::toolchain_lines(). Never throws for a defect of the toolchain.
ToolchainCheck check_toolchain(const Toolchains& toolchains, const Compiler& compiler,
                               std::string_view line);

}  // namespace goldsmith::compile
