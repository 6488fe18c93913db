#include "app/directory/compile_checks.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/compile/compile_inputs.hpp"
#include "app/compile/scheduler.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/pawn/amxx_file.hpp"
#include "app/pawn/diagnostics.hpp"

namespace goldsmith::directory {
namespace {

constexpr int kFailuresInARow = 3;

// What ended at a limit, or without a reason, may pass another time or on another host.
domain::CompileResult result_of(const compile::Compilation& compilation) {
  if (!compilation.is_verdict()) return domain::CompileResult::undecided;
  return compilation.result == compile::Result::compiled ? domain::CompileResult::ok
                                                         : domain::CompileResult::failed;
}

// Leaves what others than AMX Mod X and the plugin itself must have. `natives`: of AMX Mod X.
void keep_foreign(std::optional<domain::PluginNatives>& found,
                  const std::optional<std::vector<std::string>>& natives) {
  if (!natives) found.reset();
  if (!found) return;
  std::erase_if(found->imports, [&](const std::string& name) {
    return std::binary_search(natives->begin(), natives->end(), name) ||
           std::binary_search(found->offers.begin(), found->offers.end(), name);
  });
}

domain::CompileFindings findings_of(const compile::Compilation& compilation,
                                    const std::string& line,
                                    const std::optional<std::vector<std::string>>& natives,
                                    const compile::Toolchains& toolchains) {
  domain::CompileFindings findings;
  if (compilation.result == compile::Result::compiled) {
    findings.needs = pawn::plugin_needs(compilation.binary);
    if (findings.needs) keep_foreign(findings.needs->natives, natives);
  } else {
    findings.hint = compile::compile_hint(compilation.missing_include, line, toolchains);
    findings.errors = pawn::first_errors(compilation.output);
  }
  return findings;
}

// As known before this check.
CheckedCompile known_compile(const domain::CompileVerdict& verdict) {
  return {verdict.toolchain, verdict.result, verdict.findings};
}

}  // namespace

std::optional<domain::CompileVerdict> verdict_of(
    const compile::Compilation& compilation, const compile::CompileInputs& inputs,
    const compile::IncludeOffers* offers, const std::string& line, const std::string& fingerprint,
    const std::optional<std::vector<std::string>>& natives, const compile::Toolchains& toolchains) {
  if (compilation.result == compile::Result::unavailable) return std::nullopt;
  return domain::CompileVerdict{line,
                                fingerprint,
                                result_of(compilation),
                                findings_of(compilation, line, natives, toolchains),
                                inputs.looked_up,
                                compile::components_digest(inputs.looked_up, offers)};
}

CompileChecks::CompileChecks(Dependencies dependencies)
    : dependencies_(std::move(dependencies)), basis_({}) {
  compile::VerdictBasis::Fingerprints fingerprints;
  std::map<std::string, std::shared_ptr<const compile::IncludeOffers>> offers;
  for (compile::Toolchain& toolchain : dependencies_.toolchains.installed()) {
    std::string fingerprint = dependencies_.toolchains.fingerprint(toolchain);
    auto components = dependencies_.components(toolchain.line);
    fingerprints.emplace(toolchain.line, fingerprint);
    offers.emplace(toolchain.line, components.offers);
    auto natives = dependencies_.natives(toolchain.line);
    checkers_.push_back(
        {std::move(toolchain), std::move(fingerprint), std::move(components), std::move(natives)});
  }
  basis_ = compile::VerdictBasis(
      std::move(fingerprints),
      [offers = std::move(offers)](const std::string& line) { return offers.at(line); });
}

compile::Compilation CompileChecks::compilation_of(const compile::CompileInputs& inputs,
                                                   const domain::PluginVersion& version) {
  const auto source =
      compile::CompileScheduler::source(inputs.toolchain, inputs.fingerprint, version);
  while (true) {
    try {
      return dependencies_.compiles.compile(source, dependencies_.may_compile,
                                            compile::Priority::background);
    } catch (const domain::Failure& refused) {
      dependencies_.wait(refused.refusal.value().wait);
    }
  }
}

CheckedCompile CompileChecks::compile(Checker& checker, const compile::CompileInputs& inputs,
                                      const domain::PluginVersion& version) {
  CheckedCompile checked{checker.toolchain.line};
  if (checker.failures >= kFailuresInARow) {
    checked.cause = checker.last_cause;
    return checked;
  }
  const compile::Compilation compilation = compilation_of(inputs, version);
  if (compilation.result == compile::Result::unavailable) {
    ++checker.failures;
    checker.last_cause = checked.cause = compilation.cause;
    return checked;
  }
  checker.failures = 0;
  checked.is_compiled = true;
  checked.result = result_of(compilation);
  checked.findings =
      findings_of(compilation, checker.toolchain.line, checker.natives, dependencies_.toolchains);
  return checked;
}

bool CompileChecks::tells_all(const Checker& checker, const domain::CompileVerdict* verdict) {
  if (verdict == nullptr || !verdict->findings) return false;
  const auto& needs = verdict->findings->needs;
  return !needs || needs->natives || !checker.natives;
}

bool CompileChecks::knows(const db::CheckableVersion& version) const {
  return std::all_of(checkers_.begin(), checkers_.end(), [&](const Checker& checker) {
    return tells_all(checker, basis_.find(version.verdicts, checker.toolchain.line));
  });
}

CheckedCompile CompileChecks::check_content(Checker& checker, const Content& content, Known known,
                                            std::vector<domain::CompileVerdict>& made) {
  const std::string& line = checker.toolchain.line;
  const compile::CompileInputs inputs =
      compile::equip(checker.toolchain, dependencies_.toolchains.include_index(checker.toolchain),
                     checker.fingerprint, content.version, checker.components);
  std::string components =
      compile::components_digest(inputs.looked_up, checker.components.offers.get());
  std::optional<domain::CompileVerdict> stored;
  if (known == Known::stay && components.empty()) {
    stored = dependencies_.verdicts.find(content.digest, checker.fingerprint);
  }
  CheckedCompile checked = stored && tells_all(checker, &*stored)
                               ? known_compile(*stored)
                               : compile(checker, inputs, content.version);
  checked.warnings = inputs.warnings;
  if (checked.result) {
    made.push_back({line, checker.fingerprint, *checked.result, checked.findings, inputs.looked_up,
                    std::move(components)});
  }
  return checked;
}

std::optional<CompileChecks::Content> CompileChecks::load(const db::CheckableVersion& version) const
    try {
  auto found = dependencies_.plugins.find_version(version.slug, version.version);
  if (!found || domain::entry_point(found->version) == nullptr) return std::nullopt;
  dependencies_.plugins.load_sources(found->version);
  std::string digest = found->version.content_digest;
  return Content{std::move(found->version), std::move(digest)};
} catch (const compile::PluginGone&) {
  return std::nullopt;
}

// Where a file that the compile reads is missing or can't be read, there is no verdict.
std::optional<CheckedCompile> CompileChecks::check_with(Checker& checker,
                                                        const db::CheckableVersion& version,
                                                        Known known,
                                                        std::optional<Content>& content,
                                                        std::vector<domain::CompileVerdict>& made) {
  const auto without = [&](const std::exception& failure) {
    return CheckedCompile{.toolchain = checker.toolchain.line, .cause = failure.what()};
  };
  try {
    if (!content) content = load(version);
    if (!content) return std::nullopt;
    return check_content(checker, *content, known, made);
  } catch (const archive::MissingDepotFile& failure) {
    return without(failure);
  } catch (const archive::ZipError& failure) {
    return without(failure);
  } catch (const base::FileError& failure) {
    return without(failure);
  } catch (const host::Unreadable& failure) {
    return without(failure);
  } catch (const host::ReaderUnavailable& failure) {
    return without(failure);
  }
}

std::vector<CheckedCompile> CompileChecks::check(const db::CheckableVersion& version, Known known) {
  std::vector<CheckedCompile> checked;
  std::vector<domain::CompileVerdict> made;
  std::optional<Content> content;
  for (Checker& checker : checkers_) {
    const std::string& line = checker.toolchain.line;
    const domain::CompileVerdict* old = basis_.find(version.verdicts, line);
    if (tells_all(checker, old) && known == Known::stay) {
      checked.push_back(known_compile(*old));
      continue;
    }
    auto with = check_with(checker, version, known, content, made);
    if (!with) break;
    checked.push_back(*std::move(with));
  }
  if (!made.empty()) {
    dependencies_.verdicts.record(version.id, content->digest, made, dependencies_.clock.seconds());
  }
  return checked;
}

}  // namespace goldsmith::directory
