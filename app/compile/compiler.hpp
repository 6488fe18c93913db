// Compiles one plugin in a sandbox. The source is treated as hostile.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "app/compile/toolchain.hpp"
#include "app/domain/plugin.hpp"
#include "app/sys/config.hpp"
#include "app/sys/process.hpp"

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

class Compiler {
 public:
  // `account`: who compiles in place of root; only root may name one.
  Compiler(sys::CompileConfig config, std::filesystem::path scratch,
           std::optional<sys::Account> account = std::nullopt);
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
  sys::CompileConfig config_;
  std::filesystem::path scratch_;
  std::optional<sys::Account> account_;
};

// That of a command, which root may have started: root's compiles run as goldsmith-build, or as
// nobody. Throws sys::FileError if there is neither.
Compiler command_compiler(const sys::CompileConfig& config);

// The check for all lines: magic, version, consistent sizes, and an AMX image whose first inflated
// bytes have the AMX magic. The exit code of 1.8.2 proves nothing.
bool is_valid_amxx(std::string_view file);

// is_valid_amxx(), and the image inflates to the size it states: a compiler that ran out of disk
// space may have packed half an image. Takes as long as inflating all of it.
bool is_complete_amxx(std::string_view file);

}  // namespace goldsmith::compile
