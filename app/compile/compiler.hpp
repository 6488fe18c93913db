// Compiles one plugin in a sandbox. The source is hostile until proven otherwise.
#pragma once

#include <chrono>
#include <string>

#include "app/compile/toolchain.hpp"
#include "app/domain/plugin.hpp"
#include "app/sys/config.hpp"

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
  std::string banner;           // the first line that the compiler printed, unless unavailable
  std::string missing_include;  // of `failed`: what `#include` did not find; "" = all were found
  // Of `unavailable`, with the way out where one is known; for the log, never for a client.
  std::string cause;
  // Of `failed`: a limit ended the compiler, or may have. False where it crashed after errors of
  // its own.
  bool limit_hit = false;
  // Of `failed`: the compiler named an error in the source.
  bool names_error = false;
  std::chrono::milliseconds duration{0};
  std::chrono::milliseconds processor_time{0};  // of the compiler and its sandbox

  // What this compiler says of this source whenever it is asked (decision P15): it compiled, or the
  // compiler named an error in it. Neither is so after a limit, a crash or an unexplained end.
  bool is_verdict() const {
    return result == Result::compiled || (result == Result::failed && names_error && !limit_hit);
  }
};

class Compiler {
 public:
  Compiler(sys::CompileConfig config, std::filesystem::path scratch);
  virtual ~Compiler() = default;

  // Limits of processor time, memory, output and files decide what fails, so that a busy host never
  // rejects a good plugin; the wall clock is a net (decision P13). A scratch disk without the room
  // for a compile makes it unavailable.
  // Compiles `version`'s entry point (domain::entry_point; it must have one) with its other files
  // beside it. Files must have their content. Deterministic: equal input, equal binary.
  virtual Compilation compile(const Toolchain& toolchain,
                              const domain::PluginVersion& version) const;

 private:
  sys::CompileConfig config_;
  std::filesystem::path scratch_;
};

// The rule that holds for all lines: magic, version, sizes that add up, and an AMX image whose
// first inflated bytes carry the AMX magic. An exit code proves nothing with 1.8.2.
bool is_valid_amxx(std::string_view file);

// The same, and the image inflates to what its sizes say: a compiler that ran out of disk may have
// packed half an image. Costs as much as inflating all of it.
bool is_complete_amxx(std::string_view file);

}  // namespace goldsmith::compile
