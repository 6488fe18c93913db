#include "app/cli/commands/component.hpp"

#include <map>
#include <ostream>
#include <vector>

#include "app/cli/progress_line.hpp"

namespace goldsmith::cli {
namespace {

using mirror::MirrorChange;

std::string_view name_of(MirrorChange change) {
  switch (change) {
    case MirrorChange::mirrored:
      return "mirrored";
    case MirrorChange::replaced:
      return "replaced";
    case MirrorChange::repaired:
      return "repaired";
    case MirrorChange::recorded:
      return "recorded";
    case MirrorChange::unchanged:
      return "unchanged";
  }
  return "";
}

// Mirrors components one by one, and prints and counts what becomes of each.
class MirrorRun {
 public:
  MirrorRun(Context& context, mirror::ReleaseRequest request, bool dry_run)
      : context_(context),
        request_(request),
        dry_run_(dry_run),
        components_(context.components()),
        mirroring_(components_, context.config(), context.clock()) {}

  void take(const domain::Component& component, bool is_single) {
    if (!is_single && !names_newest_version(component)) {
      ++counts_["skipped"];
      context_.out() << "skipped " << component.slug
                     << ": its upstream names no version; mirror it by SLUG and --version\n";
      return;
    }
    ProgressLine line(context_.err(), context_.shows_progress());
    line.show(component.slug + ": asking upstream …");
    const mirror::ReleasePlan plan = mirroring_.plan(component, request_);
    if (plan.is_unchanged) {
      print_unchanged(component, plan, line);
    } else if (dry_run_) {
      print_plan(component, plan, line);
    } else {
      mirror(component, plan, line);
    }
    context_.out().flush();
  }

  const std::map<std::string, std::size_t>& counts() const { return counts_; }
  const mirror::ReleaseMirroring& mirroring() const { return mirroring_; }
  bool has_changed() const { return has_changed_; }

 private:
  // What follows is output.
  void count(std::string_view what, ProgressLine& line) {
    line.clear();
    ++counts_[std::string(what)];
  }

  void print_unchanged(const domain::Component& component, const mirror::ReleasePlan& plan,
                       ProgressLine& line) {
    mirror::MirrorOutcome outcome;
    outcome.version = *component.find_version(plan.release.version);
    count(name_of(outcome.change), line);
    print_outcome(component.slug, outcome, context_.out());
  }

  void print_plan(const domain::Component& component, const mirror::ReleasePlan& plan,
                  ProgressLine& line) {
    const bool compares = plan.is_mirrored && !request_.replace;
    count(compares ? "to compare" : "to mirror", line);
    context_.out() << (compares ? "would compare " : "would mirror ") << component.slug << ' '
                   << plan.release.version;
    if (plan.release.released_at) {
      context_.out() << ", released " << domain::format_timestamp(*plan.release.released_at);
    }
    const char* separator = ": ";
    for (const upstream::ReleaseFile& file : plan.release.files) {
      context_.out() << separator << file.name << " ("
                     << (file.size > 0 ? std::to_string(file.size) + " bytes" : "size unknown")
                     << ')';
      separator = ", ";
    }
    context_.out() << '\n';
  }

  void mirror(const domain::Component& component, const mirror::ReleasePlan& plan,
              ProgressLine& line) {
    const std::string name = component.slug + " " + plan.release.version;
    const mirror::MirrorObserver observer{
        [&](std::string_view what) { line.show(name + ": " + std::string(what) + " …"); },
        [&](const std::string& file, std::uint64_t done, std::uint64_t total) {
          line.show_transfer(file, done, total);
        }};
    const mirror::MirrorOutcome outcome = mirroring_.mirror(component, plan, request_, observer);
    count(name_of(outcome.change), line);
    has_changed_ = has_changed_ || outcome.change != MirrorChange::unchanged;
    print_outcome(component.slug, outcome, context_.out());
    if (outcome.change == MirrorChange::unchanged) return;
    for (const upstream::ReleaseFile& file : outcome.unpinned) {
      context_.out() << "  sha256 " << file.sha256 << "  " << file.name << '\n';
    }
    // A version that was mirrored by hand may have a later time than its release had.
    if (!request_.version) print_latest(component, outcome.version, context_.out());
  }

  Context& context_;
  mirror::ReleaseRequest request_;
  bool dry_run_;
  db::ComponentStore components_;
  mirror::ReleaseMirroring mirroring_;
  std::map<std::string, std::size_t> counts_;
  bool has_changed_ = false;
};

void print_totals(const ComponentSelection& selection, const MirrorRun& run, std::ostream& out) {
  out << selection.visited() << " components";
  const char* separator = ": ";
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count == 0) return;
    out << separator << count << ' ' << what;
    separator = ", ";
  };
  for (const auto& [what, count] : run.counts()) add(count, what);
  add(selection.failed(), "failed");
  add(selection.not_asked(), "not asked about");
  out << '\n';
}

}  // namespace

void print_latest(const domain::Component& component, const domain::ComponentVersion& version,
                  std::ostream& out) {
  const domain::ComponentVersion* latest = component.latest();
  if (!latest || latest->version == version.version || domain::is_newer(version, *latest)) return;
  out << "  the latest version stays " << latest->version << ", released "
      << domain::format_timestamp(latest->released_at) << '\n';
}

void print_outcome(const domain::Slug& slug, const mirror::MirrorOutcome& outcome,
                   std::ostream& out) {
  const domain::ComponentVersion& version = outcome.version;
  out << name_of(outcome.change) << ' ' << slug << ' ' << version.version << ": "
      << version.file_count << " files, ";
  if (outcome.change != MirrorChange::unchanged) out << outcome.dropped << " left out, ";
  out << "released " << domain::format_timestamp(version.released_at) << '\n';
}

void mirror_releases(const std::optional<domain::Slug>& slug, const mirror::ReleaseRequest& request,
                     bool dry_run, Context& context) {
  ComponentSelection selection(context, slug);
  MirrorRun run(context, request, dry_run);
  selection.for_each(run.mirroring(), [&](const domain::Component& component) {
    run.take(component, selection.is_single());
  });
  if (!selection.is_single()) print_totals(selection, run, context.out());
  if (run.has_changed()) {
    forget_outdated_verdicts(context);
    context.announce_change();
  }
  selection.check_failures("mirrored");
}

}  // namespace goldsmith::cli
