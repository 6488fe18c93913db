#include <map>

#include "app/cli/commands/doctor.hpp"
#include "app/cli/foreign_files.hpp"
#include "app/cli/plugin_secrets.hpp"
#include "app/cli/plugin_tools.hpp"
#include "app/cli/table.hpp"
#include "app/sys/file.hpp"
#include "app/sys/text.hpp"
#include "db/public_names.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::size_t kMostNamed = 5;

// Version 1.0.0 published what was in a source without a question.
void examine_secrets(Context& context, Findings& findings) try {
  const scan::TextReader texts = text_reader();
  std::map<std::string, std::string> found;  // by plugin and version, the first
  context.plugins().each_text(std::nullopt, [&](const db::StoredText& text) {
    const std::vector<std::string> secrets = secrets_of(text.file, texts);
    if (!secrets.empty()) found.emplace(text.slug + " " + text.version, secrets.front());
  });
  if (found.empty()) return;
  std::vector<std::string> named;
  for (const auto& [version, secret] : found) named.push_back(version + " (" + secret + ")");
  findings.warning(
      "private texts",
      count_of(found.size(), "published version") +
          " with what may be private: " + sys::join_some(named, kMostNamed),
      "goldsmith plugin unpublish SLUG VERSION, unless its author wants it read; import "
      "another version without it");
} catch (const std::exception& failure) {
  findings.warning("private texts", std::string("not looked for: ") + failure.what(),
                   "goldsmith component mirror needs the same sandbox; see above");
}

// Version 1.0.0 took files of a platform, or of an owner, into plugins; and a component may have
// come later.
void examine_foreign_files(Context& context, Findings& findings) {
  const domain::FileOwners owners = file_owners(context);
  std::vector<std::string> found;
  context.plugins().each_version(
      [&](const domain::Slug& slug, const domain::PluginVersion& version) {
        const std::vector<std::string> files = foreign_files(version, owners);
        if (files.empty()) return;
        found.push_back(slug.str() + " " + version.version.str() + " (" + files.front() + ")");
      });
  if (found.empty()) return;
  findings.warning("foreign files",
                   count_of(found.size(), "published version") +
                       " with a file that is not the plugin's, which is left out of downloads: " +
                       sys::join_some(found, kMostNamed),
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
                       sys::join_some(names, kMostNamed),
                   "if it is wrong, give the versions in the manifest their \"created_at\", and "
                   "import it again");
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
  } catch (const sys::FileError& error) {
    if (error.error_number() == ENOENT) return;
    findings.warning("withdrawals", error.what(), "let root read and write it: chmod 640");
  }
}

}  // namespace

void examine_directory(Context& context, Findings& findings) {
  examine_withdrawals(context, findings);
  examine_latest_versions(context, findings);
  examine_secrets(context, findings);
  examine_foreign_files(context, findings);
}

}  // namespace goldsmith::cli
