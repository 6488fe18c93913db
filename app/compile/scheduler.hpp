// What keeps work from being compiled, and what compiles it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/clock.hpp"
#include "app/base/config.hpp"
#include "app/compile/compiler.hpp"
#include "app/compile/history.hpp"
#include "app/compile/toolchain.hpp"
#include "app/domain/failure.hpp"
#include "app/domain/plugin.hpp"
#include "app/host/shared_file.hpp"
#include "app/limits/concurrency.hpp"

namespace goldsmith::compile {

// No compiler that works: the toolchain is missing, or can't be started, or the include of a
// component can't be read.
inline domain::Failure no_compiler(std::string cause) {
  return {domain::Error::compiler_unavailable, "a build needs a compiler", std::move(cause)};
}
inline domain::Failure not_installed(const std::string& toolchain_line) {
  return no_compiler("toolchain " + toolchain_line +
                     " is not installed; goldsmith-install-toolchain installs it");
}

// The caller allows no compile, and without one there is no answer (HEAD, decision R2).
struct NeedsCompile : domain::Failure {
  NeedsCompile() : Failure(domain::Error::compiler_unavailable) {}
};

// Every compile of the service goes through here, downloads and server builds alike, so that no
// source holds up the others (decisions P14 and P15).
class CompileScheduler {
 public:
  struct Dependencies {
    const Compiler& compiler;
    CompileHistory& history;
    limits::ConcurrencyLimits& limits;
    const limits::RequestTime& time;
    const base::Clock& clock;
  };
  explicit CompileScheduler(Dependencies dependencies) : dependencies_(dependencies) {}

  // What is compiled and with what.
  struct Source {
    const Toolchain& toolchain;
    const domain::PluginVersion& version;  // with an entry point; to compile, with its sources
    std::string content_digest;            // of compile::content_digest
    std::string toolchain_fingerprint;
  };
  static Source source(const Toolchain& toolchain, std::string fingerprint,
                       const domain::PluginVersion& version);

  // The last compile, if it ended at a limit within the last ten minutes.
  std::optional<Compilation> remembered(const Source& source) const;

  // Returns the remembered compile, or else compiles. An unproved source takes a slot among the
  // build workers before `may_compile` is asked: a refusal costs no budget. `proved` is the
  // priority of proved sources. Others are compiled in the background, and if they get too little
  // time there, once more at normal priority, one at a time on this host. A compile that the end of
  // the request's time ends is refused. Throws base::FileError and, when it is refused,
  // domain::Failure.
  Compilation compile(const Source& source, const domain::Permit& may_compile,
                      Priority proved = Priority::normal) const;

 private:
  static std::string key_of(const Source& source);
  Compilation run(const Source& source, Priority priority) const;
  // Waits for the slot of patient compiles, at most as long as the request may take.
  Compilation run_patiently(const Source& source, Compilation starved) const;

  Dependencies dependencies_;
};

// What would help a source that does not compile.
enum class HintFor {
  download,  // which can be asked for with another toolchain
  reader
};

// In one or two sentences for the person who wants the plugin. `include` is the one that the
// toolchain `line` did not find; without one there is no hint: "".
std::string compile_hint(std::string_view include, std::string_view line,
                         const Toolchains& toolchains, HintFor whom = HintFor::reader);

// Why some toolchains reject a source.
struct Rejection {
  std::string lines;                 // of the toolchains: "1.9, 1.10"
  domain::CompileFindings findings;  // of the last of them
};
// Adds a toolchain: to those that report the same errors, if there are any.
void add_rejection(std::vector<Rejection>& rejections, const std::string& line,
                   const domain::CompileFindings& findings);

// All that compiles in one process, put together: the same for workers, for the operator's command
// and for tests.
struct CompileService {
  // `shared`: the folder of what the processes of a host share; the files `compiles` and `seats`
  // are made there. `workers`: see ConcurrencyLimits. `clock` and `compiler` must outlive the
  // object. Throws base::FileError.
  CompileService(const base::Config& config, const std::filesystem::path& shared,
                 const base::Clock& clock, const Compiler& compiler,
                 std::function<std::size_t()> workers)
      : toolchains(config.toolchains, config.includes),
        history(shared / "compiles"),
        slots(shared / "seats"),
        time(clock),
        limits(slots, time, std::move(workers)),
        compiles({compiler, history, limits, time, clock}) {}
  CompileService(const CompileService&) = delete;
  CompileService& operator=(const CompileService&) = delete;

  const Toolchains toolchains;
  ToolchainWatch watch{toolchains};
  CompileHistory history;
  host::HostSemaphore slots;
  limits::RequestTime time;
  limits::ConcurrencyLimits limits;
  const CompileScheduler compiles;
};

}  // namespace goldsmith::compile
