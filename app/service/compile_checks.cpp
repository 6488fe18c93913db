#include "app/service/compile_checks.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "app/compile/diagnostics.hpp"
#include "app/compile/plugin_needs.hpp"
#include "app/service/compile_hint.hpp"
#include "app/service/plugin_content.hpp"

namespace goldsmith::service {
namespace {

constexpr int kFailuresInARow = 3;

// What ended at a limit, or without a reason, may pass another time or on another host.
domain::CompileResult result_of(const compile::Compilation& compilation) {
  if (!compilation.is_verdict()) return domain::CompileResult::undecided;
  return compilation.result == compile::Result::compiled ? domain::CompileResult::ok
                                                         : domain::CompileResult::failed;
}

domain::CompileFindings findings_of(const compile::Compilation& compilation,
                                    const std::string& line,
                                    const compile::Toolchains& toolchains) {
  domain::CompileFindings findings;
  if (compilation.result == compile::Result::compiled) {
    findings.needs = compile::plugin_needs(compilation.binary);
  } else {
    findings.hint = compile_hint(compilation.missing_include, line, toolchains);
    findings.errors = compile::first_errors(compilation.output);
  }
  return findings;
}

// As known before this check.
CheckedCompile known_compile(const domain::CompileVerdict& verdict) {
  return {verdict.toolchain, verdict.result, verdict.findings};
}

}  // namespace

CompileChecks::CompileChecks(Dependencies dependencies) : dependencies_(std::move(dependencies)) {
  for (compile::Toolchain& toolchain : dependencies_.toolchains.installed()) {
    std::string fingerprint = dependencies_.toolchains.fingerprint(toolchain);
    checkers_.push_back({std::move(toolchain), std::move(fingerprint)});
  }
}

std::map<std::string, std::string> CompileChecks::fingerprints() const {
  std::map<std::string, std::string> all;
  for (const Checker& checker : checkers_) all.emplace(checker.toolchain.line, checker.fingerprint);
  return all;
}

compile::Compilation CompileChecks::compilation_of(const Checker& checker,
                                                   const domain::PluginVersion& version) {
  const auto source = CompileScheduler::source(checker.toolchain, checker.fingerprint, version);
  while (true) {
    auto outcome = dependencies_.compiles.compile(source, dependencies_.may_compile,
                                                  compile::Priority::background);
    if (auto* compilation = std::get_if<compile::Compilation>(&outcome)) {
      return std::move(*compilation);
    }
    dependencies_.wait(std::get<domain::RateLimited>(outcome).wait);
  }
}

CheckedCompile CompileChecks::compile(Checker& checker, const domain::PluginVersion& version) {
  CheckedCompile checked{checker.toolchain.line};
  if (checker.failures >= kFailuresInARow) {
    checked.cause = checker.last_cause;
    return checked;
  }
  const compile::Compilation compilation = compilation_of(checker, version);
  if (compilation.result == compile::Result::unavailable) {
    ++checker.failures;
    checker.last_cause = checked.cause = compilation.cause;
    return checked;
  }
  checker.failures = 0;
  checked.is_compiled = true;
  checked.result = result_of(compilation);
  checked.findings = findings_of(compilation, checker.toolchain.line, dependencies_.toolchains);
  return checked;
}

std::vector<CheckedCompile> CompileChecks::check(const db::CheckableVersion& version, Known known) {
  std::vector<CheckedCompile> checked;
  std::vector<domain::CompileVerdict> made;
  std::optional<domain::PluginVersion> content;
  std::string digest;
  for (Checker& checker : checkers_) {
    const domain::CompileVerdict* old =
        domain::find_verdict(version.verdicts, checker.toolchain.line, checker.fingerprint);
    if (old != nullptr && old->findings && known == Known::stay) {
      checked.push_back(known_compile(*old));
      continue;
    }
    if (!content) {
      auto found = dependencies_.plugins.find_version(version.slug, version.version);
      if (!found || domain::entry_point(found->version) == nullptr) break;  // gone meanwhile
      content = std::move(found->version);
      digest = content_digest(*content);
    }
    std::optional<domain::CompileVerdict> stored;
    if (known == Known::stay) stored = dependencies_.verdicts.find(digest, checker.fingerprint);
    const bool is_known = stored && stored->findings;
    checked.push_back(is_known ? known_compile(*stored) : compile(checker, *content));
    const CheckedCompile& last = checked.back();
    if (last.result) {
      made.push_back({checker.toolchain.line, checker.fingerprint, *last.result, last.findings});
    }
  }
  if (!made.empty()) {
    dependencies_.verdicts.record(version.id, digest, made, dependencies_.clock.seconds());
  }
  return checked;
}

}  // namespace goldsmith::service
