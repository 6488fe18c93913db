#include "app/cli/commands/component_upstream.hpp"

#include <map>
#include <ostream>
#include <vector>

#include "app/cli/progress_line.hpp"
#include "app/cli/table.hpp"
#include "app/sys/interruption.hpp"
#include "app/upstream/web.hpp"

namespace goldsmith::cli {
namespace {

using service::MirrorChange;

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

bool has_upstream(const domain::Component& component) { return !component.upstream.empty(); }

// Addresses alone don't tell what the newest version is.
bool has_newest(const domain::Component& component) {
  return !component.upstream.github.empty() || component.upstream.version.has_value();
}

// A release that is not mirrored yet. The component is the tour's.
struct Newer {
  const domain::Component* component;
  upstream::Release release;
};

json::Object view(const Newer& newer) {
  json::Array files;
  for (const upstream::ReleaseFile& file : newer.release.files) {
    files.emplace_back(json::Object{{"name", file.name}, {"url", file.url}, {"size", file.size}});
  }
  const domain::ComponentVersion* latest = newer.component->latest();
  return {{"slug", newer.component->slug},
          {"mirrored", latest ? json::Value(latest->version) : json::Value()},
          {"version", newer.release.version},
          {"released_at", domain::format_timestamp(newer.release.released_at)},
          {"files", std::move(files)}};
}

void print_table(const std::vector<Newer>& found, std::ostream& out) {
  Table table({"SLUG", "MIRRORED", "UPSTREAM", "RELEASED"});
  for (const auto& [component, release] : found) {
    const domain::ComponentVersion* latest = component->latest();
    table.add({component->slug.str(), latest ? latest->version.str() : "-", release.version.str(),
               release.released_at ? domain::format_timestamp(*release.released_at) : "-"});
  }
  table.print(out);
}

// Goes through components one by one: what goes wrong with one is said, and the next one follows.
class Tour {
 public:
  Tour(Context& context, const std::optional<domain::Slug>& slug)
      : context_(context), catalog_(context.components().load_catalog()) {
    if (slug) {
      alone_ = catalog_.find(*slug);
      if (!alone_) throw Failure("there is no component \"" + *slug + "\"; import it first");
    }
  }

  // With one component alone a failure is the caller's.
  template <typename Visit>
  void visit(Visit visit) {
    if (alone_) return visit(*alone_);
    for (const domain::Component& component : catalog_.components()) {
      if (!has_upstream(component)) continue;
      ++visited_;
      try {
        visit(component);
      } catch (const sys::Interrupted&) {
        throw;
      } catch (const std::exception& error) {
        context_.report(component.slug + ": " + error.what());
        ++failed_;
      }
    }
  }

  bool is_alone() const { return alone_ != nullptr; }
  std::size_t visited() const { return visited_; }
  std::size_t failed() const { return failed_; }

  void check(const std::string& what) const {
    if (failed_ > 0) {
      throw Failure(std::to_string(failed_) + " of " + std::to_string(visited_) +
                    " components could not be " + what);
    }
  }

 private:
  Context& context_;
  domain::Catalog catalog_;
  const domain::Component* alone_ = nullptr;
  std::size_t visited_ = 0;
  std::size_t failed_ = 0;
};

class UpstreamRun {
 public:
  UpstreamRun(Context& context, service::UpstreamRequest request, bool dry_run)
      : context_(context),
        request_(std::move(request)),
        dry_run_(dry_run),
        components_(context.components()),
        depot_(context.config().depot),
        mirroring_(components_, depot_, context.config(), context.clock()) {}

  void take(const domain::Component& component, bool is_alone) {
    if (!is_alone && !has_newest(component)) {
      ++counts_["skipped"];
      context_.out() << "skipped " << component.slug
                     << ": its upstream names no version; mirror it by SLUG and --version\n";
      return;
    }
    ProgressLine line(context_.err(), context_.shows_progress());
    line.show(component.slug + ": asking upstream …");
    const service::UpstreamPlan plan = mirroring_.plan(component, request_);
    if (plan.is_unchanged) {
      say_unchanged(component, plan, line);
    } else if (dry_run_) {
      say_plan(component, plan, line);
    } else {
      mirror(component, plan, line);
    }
    context_.out().flush();
  }

  const std::map<std::string, std::size_t>& counts() const { return counts_; }
  bool has_changed() const { return has_changed_; }

 private:
  // What follows is output.
  void count(std::string_view what, ProgressLine& line) {
    line.clear();
    ++counts_[std::string(what)];
  }

