#include <map>
#include <ostream>
#include <utility>

#include <fmt/core.h>

#include "app/base/interruption.hpp"
#include "app/cli/commands/component.hpp"
#include "app/cli/output.hpp"
#include "app/mirror/release_mirroring.hpp"
#include "app/start/trials.hpp"

namespace goldsmith::cli {

namespace {

mirror::ArchiveRequest archive_request(const Arguments& arguments) {
  if (!arguments.has("version")) {
    throw UsageError("--archive needs --version V; an archive does not name its version");
  }
  mirror::ArchiveRequest request;
  request.slug = arguments.slug("SLUG");
  request.version = arguments.version("version");
  for (const std::string& archive : arguments.list("archive")) {
    request.archives.emplace_back(archive);
  }
  request.released_at = arguments.time("released-at");
  request.replace = arguments.has("replace");
  return request;
}

// Absent = what is mirrored need not start.
std::optional<domain::Hold> hold_of(const Arguments& arguments, Context& context) {
  const bool must_start = arguments.has("if-starts") || context.config().mirror.require_start;
  return must_start ? std::optional(start::hold_until_tried()) : std::nullopt;
}

[[noreturn]] void refuse_held(std::size_t count, std::string_view why) {
  throw Failure(count_of(count, "version") + " " + (count == 1 ? "is" : "are") + " held, because " +
                std::string(why));
}

constexpr std::string_view kOfStart = "of what a start showed";
constexpr std::string_view kOfDoubt = "its repository may be another one";
constexpr std::string_view kOfStep = "its number does not follow on that of the latest";

void mirror_archives(const Arguments& arguments, Context& context) {
  mirror::ArchiveRequest request = archive_request(arguments);
  request.hold = hold_of(arguments, context);
  const archive::Depot depot(context.config().depot);
  db::ComponentStore components = context.components();
  const mirror::ArchiveMirroring mirroring(components, depot, context.config().mirror,
                                           context.clock());
  const domain::Catalog before = components.load_catalog();
  const auto progress = [&](std::string_view what) {
    if (what.empty()) return;
    context.progress(request.slug + " " + request.version + ": " + std::string(what) + " …");
  };
  const mirror::MirrorOutcome outcome = mirroring.mirror(request, progress);
  print_outcome(request.slug, outcome, context.out());
  const domain::Component* known = before.find(request.slug);
  const bool is_held = !start_mirrored(request.slug, outcome, known ? known->latest() : nullptr,
                                       request.hold.has_value(), progress, context);
  const std::optional<domain::Timestamp>& released_at = outcome.version.released_at;
  const domain::Catalog catalog = components.load_catalog();
  const domain::Component* component = catalog.find(request.slug);
  if (component) print_latest(*component, outcome.version, context.out());
  if (request.released_at && request.released_at != released_at) {
    context.out() << "the time of release is unchanged; --replace sets it to "
                  << domain::format_timestamp(*request.released_at) << '\n';
  }
  forget_outdated_verdicts(context);
  context.announce_change();
  if (is_held) refuse_held(1, kOfStart);
}

// `option` makes no sense beside any of `others`.
void check_alone(const Arguments& arguments, std::string_view option,
                 std::initializer_list<std::string_view> others) {
  if (!arguments.has(option)) return;
  for (const std::string_view other : others) {
    if (arguments.has(other)) {
      throw UsageError(fmt::format("--{} and --{} can't be combined", option, other));
    }
  }
}

void check_combination(const Arguments& arguments) {
  check_alone(arguments, "archive", {"all", "check", "dry-run"});
  check_alone(arguments, "all", {"version", "released-at"});
  check_alone(arguments, "check", {"version", "released-at", "replace", "dry-run", "if-starts"});
  if (arguments.has("json") && !arguments.has("check")) {
    throw UsageError("--json needs --check");
  }
  if (arguments.has("SLUG") && arguments.has("all")) {
    throw UsageError("SLUG and --all can't be combined");
  }
  if (!arguments.has("SLUG") && !arguments.has("all") && !arguments.has("check")) {
    throw UsageError("SLUG is missing; --all mirrors every component that has an upstream");
  }
}

void run_mirror(const Arguments& arguments, Context& context) {
  check_combination(arguments);
  const base::InterruptionGuard guard;
  if (arguments.has("archive")) return mirror_archives(arguments, context);
  const std::optional<domain::Slug> slug = arguments.optional_slug("SLUG");
  if (arguments.has("check")) return check_releases(slug, arguments, context);
  mirror::ReleaseRequest request;
  request.version = arguments.optional_version("version");
  request.released_at = arguments.time("released-at");
  request.replace = arguments.has("replace");
  request.hold = hold_of(arguments, context);
  mirror_releases(slug, request, arguments.has("dry-run"), context);
}

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
        request_(std::move(request)),
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
    print_passed_over(component, plan.release, line);
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
  std::size_t held() const { return held_; }
  std::size_t doubted() const { return doubted_; }
  std::size_t stepped() const { return stepped_; }

