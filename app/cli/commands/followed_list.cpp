#include "app/cli/commands/followed_list.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "app/base/text.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/cli/commands/mirror_report.hpp"
#include "app/cli/output.hpp"
#include "app/scan/followed.hpp"
#include "app/scan/record.hpp"

namespace goldsmith::cli {
namespace {

struct FollowedRow {
  scan::FollowedRepository repository;
  std::size_t plugins = 0;
};

Listing<FollowedRow> followed_listing() {
  using Row = FollowedRow;
  return {
      {{"REPOSITORY", "repository", [](const Row& row) { return row.repository.title(); }},
       {"RELEASES", "releases", [](const Row& row) { return row.repository.upstream.releases; },
        "-"},
       {"PLUGINS", "plugins", &Row::plugins},
       {.header = "BROKEN",
        .value = [](const Row& row) { return row.repository.uncompiled.size(); },
        .absent = "0"},
       {.field = "uncompiled",
        .value = [](const Row& row) { return domain::to_json(row.repository.uncompiled); }},
       {"MIRRORED", "time", [](const Row& row) { return to_json(row.repository.time); }, "-"},
       {.header = "COMMIT",
        .value = [](const Row& row) { return short_commit(row.repository.commit); },
        .absent = "-"},
       {"ASKED", "asked_at", [](const Row& row) { return to_json(row.repository.asked_at); }, "-"},
       {"PROBLEM", "problem", [](const Row& row) { return row.repository.trouble(); }},
       {.field = "failing_since",
        .value = [](const Row& row) { return to_json(row.repository.failing_since); }},
       {.field = "commit", .value = [](const Row& row) { return row.repository.commit; }},
       {.field = "publishes_new",
        .value = [](const Row& row) { return row.repository.publishes_new; }}}};
}

constexpr std::size_t kMostNamed = 10;

void warn_of(const std::vector<std::string>& names, const std::string& what,
             const std::string& remedy, Findings& findings) {
  if (names.empty()) return;
  findings.warning("followed repositories", what + ": " + base::join_some(names, kMostNamed),
                   remedy);
}

}  // namespace

void list_followed(const Arguments& arguments, Context& context) {
  const scan::FollowedRepositories followed(context.config().followed,
                                            scan::FollowedRepositories::Access::reads);
  std::vector<FollowedRow> rows;
  for (scan::FollowedRepository& repository : followed.list()) {
    const scan::ScanRecord record(followed.folder_of(repository.folder));
    const auto is_imported = [](const auto& each) { return each.second.is_imported; };
    const auto count = std::ranges::count_if(record.plugins(), is_imported);
    rows.push_back({std::move(repository), static_cast<std::size_t>(count)});
  }
  std::ranges::sort(rows, {}, [](const FollowedRow& row) { return row.repository.title(); });
  followed_listing().print(rows, arguments, context, [&] {
    if (!rows.empty()) return followed_listing().table(rows).print(context.out());
    context.out() << "No repository is followed; \"goldsmith plugin follow REPOSITORY\" begins.\n";
  });
}

void examine_followed(Context& context, Findings& findings) try {
  const std::filesystem::path& folder = context.config().followed;
  if (!std::filesystem::exists(folder)) return;
  std::vector<std::string> failing;
  std::vector<std::string> doubted;
  const scan::FollowedRepositories followed(folder, scan::FollowedRepositories::Access::reads);
  for (const scan::FollowedRepository& each : followed.list()) {
    if (each.is_known_to_fail()) {
      failing.push_back(each.title() + " (since " + domain::format_timestamp(each.failing_since) +
                        ": " + each.problem + ")");
    } else if (!each.doubts().empty()) {
      doubted.push_back(each.trouble());
    }
  }
  warn_of(failing, "nothing comes from them any more",
          "goldsmith plugin unfollow REPOSITORY ends it; its plugins stay", findings);
  warn_of(doubted, "all that changes waits until somebody has looked",
          "goldsmith plugin list --held; goldsmith plugin follow REPOSITORY --trust publishes it",
          findings);
} catch (const std::exception& problem) {
  findings.warning("followed repositories", problem.what(),
                   "goldsmith plugin follow lists them; goldsmith plugin unfollow ends one");
}

}  // namespace goldsmith::cli