  void say_unchanged(const domain::Component& component, const service::UpstreamPlan& plan,
                     ProgressLine& line) {
    service::MirrorOutcome outcome;
    outcome.version = *component.find_version(plan.release.version);
    count(name_of(outcome.change), line);
    print_outcome(component.slug, outcome, context_.out());
  }

  void say_plan(const domain::Component& component, const service::UpstreamPlan& plan,
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

  void mirror(const domain::Component& component, const service::UpstreamPlan& plan,
              ProgressLine& line) {
    const std::string name = component.slug + " " + plan.release.version;
    const service::MirrorObserver observer{
        [&](std::string_view what) { line.show(name + ": " + std::string(what) + " …"); },
        [&](const std::string& file, std::uint64_t done, std::uint64_t total) {
          line.show_transfer(file, done, total);
        }};
    const service::FetchedMirror fetched = mirroring_.mirror(component, plan, request_, observer);
    const service::MirrorOutcome& outcome = fetched.outcome;
    count(name_of(outcome.change), line);
    has_changed_ = has_changed_ || outcome.change != MirrorChange::unchanged;
    print_outcome(component.slug, outcome, context_.out());
    if (outcome.change == MirrorChange::unchanged) return;
    for (const upstream::ReleaseFile& file : fetched.unpinned) {
      context_.out() << "  sha256 " << file.sha256 << "  " << file.name << '\n';
    }
    say_latest(component, outcome.version);
  }

  // A version that was mirrored by hand may have a later time than its release had.
  void say_latest(const domain::Component& component, const domain::ComponentVersion& version) {
    const domain::ComponentVersion* latest = component.latest();
    if (request_.version || !latest || latest->version == version.version ||
        domain::is_newer(version, *latest)) {
      return;
    }
    context_.out() << "  the latest version stays " << latest->version << ", released "
                   << domain::format_timestamp(latest->released_at) << '\n';
  }

  Context& context_;
  service::UpstreamRequest request_;
  bool dry_run_;
  db::ComponentStore components_;
  archive::Depot depot_;
  service::UpstreamMirroring mirroring_;
  std::map<std::string, std::size_t> counts_;
  bool has_changed_ = false;
};

void print_summary(const Tour& tour, const UpstreamRun& run, std::ostream& out) {
  out << tour.visited() << " components";
  const char* separator = ": ";
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count == 0) return;
    out << separator << count << ' ' << what;
    separator = ", ";
  };
  for (const auto& [what, count] : run.counts()) add(count, what);
  add(tour.failed(), "failed");
  out << '\n';
}

}  // namespace

void print_outcome(const domain::Slug& slug, const service::MirrorOutcome& outcome,
                   std::ostream& out) {
  const domain::ComponentVersion& version = outcome.version;
  out << name_of(outcome.change) << ' ' << slug << ' ' << version.version << ": "
      << version.file_count << " files, ";
  if (outcome.change != MirrorChange::unchanged) out << outcome.dropped << " left out, ";
  out << "released " << domain::format_timestamp(version.released_at) << '\n';
}

void mirror_upstream(const std::optional<domain::Slug>& slug,
                     const service::UpstreamRequest& request, bool dry_run, Context& context) {
  Tour tour(context, slug);
  UpstreamRun run(context, request, dry_run);
  tour.visit([&](const domain::Component& component) { run.take(component, tour.is_alone()); });
  if (!tour.is_alone()) print_summary(tour, run, context.out());
  if (run.has_changed()) context.announce_change();
  tour.check("mirrored");
}

void check_upstream(const std::optional<domain::Slug>& slug, bool as_json, Context& context) {
  Tour tour(context, slug);
  db::ComponentStore components = context.components();
  const archive::Depot depot(context.config().depot);
  service::UpstreamMirroring mirroring(components, depot, context.config(), context.clock());
  std::vector<Newer> found;
  tour.visit([&](const domain::Component& component) {
    if (!tour.is_alone() && !has_newest(component)) return;
    ProgressLine line(context.err(), context.shows_progress());
    line.show(component.slug + ": asking upstream …");
    upstream::Release release = mirroring.find_release(component, std::nullopt);
    if (!component.find_version(release.version)) found.push_back({&component, std::move(release)});
  });
  if (as_json) {
    json::Array listing;
    for (const Newer& newer : found) listing.emplace_back(view(newer));
    context.print(listing);
  } else if (!found.empty()) {
    print_table(found, context.out());
  } else if (tour.failed() == 0) {
    context.out() << "Everything that has an upstream is up to date.\n";
  }
  tour.check("checked");
}

}  // namespace goldsmith::cli
