// Every compile of the service goes through here, downloads and server builds alike, so that no
// source holds up the others (decisions P14 and P15).
#pragma once

#include <string>
#include <variant>

#include "app/compile/compiler.hpp"
#include "app/compile/ledger.hpp"
#include "app/domain/permit.hpp"
#include "app/service/worker_shares.hpp"
#include "app/sys/clock.hpp"

namespace goldsmith::service {

class FairCompiles {
 public:
  struct Dependencies {
    const compile::Compiler& compiler;
    compile::Ledger& ledger;
    WorkerShares& shares;
    const sys::Clock& clock;
  };
  explicit FairCompiles(Dependencies dependencies) : dependencies_(dependencies) {}

  // What is compiled and with what.
  struct Source {
    const compile::Toolchain& toolchain;
    const domain::PluginVersion& version;  // with an entry point
    std::string content_digest;            // of service::content_digest
    std::string toolchain_fingerprint;
  };
  static Source source(const compile::Toolchain& toolchain, std::string fingerprint,
                       const domain::PluginVersion& version);

  // The failure of the last compile, if that ended at a limit within the last ten minutes.
  std::optional<compile::Compilation> remembered(const Source& source) const;

  // That, or else a compile. An unproved source needs a place among the build workers first, and
  // only then `may_compile` is asked: what is refused takes no budget. `proved`: the priority of
  // proved sources; others are compiled in the background. Throws sys::FileError.
  std::variant<compile::Compilation, domain::RateLimited> compile(
      const Source& source, const domain::Permit& may_compile,
      compile::Priority proved = compile::Priority::normal) const;

 private:
  static std::string key_of(const Source& source);

  Dependencies dependencies_;
};

}  // namespace goldsmith::service
