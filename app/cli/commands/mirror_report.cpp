#include "app/cli/commands/mirror_report.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/cli/output.hpp"

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

}  // namespace goldsmith::cli
