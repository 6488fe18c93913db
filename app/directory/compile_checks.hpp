// Whether published versions compile with the toolchains of this host (decision P16).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/compile/content.hpp"
#include "app/compile/plugin_sources.hpp"
#include "app/compile/scheduler.hpp"
#include "app/domain/permit.hpp"
#include "db/plugin_store.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::directory {

// The result for one version with one toolchain.
struct CheckedCompile {
  std::string toolchain;
  // std::nullopt: no verdict, because this host could not compile it; `cause` says why.
  std::optional<domain::CompileResult> result = {};
  std::optional<domain::CompileFindings> findings = {};  // what the compile told beside it
  bool is_compiled = false;                              // by this check, not known before
  std::string cause = {};                                // for the operator
  std::vector<std::string> warnings = {};  // of compile::CompileInputs, if the source was looked at
};

// What a compile of `inputs` says of a version; std::nullopt if this host could not compile.
// `offers`: of the components that were offered; null = none. `natives`: see
// CompileChecks::Dependencies.
std::optional<domain::CompileVerdict> verdict_of(
    const compile::Compilation& compilation, const compile::CompileInputs& inputs,
    const compile::IncludeOffers* offers, const std::string& line, const std::string& fingerprint,
    const std::optional<std::vector<std::string>>& natives, const compile::Toolchains& toolchains);

// An object must not be used by several threads at a time.
class CompileChecks {
 public:
  struct Dependencies {
    compile::PluginSources plugins;
    db::VerdictStore& verdicts;
    const compile::Toolchains& toolchains;
    const compile::CompileScheduler& compiles;
    const base::Clock& clock;
    // For plugins that are compiled with a line. Called once for each.
    std::function<compile::ComponentIncludes(const std::string& line)> components;
    // What AMX Mod X offers to plugins that are compiled with a line, sorted; std::nullopt if it is
    // not known. Called once for each.
    std::function<std::optional<std::vector<std::string>>(const std::string& line)> natives;
    domain::Permit may_compile;
    // Called when a limit is reached; may throw to end the check.
    std::function<void(std::chrono::seconds)> wait;
  };
  explicit CompileChecks(Dependencies dependencies);

  // Whether a verdict that is known is made again.
  enum class Known { stay, again };

  // Returns one result for each installed toolchain, in their order, and stores the verdicts at
  // once. A time-out, a full disk or a missing compiler is the fault of this host and gives no
  // verdict. After three of them in a row a toolchain is left out until this object ends. Throws
  // db::Error and base::FileError.
  std::vector<CheckedCompile> check(const db::CheckableVersion& version, Known known);

  // True if a check of the version would compile nothing.
  bool knows(const db::CheckableVersion& version) const;

  // What known verdicts are compared with: as of the construction of this object.
  const compile::VerdictBasis& basis() const { return basis_; }

 private:
  struct Content {
    domain::PluginVersion version;
    std::string digest;
  };
  struct Checker {
    compile::Toolchain toolchain;
    std::string fingerprint;
    compile::ComponentIncludes components;
    std::optional<std::vector<std::string>> natives;
    int failures = 0;  // of this host, in a row
    std::string last_cause = {};
  };

  // Findings of an older goldsmith lack what a check finds today.
  static bool tells_all(const Checker& checker, const domain::CompileVerdict* verdict);
  // std::nullopt if it is gone meanwhile. Throws as PluginSources does.
  std::optional<Content> load(const db::CheckableVersion& version) const;
  // `content`: of load(), where it was called. std::nullopt if the version is gone meanwhile.
  std::optional<CheckedCompile> check_with(Checker& checker, const db::CheckableVersion& version,
                                           Known known, std::optional<Content>& content,
                                           std::vector<domain::CompileVerdict>& made);
  CheckedCompile check_content(Checker& checker, const Content& content, Known known,
                               std::vector<domain::CompileVerdict>& made);
  CheckedCompile compile(Checker& checker, const compile::CompileInputs& inputs,
                         const domain::PluginVersion& version);
  compile::Compilation compilation_of(const compile::CompileInputs& inputs,
                                      const domain::PluginVersion& version);

  Dependencies dependencies_;
  std::vector<Checker> checkers_;
  compile::VerdictBasis basis_;
};

}  // namespace goldsmith::directory
