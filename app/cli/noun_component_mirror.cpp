#include <ostream>

#include "app/cli/component_verbs.hpp"
#include "app/cli/context.hpp"
#include "app/service/mirroring.hpp"

namespace goldsmith::cli {
namespace {

std::string_view name_of(service::MirrorChange change) {
  switch (change) {
    case service::MirrorChange::mirrored:
      return "mirrored";
    case service::MirrorChange::replaced:
      return "replaced";
    case service::MirrorChange::repaired:
      return "repaired";
    case service::MirrorChange::unchanged:
      return "unchanged";
  }
  return "";
}

service::MirrorRequest request_of(const Arguments& arguments) {
  service::MirrorRequest request;
  request.slug = arguments.slug("SLUG");
  request.version = arguments.version("version");
  for (const std::string& archive : arguments.list("archive"))
    request.archives.emplace_back(archive);
  request.released_at = arguments.time("released-at");
  request.replace = arguments.has("replace");
  return request;
}

void run_mirror(const Arguments& arguments, Context& context) {
  const service::MirrorRequest request = request_of(arguments);
  const archive::Depot depot(context.config().depot);
  db::ComponentStore components = context.components();
  const service::Mirroring mirroring(components, depot, context.config().mirror, context.clock());
  const service::MirrorOutcome outcome = mirroring.mirror(request, [&](std::string_view what) {
    context.progress(request.slug + " " + request.version + ": " + std::string(what) + " …");
  });

  const domain::ComponentVersion& version = outcome.version;
  context.out() << name_of(outcome.change) << ' ' << request.slug << ' ' << version.version << ": "
                << version.file_count << " files, " << outcome.dropped << " left out, released "
                << version.released_at << '\n';
  if (!request.released_at.empty() && request.released_at != version.released_at)
    context.out() << "its time of release stays; --replace changes it to " << request.released_at
                  << '\n';
}

}  // namespace

Verb mirror_verb() {
  return {
      "mirror",
      "Takes an upstream release into the depot.",
      "Reads the archives of one upstream release (zip, tar.gz, tar.xz, 7z), drops what a "
      "Linux server does not need, puts the files where the component's install rules say, and "
      "publishes the result in the depot and the catalog. Of several archives, a later one "
      "wins where paths are the same.\n\n"
      "An archive with unsafe names, links, or more than the configured limits is refused "
      "whole, and the version that was there stays. Mirroring the same content again changes "
      "nothing, but repairs a damaged depot file.",
      {{"SLUG"}},
      {{"version", "V", "Names the version of the release.", true},
       {"archive", "FILE", "Reads this archive; several may follow.", true, true},
       {"released-at", "T",
        "Sets the time of the release, UTC, for example \"2024-05-01 12:00:00\"; the component's "
        "latest version is the one released last. The default is now for a new version, and "
        "the known time for one that is mirrored already."},
       {"replace", "", "Lets other content take the place of a version that is mirrored."}},
      {"goldsmith component mirror rehlds --version 3.14.0.857 --archive "
       "rehlds-bin-3.14.0.857.zip",
       "goldsmith component mirror amxmodx-1-9 --version 1.9.0.5294 --released-at 2021-05-20 \\",
       "    --archive amxmodx-base-linux.tar.gz amxmodx-cstrike-linux.tar.gz"},
      run_mirror,
      Effect::changes};
}

}  // namespace goldsmith::cli
