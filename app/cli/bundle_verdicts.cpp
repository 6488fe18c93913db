#include "app/cli/bundle_verdicts.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/output.hpp"
#include "app/cli/start_host.hpp"
#include "app/compile/content.hpp"
#include "app/directory/check_host.hpp"
#include "app/domain/manifest.hpp"
#include "app/start/plugin_starts.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::cli {
namespace {

struct Told {
  std::vector<domain::CompileVerdict> compiles;
  std::vector<domain::StartVerdict> starts;
};

// For pages and terminals: of any number of lines.
bool is_text(std::string_view text) { return base::is_printable(text, "\n\t"); }

bool is_legal(const domain::CompileVerdict& verdict) {
  return !verdict.findings ||
         (is_text(verdict.findings->hint) && is_text(verdict.findings->errors));
}

bool is_legal(const domain::StartVerdict& start) {
  return std::ranges::all_of(start.messages, is_text) && is_text(start.play_error.value_or(""));
}

Told read_told(const std::string& text) {
  Told told{db::read_verdicts(text), db::read_starts(text)};
  std::erase_if(told.compiles, [](const auto& verdict) { return !is_legal(verdict); });
  std::erase_if(told.starts, [](const auto& start) { return !is_legal(start); });
  return told;
}

// Those that stand here, of the lines of which this host has none that does.
std::vector<domain::CompileVerdict> missing_of(const std::vector<domain::CompileVerdict>& told,
                                               const std::vector<domain::CompileVerdict>& own,
                                               const compile::VerdictBasis& basis) {
  std::vector<domain::CompileVerdict> missing;
  for (const auto& [line, fingerprint] : basis.fingerprints()) {
    if (basis.find(own, line) != nullptr) continue;
    const domain::CompileVerdict* const found = basis.find(told, line);
    if (found != nullptr) missing.push_back(*found);
  }
  return missing;
}

}  // namespace

std::map<domain::Version, std::string> add_verdicts(const domain::Plugin& plugin,
                                                    BundleWriter& bundle) {
  std::map<domain::Version, std::string> members;
  for (const domain::PluginVersion& version : plugin.versions) {
    const std::string text = db::write_verdicts(version.verdicts, version.starts);
    if (text.empty() || text.size() > domain::kSourceLimit) continue;
    members.emplace(version.version, bundle.add(text));
  }
  return members;
}

void BundledVerdicts::note(const domain::Plugin& plugin,
                           const std::map<domain::Version, std::string>& members) {
  for (const domain::PluginVersion& version : plugin.versions) {
    const auto member = members.find(version.version);
    if (member == members.end()) continue;
    noted_.emplace(std::pair(plugin.slug, version.version),
                   Noted{member->second, compile::content_digest(version)});
  }
}

void BundledVerdicts::take(const BundleReader& bundle, Context& context,
                           BundleReport& report) const {
  if (noted_.empty()) return;
  directory::CheckHost host(context.config(), base::interruptible_sleep);
  const compile::VerdictBasis& basis = host.checks.basis();
  const auto told_of = [&](const db::CheckableVersion& version) {
    const auto noted = noted_.find({version.slug, version.version});
    if (noted == noted_.end() || noted->second.content != version.content_digest) return Told();
    return read_told(bundle.read(noted->second.member, domain::kSourceLimit));
  };
  std::size_t compiles = 0;
  ProgressLine line(context.err(), context.shows_progress());
  std::vector<db::CheckableVersion> versions = host.verdicts.versions({});
  for (std::size_t i = 0; i < versions.size(); ++i) {
    db::CheckableVersion& version = versions[i];
    base::check_interruption();
    const auto missing = missing_of(told_of(version).compiles, version.verdicts, basis);
    line.show_count("verdicts compared", i + 1, versions.size());
    if (missing.empty()) continue;
    host.verdicts.record(version.id, version.content_digest, missing, context.now());
    version.verdicts.insert(version.verdicts.begin(), missing.begin(), missing.end());
    compiles += missing.size();
  }
  start::PluginStarts servers(host, start_host(context));
  const std::size_t starts = servers.take(
      versions, [&](const db::CheckableVersion& version) { return told_of(version).starts; });
  if (compiles + starts == 0) return;
  context.announce_change();
  report.remark("verdicts on plugins: " + count_of(compiles, "compile") + " and " +
                count_of(starts, "start") + " need no check here");
  report.note_taken();
}

}  // namespace goldsmith::cli
