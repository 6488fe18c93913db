#include <algorithm>

#include "app/archive/depot.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/service/depot_peers.hpp"
#include "app/service/depot_upkeep.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::cli {
namespace {

void examine_files(const archive::Depot& depot, const domain::Catalog& catalog,
                   Findings& findings) {
  const std::size_t versions = service::count_versions(catalog);
  const auto missing = service::find_missing(catalog, depot);
  if (!missing.empty()) {
    findings.bad("depot",
                 std::to_string(missing.size()) + " of " + std::to_string(versions) +
                     " files are missing, the first is that of " + missing.front().component->slug +
                     " " + missing.front().version->version,
                 "goldsmith depot fill fetches them");
  } else if (versions == 0) {
    findings.warning("depot", "nothing is mirrored, so no server can be built",
                     "goldsmith component import --defaults; goldsmith component mirror --all");
  } else {
    findings.good("depot",
                  std::to_string(versions) + " mirrored versions in " + depot.root().native());
  }
}

void examine_digests(Context& context, Findings& findings) {
  const auto lacking = context.components().without_digests();
  if (lacking.empty()) return;
  findings.warning("checksums",
                   "the files of " + std::to_string(lacking.size()) +
                       " mirrored versions have none, the first is " + lacking.front().slug + " " +
                       lacking.front().version,
                   "goldsmith depot verify --record");
}

// A file of this host, to compare with those of the others.
struct OwnFile {
  const domain::Component* component = nullptr;
  const domain::ComponentVersion* version = nullptr;
  std::filesystem::path path;
};

std::optional<OwnFile> find_own(const archive::Depot& depot, const domain::Catalog& catalog) {
  for (const domain::Component& component : catalog.components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      const auto path = depot.find(component.slug, version.version, version.digest);
      if (path) return OwnFile{&component, &version, *path};
    }
  }
  return std::nullopt;
}

void report(const std::string& address, const OwnFile& own, const service::PeerState& state,
            Findings& findings) {
  using Kind = service::PeerState::Kind;
  constexpr const char* kSubject = "depot peer";
  const std::string file = own.component->slug + " " + own.version->version;
  const std::string text = address + ": " + state.problem + " (" + file + ")";
  switch (state.kind) {
    case Kind::serves:
      return findings.good(kSubject, address + " lets this host in and has " + file);
    case Kind::lacks:
      return findings.warning(
          kSubject, text,
          "goldsmith depot fill there; depot.allow or depot.allow_ca there must "
          "name this host, followed by goldsmith setup");
    case Kind::unreachable:
      return findings.warning(kSubject, text, "is the host running, and its nginx?");
    case Kind::unusable:
      break;
  }
  findings.bad(kSubject, text,
               "goldsmith depot verify there; depot.peers, depot.ca_file and "
               "depot.tls_certificate here must fit that host");
}

void examine_peers(Context& context, const archive::Depot& depot, const domain::Catalog& catalog,
                   Findings& findings) {
  const std::optional<OwnFile> own = find_own(depot, catalog);
  if (!own) return;
  for (const std::string& address : context.config().depot_peers.peers) {
    const service::PeerState state =
        service::examine_peer(address, *own->component, *own->version, own->path, context.config());
    report(address, *own, state, findings);
  }
}

}  // namespace

void examine_depot(Context& context, Findings& findings) {
  const archive::Depot depot(context.config().depot);
  const domain::Catalog catalog = context.components().load_catalog();
  examine_files(depot, catalog, findings);
  examine_digests(context, findings);
  try {
    examine_peers(context, depot, catalog, findings);
  } catch (const sys::FileError& error) {
    findings.bad("depot", error.what(), "goldsmith depot verify");
  }
}

}  // namespace goldsmith::cli
