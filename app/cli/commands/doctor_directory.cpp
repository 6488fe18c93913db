// doctor: plugins of the directory.
#include <cerrno>
#include <cstddef>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/compile/sandboxed_texts.hpp"
#include "app/limits/freshness.hpp"
#include "app/limits/rate_windows.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "app/scan/plugin_checks.hpp"
#include "db/addon_store.hpp"
#include "db/download_log.hpp"

namespace goldsmith::cli {

namespace {

constexpr std::size_t kNamedPlugins = 5;

// Version 1.0.0 published what was in a source without a question.
void examine_secrets(Context& context, Findings& findings) try {
  const pawn::TextReader texts = compile::text_reader();
  std::map<std::string, std::string> found;  // by plugin and version, the first
  context.plugins().each_text(std::nullopt, [&](const db::StoredText& text) {
    const std::vector<std::string> secrets = scan::secrets_of(text.file, texts);
    if (!secrets.empty()) found.emplace(text.slug + " " + text.version, secrets.front());
  });
  if (found.empty()) return;
  std::vector<std::string> named;
  for (const auto& [version, secret] : found) named.push_back(version + " (" + secret + ")");
  findings.warning(
      "private texts",
      count_of(found.size(), "published version") +
          " with what may be private: " + base::join_some(named, kNamedPlugins),
      "goldsmith plugin unpublish SLUG VERSION, unless its author wants it read; import "
      "another version without it");
} catch (const std::exception& failure) {
  findings.warning("private texts", std::string("not looked for: ") + failure.what(),
                   "goldsmith component mirror needs the same sandbox; see above");
}

// Version 1.0.0 took files of a platform, or of an owner, into plugins; and a component may have
// come later.
void examine_foreign_files(Context& context, Findings& findings) {
  const domain::FileOwners owners = scan::file_owners(context.database());
  std::vector<std::string> found;
  context.plugins().each_version([&](const db::PluginName& plugin,
                                     const domain::PluginVersion& version) {
    const std::vector<std::string> files = scan::foreign_files(version, owners);
    if (files.empty()) return;
    found.push_back(plugin.slug.str() + " " + version.version.str() + " (" + files.front() + ")");
  });
  if (found.empty()) return;
  findings.warning("foreign files",
                   count_of(found.size(), "published version") +
                       " with a file that is not the plugin's, which is left out of downloads: " +
                       base::join_some(found, kNamedPlugins),
                   "import another version without it; goldsmith plugin check names all");
}

// Version 1.0.0 took what was imported last for the latest.
void examine_latest_versions(Context& context, Findings& findings) {
  const std::vector<db::LowerLatest> lower = context.plugins().lower_latest();
  if (lower.empty()) return;
  std::vector<std::string> names;
  for (const db::LowerLatest& each : lower) {
    names.push_back(each.slug + " (" + each.latest + " over " + each.highest + ")");
  }
  findings.warning("latest versions",
                   count_of(lower.size(), "plugin") +
                       " with a latest version that has a lower number than another: " +
                       base::join_some(names, kNamedPlugins),
                   "if it is wrong, give the versions in the manifest their \"created_at\", and "
                   "import it again");
}

void examine_held_versions(Context& context, Findings& findings) {
  const domain::Catalog catalog = context.components().load_catalog();
  std::vector<std::string> names;
  for (const domain::Component& component : catalog.components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      if (!version.held) continue;
      names.push_back(component.slug + " " + version.version + " (" + version.held->reason + ")");
    }
  }
  if (names.empty()) return;
  findings.warning("held versions",
                   count_of(names.size(), "version") +
                       " of components that only those get who pin "
                       "it: " +
                       base::join_some(names, kNamedPlugins),
                   "goldsmith component release SLUG VERSION, or mirror one that runs");
}

// What a restored backup has brought back. Where nothing was withdrawn, there is no file.
void examine_withdrawals(Context& context, Findings& findings) {
  const Withdrawals record = context.withdrawals();
  try {
    const std::size_t count = record.brought_back(db::public_names(context.database())).size();
    if (count == 0) return findings.good("withdrawals", record.file().native());
    findings.bad(
        "withdrawals",
        count_of(count, "name") + " in " + record.file().native() +
            " that were withdrawn are public again: was the database restored?",
        "goldsmith db withdraw --dry-run lists them, goldsmith db withdraw withdraws them");
  } catch (const base::FileError& error) {
    if (error.error_number() == ENOENT) return;
    findings.warning("withdrawals", error.what(), "let root read and write it: chmod 640");
  }
}

}  // namespace

void examine_directory(Context& context, Findings& findings) {
  examine_withdrawals(context, findings);
  examine_held_versions(context, findings);
  examine_latest_versions(context, findings);
  examine_secrets(context, findings);
  examine_foreign_files(context, findings);
  examine_followed(context, findings);
}

}  // namespace goldsmith::cli
