#include <ostream>

#include "app/cli/commands/component.hpp"
#include "app/cli/commands/component_upstream.hpp"
#include "app/cli/context.hpp"
#include "app/service/mirroring.hpp"
#include "app/sys/interruption.hpp"

namespace goldsmith::cli {
namespace {

service::MirrorRequest archive_request(const Arguments& arguments) {
  if (!arguments.has("version")) {
    throw UsageError("--archive needs --version V: a file does not say which version it is");
  }
  service::MirrorRequest request;
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
  const service::MirrorRequest request = archive_request(arguments);
  const archive::Depot depot(context.config().depot);
  db::ComponentStore components = context.components();
  const service::Mirroring mirroring(components, depot, context.config().mirror, context.clock());
  const service::MirrorOutcome outcome = mirroring.mirror(request, [&](std::string_view what) {
    context.progress(request.slug + " " + request.version + ": " + std::string(what) + " …");
  });
  print_outcome(request.slug, outcome, context.out());
  const std::optional<domain::Timestamp>& released_at = outcome.version.released_at;
  if (request.released_at && request.released_at != released_at) {
    context.out() << "its time of release stays; --replace changes it to "
                  << domain::format_timestamp(*request.released_at) << '\n';
  }
  context.announce_change();
}

// `option` makes no sense beside any of `others`.
void check_alone(const Arguments& arguments, std::string_view option,
                 std::initializer_list<std::string_view> others) {
  if (!arguments.has(option)) return;
  for (const std::string_view other : others) {
    if (arguments.has(other)) {
      throw UsageError("--" + std::string(option) + " and --" + std::string(other) +
                       " don't go together");
    }
  }
}

void check_combination(const Arguments& arguments) {
  check_alone(arguments, "archive", {"all", "check", "dry-run"});
  check_alone(arguments, "all", {"version", "released-at"});
  check_alone(arguments, "check", {"version", "released-at", "replace", "dry-run"});
  if (arguments.has("json") && !arguments.has("check")) {
    throw UsageError("--json goes with --check alone");
  }
  if (arguments.has("SLUG") && arguments.has("all")) {
    throw UsageError("name one component or --all, not both");
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
  if (arguments.has("check")) return check_upstream(slug, arguments.has("json"), context);
  service::UpstreamRequest request;
  request.version = arguments.optional_version("version");
  request.released_at = arguments.time("released-at");
  request.replace = arguments.has("replace");
  mirror_upstream(slug, request, arguments.has("dry-run"), context);
}

}  // namespace

Verb mirror_verb() {
  return {
      .name = "mirror",
      .summary = "Takes an upstream release into the depot.",
      .text =
          "Downloads the newest release of a component, or the one of --version, from where its "
          "manifest says (\"upstream\"), or reads the archives of one that was downloaded by hand "
          "(zip, tar.gz, tar.xz, 7z). It drops what a Linux server does not need, puts the files "
          "where the component's install rules say, and publishes the result in the depot and the "
          "catalog. Of several archives, a later one wins where paths are the same.\n\n"
          "Only https is spoken. A file must have the SHA-256 that the manifest names for that "
          "version; where it names none the digest is printed. Where the manifest names a key, the "
          "file's signature by it must be good; the public key lies in the folder mirror.keys as "
          "FINGERPRINT.asc.\n\n"
          "An archive with unsafe names, links, or more than the configured limits is refused "
          "whole, and the version that was there stays. What is mirrored already is not downloaded "
          "again where upstream can tell that it is the same. Mirroring the same content again "
          "changes nothing, but repairs a damaged depot file.",
      .positionals = {{.name = "SLUG", .required = false}},
      .options = {{.name = "all",
                   .help = "Mirrors the newest release of every component that has an upstream; "
                           "one that fails does not stop the others."},
                  {.name = "check",
                   .help = "Lists what has a newer release at upstream, and mirrors nothing."},
                  {.name = "dry-run", .help = "Says what would be mirrored, and changes nothing."},
                  {.name = "version",
                   .value_name = "V",
                   .help = "Takes this version; a pre-release must be named."},
                  {.name = "archive",
                   .value_name = "FILE",
                   .help = "Reads this archive instead; several may follow.",
                   .repeated = true},
                  {.name = "released-at",
                   .value_name = "T",
                   .help = "Sets the time of the release, UTC, for example \"2024-05-01 "
                           "12:00:00\"; the component's latest version is the one released last. "
                           "The default is what upstream says; with --archive it is now for a new "
                           "version, and the known time for one that is mirrored already."},
                  {.name = "replace",
                   .help = "Takes the release again, under the install rules of now, and lets "
                           "other content take the place of a version that is mirrored."},
                  {.name = "json",
                   .help = "With --check: prints an array of objects for scripts."}},
      .examples = {"goldsmith component mirror --all", "goldsmith component mirror --check",
                   "goldsmith component mirror rehlds --version 3.14.0.857",
                   "goldsmith component mirror amxmodx-1-9 --version 1.9.0.5294 --released-at "
                   "2021-05-20 \\",
                   "    --archive amxmodx-base-linux.tar.gz amxmodx-cstrike-linux.tar.gz"},
      .run = run_mirror,
  };
}

}  // namespace goldsmith::cli
