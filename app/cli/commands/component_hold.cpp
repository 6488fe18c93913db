#include <functional>
#include <optional>
#include <ostream>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/cli/commands/component.hpp"
#include "app/cli/context.hpp"
#include "app/cli/start_host.hpp"
#include "app/start/summary.hpp"
#include "app/start/trials.hpp"

namespace goldsmith::cli {
namespace {

// What callers get who pin no version.
std::string latest_of(const domain::Slug& slug, Context& context) {
  const domain::Catalog catalog = context.components().load_catalog();
  const domain::Component* component = catalog.find(slug);
  const domain::ComponentVersion* latest = component ? component->latest() : nullptr;
  return latest ? "the latest version is " + latest->version.str()
                : "there is no other version, so it can't be built";
}

void check_known(bool is_known, const db::VersionName& name) {
  if (is_known) return;
  throw Failure("the component \"" + name.slug + "\" has no mirrored version \"" + name.version +
                "\"");
}

void run_hold(const Arguments& arguments, Context& context) {
  const db::VersionName name{arguments.slug("SLUG"), arguments.version("VERSION")};
  const std::string reason = arguments.text("reason");
  if (reason.empty() || !base::is_printable(reason) ||
      base::count_code_points(reason) > domain::kMostHoldReason) {
    throw UsageError(
        fmt::format("--reason must be one line of 1 to {} characters", domain::kMostHoldReason));
  }
  check_known(context.components().hold(name, domain::Hold{reason, context.now()}), name);
  forget_outdated_verdicts(context);
  context.announce_change();
  context.out() << "holds " << name.slug << ' ' << name.version << "; "
                << latest_of(name.slug, context) << '\n';
}

void run_release(const Arguments& arguments, Context& context) {
  const db::VersionName name{arguments.slug("SLUG"), arguments.version("VERSION")};
  check_known(context.components().release(name), name);
  forget_outdated_verdicts(context);
  context.announce_change();
  context.out() << "released " << name.slug << ' ' << name.version << "; "
                << latest_of(name.slug, context) << '\n';
}

}  // namespace

bool start_mirrored(const domain::Slug& slug, const mirror::MirrorOutcome& outcome,
                    const domain::ComponentVersion* former, bool is_required,
                    const std::function<void(std::string_view)>& progress, Context& context) {
  using mirror::MirrorChange;
  if (outcome.change != MirrorChange::mirrored && outcome.change != MirrorChange::replaced) {
    return true;
  }
  const db::VersionName name{slug, outcome.version.version};
  const auto& held = outcome.version.held;
  const bool is_held = held && held->kind == domain::HoldKind::unstarted;
  const start::Judgement judged =
      start::judge_mirrored(name, is_held, former ? std::optional(former->version) : std::nullopt,
                            progress, start_host(context));
  progress("");
  const start::Trial& trial = judged.trial;
  if (!trial.unprobed.empty()) context.progress("no native was tried: " + trial.unprobed);
  if (trial.report) {
    context.out() << "  the recommended server with it: " << start::summary_of(*trial.report)
                  << '\n';
  } else if (trial.is_possible || is_required) {
    context.out() << "  not started: " << trial.cause << '\n';
  }
  if (!judged.defects.empty()) context.out() << "  " << judged.defects << '\n';
  if (judged.is_released) return true;
  context.out() << "  held: " << latest_of(slug, context) << "; \"goldsmith component release "
                << slug << ' ' << name.version << "\" hands it out\n";
  return false;
}

Verb hold_verb() {
  return {
      .name = "hold",
      .summary = "Hands a mirrored version out no more, except to those who pin it.",
      .text =
          "Holds a version that turned out bad: the newest version that is not held is the latest, "
          "and whoever pins the held one is told the reason by the API, the pages and update.sh. "
          "The feed of components names it, and so do \"goldsmith component list\" and the doctor. "
          "Nothing is removed; \"goldsmith component release\" takes it back. A version that is "
          "held stays so when it is mirrored again.",
      .positionals = {{.name = "SLUG"}, {.name = "VERSION"}},
      .options = {{.name = "reason",
                   .value_name = "TEXT",
                   .help = "Why, for people who run servers; one line.",
                   .required = true}},
      .examples = {"goldsmith component hold rehlds 3.14.0.857 --reason unstable"},
      .run = run_hold,
      .withdraws = true,
  };
}

Verb release_verb() {
  return {
      .name = "release",
      .summary = "Hands a version that was held out again.",
      .text =
          "Takes back a \"goldsmith component hold\", or that of \"goldsmith component mirror "
          "--if-starts\", or of a defect that the catalog knows: if the version is the newest, it "
          "is the latest again. No import of the catalog holds it anew.",
      .positionals = {{.name = "SLUG"}, {.name = "VERSION"}},
      .options = {},
      .examples = {"goldsmith component release rehlds 3.14.0.857"},
      .run = run_release,
      .withdraws = true,
  };
}

}  // namespace goldsmith::cli
