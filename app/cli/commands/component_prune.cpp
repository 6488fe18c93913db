#include <ostream>
#include <vector>

#include "app/base/interruption.hpp"
#include "app/cli/commands/component.hpp"
#include "app/cli/output.hpp"
#include "app/mirror/release_mirroring.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::int64_t kMaxKept = 1'000;

void run_prune(const Arguments& arguments, Context& context) {
  const std::vector<domain::Slug> slugs = arguments.slugs("SLUG");
  const auto keep = static_cast<std::size_t>(arguments.integer("keep", 1, kMaxKept));
  const bool dry_run = arguments.has("dry-run");
  const archive::Depot depot(context.config().depot);
  db::ComponentStore components = context.components();
  const base::InterruptionGuard guard;
  const std::vector<db::VersionName> old = mirror::prune_versions(
      components, depot, slugs, keep,
      dry_run ? archive::RemovalMode::dry_run : archive::RemovalMode::remove);
  if (!dry_run && !old.empty()) {
    forget_outdated_verdicts(context);
    context.announce_change();
  }
  const Listing<db::VersionName> listing(
      {{.field = "component", .value = &db::VersionName::slug},
       {.field = "version", .value = &db::VersionName::version}});
  listing.print(old, arguments, context, [&] {
    for (const db::VersionName& each : old) {
      context.out() << (dry_run ? "would remove " : "removed ") << each.slug << ' ' << each.version
                    << '\n';
    }
    context.out() << count_of(old.size(), "version")
                  << (dry_run ? " would be removed\n" : " removed\n");
  });
}

void run_unmirror(const Arguments& arguments, Context& context) {
  const db::VersionName version{arguments.slug("SLUG"), arguments.version("VERSION")};
  const archive::Depot depot(context.config().depot);
  db::ComponentStore components = context.components();
  const base::InterruptionGuard guard;
  mirror::remove_version(components, depot, version, arguments.has("force"));
  forget_outdated_verdicts(context);
  context.announce_change();
  context.out() << "removed " << version.slug << ' ' << version.version << '\n';
}

}  // namespace

Verb prune_verb() {
  return {
      .name = "prune",
      .summary = "Removes old mirrored versions.",
      .text =
          "Removes all but the newest versions of the named components, or of all components, from "
          "the catalog and the depot. The time of release decides which are newest; the latest "
          "version of a component always stays. Requests that pin a removed version get "
          "invalid_selection; archives built from it leave the cache in time.",
      .positionals = {{.name = "SLUG", .required = false, .repeated = true}},
      .options = {{.name = "keep",
                   .value_name = "N",
                   .help = "Keeps this many versions of each component, at least 1.",
                   .required = true},
                  {.name = "dry-run",
                   .help = "Shows what would be removed, and changes nothing.",
                   .effect = Effect::reads},
                  json_option()},
      .examples = {"goldsmith component prune --keep 3 --dry-run",
                   "goldsmith component prune rehlds reapi --keep 2"},
      .run = run_prune,
      .withdraws = true,
  };
}

Verb unmirror_verb() {
  return {
      .name = "unmirror",
      .summary = "Removes one mirrored version.",
      .text =
          "Removes one version of a component from the catalog and the depot; the component itself "
          "stays known, and the version can be mirrored again. The latest version is refused, "
          "because builds without a pinned version would get another one, or the component could "
          "no longer be built.",
      .positionals = {{.name = "SLUG"}, {.name = "VERSION"}},
      .options =
          {{.name = "force",
            .help =
                "Removes even the latest version, for example one that upstream has withdrawn."}},
      .examples = {"goldsmith component unmirror rehlds 3.13.0.788",
                   "goldsmith component unmirror rehlds 3.14.0.857 --force"},
      .run = run_unmirror,
      .withdraws = true,
  };
}

}  // namespace goldsmith::cli