 private:
  // What follows is output.
  void count(std::string_view what, ProgressLine& line) {
    line.clear();
    ++counts_[std::string(what)];
  }

  void print_passed_over(const domain::Component& component, const mirror::Release& release,
                         ProgressLine& line) {
    const auto& version = release.passed_over;
    const domain::Defect* const defect = version ? component.holding_defect(*version) : nullptr;
    if (defect == nullptr) return;
    line.clear();
    context_.out() << "passed over " << component.slug << ' ' << *version
                   << ", which the catalog holds: " << domain::told(*defect).english() << '\n';
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
    for (const mirror::ReleaseFile& file : plan.release.files) {
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
    const auto progress = [&](std::string_view what) {
      line.clear();
      if (!what.empty()) observer.on_step(what);
    };
    if (!start_mirrored(component.slug, outcome, component.latest(), request_.hold.has_value(),
                        progress, context_)) {
      ++held_;
    }
    if (outcome.is_doubted) {
      const domain::Hold& held = outcome.version.held.value();
      context_.out() << "  held: " << held.reason << "; \"goldsmith component release " << name
                     << "\" hands it out\n";
      ++(held.kind == domain::HoldKind::step ? stepped_ : doubted_);
    }
    for (const mirror::ReleaseFile& file : outcome.unpinned) {
      context_.out() << "  sha256 " << file.sha256 << "  " << file.name << '\n';
    }
    // A version that was mirrored by hand may have a later time than its release had.
    const bool is_defective = component.holding_defect(outcome.version.version) != nullptr;
    if (!request_.version || is_defective) print_latest(component, outcome.version, context_.out());
  }

  Context& context_;
  mirror::ReleaseRequest request_;
  bool dry_run_;
  db::ComponentStore components_;
  mirror::ReleaseMirroring mirroring_;
  std::map<std::string, std::size_t> counts_;
  bool has_changed_ = false;
  std::size_t held_ = 0;
  std::size_t doubted_ = 0;
  std::size_t stepped_ = 0;
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

Verb mirror_verb() {
  return {
      .name = "mirror",
      .summary = "Mirrors an upstream release into the depot.",
      .text =
          "Downloads the newest release of a component, or the one given by --version, from the "
          "upstream of its manifest, or with --archive reads archives that were downloaded by hand "
          "(zip, rar, 7z, tar), or files that the manifest says are none. Files that a Linux "
          "server does not need are left out, the "
          "others are placed by the component's install rules, and the result is published in the "
          "depot and the catalog. If several archives hold the same path, the later one wins. See "
          "UPSTREAMS in goldsmith(1).\n\n"
          "Downloads use https only. A file must have the SHA-256 that the manifest names for the "
          "version; if it names none, the digest is printed. If the manifest names a key, the file "
          "must have a good signature by it; the public key must be in the folder mirror.keys as "
          "FINGERPRINT.asc.\n\n"
          "A process without rights reads the archives, in a sandbox. An archive with unsafe names "
          "or links, or one that exceeds the configured limits, is refused as a whole, and the "
          "mirrored version stays. A release that is already mirrored is not downloaded again if "
          "upstream can prove that it is unchanged. Mirroring the same content again changes "
          "nothing, but repairs a damaged depot file.\n\n"
          "Then the recommended server is started with what is new, as \"goldsmith build start\" "
          "does, and the outcome is printed. With --if-starts, or the option mirror.require_start, "
          "a version with which it runs worse than with the former one, or that could not be "
          "started, is held: see \"goldsmith component hold\". So is one that neither a digest nor "
          "a signature of the manifest proves, if the repository on GitHub, or the account that "
          "has it, is another one than that of the latest version. The exit code is 1 then. "
          "Natives of "
          "modules whose result is known are called, too: one that was right with the former "
          "version "
          "and is not any more is named, and is a reason to hold it.\n\n"
          "A release that the manifest holds for a known defect is passed over, and mirrored by "
          "--version alone.",
      .positionals = {{.name = "SLUG", .required = false}},
      .options = {{.name = "all",
                   .help = "Mirrors the newest release of every component that has an upstream; a "
                           "failure does not stop the others. It begins with those about which "
                           "upstream was never asked, or longest ago, so that a run which GitHub's "
                           "rate limit ends is continued by the next one."},
                  {.name = "check",
                   .help = "Lists newer releases at upstream, and mirrors nothing.",
                   .effect = Effect::reads},
                  {.name = "dry-run",
                   .help = "Shows what would be mirrored, and changes nothing.",
                   .effect = Effect::reads},
                  {.name = "version",
                   .value_name = "V",
                   .help = "Mirrors this version; the only way to mirror a pre-release."},
                  {.name = "archive",
                   .value_name = "FILE",
                   .help = "Reads this archive, or a file that is none by its name and the "
                           "manifest, instead of downloading; several may follow.",
                   .repeated = true},
                  {.name = "released-at",
                   .value_name = "T",
                   .help = "Sets the time of the release, UTC, for example \"2024-05-01 "
                           "12:00:00\"; the component's latest version is the one released last. "
                           "The default is what upstream says; with --archive it is the known time "
                           "for a version that is mirrored already, and now for a new one, unless "
                           "its number is lower than that of the latest: then it is the time of "
                           "the next higher ones, behind which it comes."},
                  {.name = "replace",
                   .help = "Mirrors the release again with the current install rules, and replaces "
                           "the mirrored version even if its content differs."},
                  {.name = "if-starts",
                   .help = "Hands a new version out only if the recommended server starts with "
                           "it; otherwise the former version stays the latest."},
                  {.name = "json", .help = "With --check: prints JSON, for scripts."}},
      .examples = {"goldsmith component mirror --all --if-starts",
                   "goldsmith component mirror --check",
                   "goldsmith component mirror rehlds --version 3.14.0.857",
                   "goldsmith component mirror amxmodx-1-9 --version 1.9.0.5294 --released-at "
                   "2021-05-20 \\",
                   "    --archive amxmodx-base-linux.tar.gz amxmodx-cstrike-linux.tar.gz"},
      .run = run_mirror,
      .withdraws = true,
  };
}

void print_latest(const domain::Component& component, const domain::ComponentVersion& version,
                  std::ostream& out) {
  const domain::Defect* const defect = component.holding_defect(version.version);
  if (defect != nullptr && !version.is_released) {
    out << "  held: " << domain::told(*defect).english() << "; \"goldsmith component release "
        << component.slug << ' ' << version.version << "\" hands it out\n";
    return;
  }
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
  if (run.held() > 0) refuse_held(run.held(), kOfStart);
  if (run.doubted() > 0) refuse_held(run.doubted(), kOfDoubt);
  if (run.stepped() > 0) refuse_held(run.stepped(), kOfStep);
}

}  // namespace goldsmith::cli
