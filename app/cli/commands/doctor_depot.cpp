#include <algorithm>

#include "app/archive/depot.hpp"
#include "app/archive/depot_upkeep.hpp"
#include "app/archive/depot_verification.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/mirror/depot_peers.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::cli {
namespace {

void examine_files(const archive::Depot& depot, const domain::Catalog& catalog,
                   Findings& findings) {
  const std::size_t versions = archive::count_versions(catalog);
  const auto missing = archive::find_missing(catalog, depot);
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

// When the first of these versions was mirrored.
std::optional<domain::Timestamp> oldest_in(const domain::Catalog& catalog) {
  std::optional<domain::Timestamp> oldest;
  for (const domain::Component& component : catalog.components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      if (!version.mirrored_at) continue;
      oldest = std::min(oldest.value_or(*version.mirrored_at), *version.mirrored_at);
    }
  }
  return oldest;
}

// Whether all files were read lately, and were as mirrored.
void examine_verification(Context& context, const archive::Depot& depot,
                          const domain::Catalog& catalog, Findings& findings) {
  constexpr std::chrono::days kOverdue{21};
  constexpr const char* kSubject = "depot files";
  const auto last = archive::last_verification(depot);
  const auto since = last ? std::optional(last->ended_at) : oldest_in(catalog);
  if (!since) return;
  const std::string time = domain::format_timestamp(*since);
  if (context.clock().seconds() - *since > kOverdue) {
    findings.warning(kSubject, "they were not read since " + time,
                     "systemctl enable --now goldsmith-depot-verify.timer, or goldsmith depot "
                     "verify --repair");
  } else if (last && last->damaged > 0) {
    findings.warning(kSubject,
                     std::to_string(last->damaged) + " were damaged when they were read, " + time,
                     "goldsmith depot verify --repair; the journal of the kernel may tell why: "
                     "journalctl -k");
  } else if (last) {
    findings.good(kSubject, "all were as mirrored when they were read, " + time);
  }
}

// Without natives a server is handed out in which AMX Mod X does not load a plugin.
void examine_natives(Context& context, Findings& findings) {
  const auto lacking = context.components().without_natives();
  if (lacking.empty()) return;
  findings.warning("natives",
                   "what the modules of " + std::to_string(lacking.size()) +
                       " mirrored versions offer to plugins is not recorded, the first is " +
                       lacking.front().slug + " " + lacking.front().version,
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

void report(const std::string& address, const OwnFile& own, const mirror::PeerState& state,
            Findings& findings) {
  using Kind = mirror::PeerState::Kind;
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
    const mirror::PeerState state =
        mirror::examine_peer(address, *own->component, *own->version, own->path, context.config());
    report(address, *own, state, findings);
  }
}

}  // namespace

void examine_depot(Context& context, Findings& findings) {
  const archive::Depot depot(context.config().depot);
  const domain::Catalog catalog = context.components().load_catalog();
  examine_files(depot, catalog, findings);
  examine_natives(context, findings);
  try {
    examine_verification(context, depot, catalog, findings);
    examine_peers(context, depot, catalog, findings);
  } catch (const sys::FileError& error) {
    findings.bad("depot", error.what(), "goldsmith depot verify");
  }
}

}  // namespace goldsmith::cli
