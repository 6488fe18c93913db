// Every compile of the service goes through here, downloads and server builds alike, so that no
// source holds up the others (decisions P14 and P15).
#pragma once

#include <string>
#include <variant>

#include "app/compile/compile_history.hpp"
#include "app/compile/compiler.hpp"
#include "app/domain/permit.hpp"
#include "app/service/concurrency_limits.hpp"
#include "app/service/request_time.hpp"
#include "app/sys/clock.hpp"

namespace goldsmith::service {

class CompileScheduler {
 public:
  struct Dependencies {
    const compile::Compiler& compiler;
    compile::CompileHistory& history;
    ConcurrencyLimits& limits;
    const RequestTime& time;
    const sys::Clock& clock;
  };
  explicit CompileScheduler(Dependencies dependencies) : dependencies_(dependencies) {}

  // What is compiled and with what.
  struct Source {
    const compile::Toolchain& toolchain;
    const domain::PluginVersion& version;  // with an entry point; to compile, with its sources
    std::string content_digest;            // of service::content_digest
    std::string toolchain_fingerprint;
  };
  static Source source(const compile::Toolchain& toolchain, std::string fingerprint,
                       const domain::PluginVersion& version);

  // The last compile, if it ended at a limit within the last ten minutes.
  std::optional<compile::Compilation> remembered(const Source& source) const;

  // Returns the remembered compile, or else compiles. An unproved source takes a slot among the
  // build workers before `may_compile` is asked: a refusal costs no budget. `proved` is the
  // priority of proved sources. Others are compiled in the background, and if they get too little
  // time there, once more at normal priority, one at a time on this host. A compile that the end of
  // the request's time ends is refused. Throws sys::FileError.
  std::variant<compile::Compilation, domain::RateLimited> compile(
      const Source& source, const domain::Permit& may_compile,
      compile::Priority proved = compile::Priority::normal) const;

 private:
  static std::string key_of(const Source& source);
  compile::Compilation run(const Source& source, compile::Priority priority) const;
  // Waits for the slot of patient compiles, at most as long as the request may take.
  compile::Compilation run_patiently(const Source& source, compile::Compilation starved) const;

  Dependencies dependencies_;
};

}  // namespace goldsmith::service
