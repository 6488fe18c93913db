// What can come of work that needs a compiler, beside its result: alternatives of the outcomes of
// PluginDownloads, CompiledPluginCache and ServerBuilds.
#pragma once

#include <string>
#include <variant>

#include "app/domain/permit.hpp"

namespace goldsmith::service {

// The caller allows no compile, and without one there is no answer (HEAD, decision R2).
struct NeedsCompile {};

// No compiler that works: the toolchain is missing, or can't be started, or the include of a
// component can't be read.
struct CompilerUnavailable {
  std::string cause;             // for the log, never for a client
  bool lacks_component = false;  // this host's depot lacks the component's file (decision O11)
};

inline CompilerUnavailable not_installed(const std::string& toolchain_line) {
  return {"toolchain " + toolchain_line +
          " is not installed; goldsmith-install-toolchain installs it"};
}

// Why nothing was compiled. The source is not to blame.
using CompileObstacle = std::variant<NeedsCompile, domain::RateLimited, CompilerUnavailable>;

}  // namespace goldsmith::service
