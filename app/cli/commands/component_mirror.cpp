#include "app/cli/commands/component.hpp"

#include <ostream>

#include "app/sys/interruption.hpp"

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

void mirror_archives(const Arguments& arguments, Context& context) {
  const mirror::ArchiveRequest request = archive_request(arguments);
  const archive::Depot depot(context.config().depot);
  db::ComponentStore components = context.components();
  const mirror::ArchiveMirroring mirroring(components, depot, context.config().mirror,
                                           context.clock());
  const mirror::MirrorOutcome outcome = mirroring.mirror(request, [&](std::string_view what) {
    context.progress(request.slug + " " + request.version + ": " + std::string(what) + " …");
  });
  print_outcome(request.slug, outcome, context.out());
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
}

// `option` makes no sense beside any of `others`.
void check_alone(const Arguments& arguments, std::string_view option,
                 std::initializer_list<std::string_view> others) {
  if (!arguments.has(option)) return;
  for (const std::string_view other : others) {
    if (arguments.has(other)) {
      throw UsageError("--" + std::string(option) + " and --" + std::string(other) +
                       " can't be combined");
    }
  }
}

void check_combination(const Arguments& arguments) {
  check_alone(arguments, "archive", {"all", "check", "dry-run"});
  check_alone(arguments, "all", {"version", "released-at"});
  check_alone(arguments, "check", {"version", "released-at", "replace", "dry-run"});
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
  const sys::InterruptionGuard guard;
  if (arguments.has("archive")) return mirror_archives(arguments, context);
  const std::optional<domain::Slug> slug = arguments.optional_slug("SLUG");
  if (arguments.has("check")) return check_releases(slug, arguments, context);
  mirror::ReleaseRequest request;
  request.version = arguments.optional_version("version");
  request.released_at = arguments.time("released-at");
  request.replace = arguments.has("replace");
  mirror_releases(slug, request, arguments.has("dry-run"), context);
}

}  // namespace

Verb mirror_verb() {
  return {
      .name = "mirror",
      .summary = "Mirrors an upstream release into the depot.",
      .text =
          "Downloads the newest release of a component, or the one given by --version, from the "
          "upstream of its manifest, or with --archive reads archives that were downloaded by hand "
          "(zip, tar.gz, tar.xz, 7z). Files that a Linux server does not need are left out, the "
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
          "nothing, but repairs a damaged depot file.",
      .positionals = {{.name = "SLUG", .required = false}},
      .options = {{.name = "all",
                   .help = "Mirrors the newest release of every component that has an upstream; a "
                           "failure does not stop the others. It begins with those about which "
                           "upstream was never asked, or longest ago, so that a run which GitHub's "
                           "rate limit ends is continued by the next one."},
                  {.name = "check",
                   .help = "Lists newer releases at upstream, and mirrors nothing."},
                  {.name = "dry-run", .help = "Shows what would be mirrored, and changes nothing."},
                  {.name = "version",
                   .value_name = "V",
                   .help = "Mirrors this version; the only way to mirror a pre-release."},
                  {.name = "archive",
                   .value_name = "FILE",
                   .help = "Reads this archive instead of downloading; several may follow.",
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
                  {.name = "json", .help = "With --check: prints JSON, for scripts."}},
      .examples = {"goldsmith component mirror --all", "goldsmith component mirror --check",
                   "goldsmith component mirror rehlds --version 3.14.0.857",
                   "goldsmith component mirror amxmodx-1-9 --version 1.9.0.5294 --released-at "
                   "2021-05-20 \\",
                   "    --archive amxmodx-base-linux.tar.gz amxmodx-cstrike-linux.tar.gz"},
      .run = run_mirror,
      .withdraws = true,
  };
}

}  // namespace goldsmith::cli
