#include "app/cli/commands/followed_report.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/cli/output.hpp"
#include "app/scan/record.hpp"

namespace goldsmith::cli {
namespace {

void print_event(const scan::MirrorEvent& event, std::ostream& out) {
  out << fmt::format("{:<9}  {}", to_string(event.kind), event.slug);
  if (!event.version.empty()) out << ' ' << event.version;
  for (std::size_t i = 0; i < event.reasons.size(); ++i) {
    out << (i == 0 ? ": " : "; ") << base::one_line(event.reasons[i]);
  }
  out << '\n';
}

void print_uncompiled(const std::vector<scan::UncompiledSource>& sources, std::ostream& out) {
  constexpr std::size_t kMost = 10;
  for (std::size_t i = 0; i < std::min(sources.size(), kMost); ++i) {
    out << "  " << base::printable(sources[i].path) << ": " << base::one_line(sources[i].why)
        << '\n';
  }
  if (sources.size() > kMost) {
    out << "  and " << sources.size() - kMost
        << " more; \"goldsmith plugin follow --json\" names them\n";
  }
}

void print_ways_out(const scan::FollowedRepository& repository, const scan::MirrorReport& report,
                    std::ostream& out) {
  const std::string follow = "\"goldsmith plugin follow " + repository.upstream.repository;
  if (!report.open_topics.empty()) {
    out << "questions: " << report.open_topics << "; " << follow
        << " --answer TOPIC=ANSWER\" answers all of a topic\n";
  }
  const std::vector<domain::Doubt> doubts = repository.doubts();
  if (doubts.empty()) return;
  out << "in doubt: "
      << base::join(
             doubts, "; ",
             [&](domain::Doubt doubt) { return text_of(doubt, repository.upstream.repository); })
      << "; all that it changes waits until somebody has looked, and " << follow
      << " --trust\" says so\n";
}

void print_mirrored(const scan::FollowedRepository& repository, const scan::MirrorReport& report,
                    std::ostream& out) {
  using enum scan::MirrorEvent::Kind;
  if (report.is_unchanged) {
    out << "unchanged  " << repository.title() << '\n';
    return;
  }
  for (const scan::MirrorEvent& event : report.events) print_event(event, out);
  if (!report.is_mirrored) return;
  if (!report.remark.empty()) {
    print_event({noted, repository.title(), "", {report.remark}}, out);
  }
  constexpr std::size_t kMostRefused = 10;
  for (std::size_t i = 0; i < std::min(report.refused.size(), kMostRefused); ++i) {
    out << "refused    " << base::one_line(report.refused[i]) << '\n';
  }
  out << repository.title();
  if (!repository.commit.empty()) out << ' ' << short_commit(repository.commit);
  if (repository.time) out << ", " << domain::format_timestamp(*repository.time);
  out << ": " << report.count(created) << " created, " << report.count(published) << " published, "
      << report.count(waits) << " wait, " << report.count(open) << " ask, " << report.count(gone)
      << " gone, " << report.count(fails) << " fail, " << report.unchanged << " unchanged";
  if (!report.uncompiled.empty()) {
    out << "; " << count_of(report.uncompiled.size(), "source")
        << (report.uncompiled.size() == 1 ? " does" : " do") << " not compile";
  }
  if (!report.refused.empty()) {
    out << "; " << count_of(report.refused.size(), "file")
        << (report.refused.size() == 1 ? " is" : " are") << " refused";
  }
  out << '\n';
  print_uncompiled(report.uncompiled, out);
  print_ways_out(repository, report, out);
}

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

std::string short_commit(const std::string& commit) {
  constexpr std::size_t kDigits = 10;
  return commit.substr(0, kDigits);
}

scan::FollowedRun::Tell printed_on(std::ostream& out) {
  return [&out](const scan::FollowedRepository& repository, const scan::MirrorReport& report) {
    print_mirrored(repository, report, out);
    out.flush();
  };
}

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
