// The other hosts of the service, whose depots complete each other (decision O11).
#pragma once

#include <filesystem>
#include <string>

#include "app/domain/component.hpp"
#include "app/sys/config.hpp"

namespace goldsmith::mirror {

// Where a host gives out its file of a version. `address` has no slash at its end.
std::string depot_address(const std::string& address, const domain::Component& component,
                          const domain::ComponentVersion& version);

// How depots of other hosts are fetched: with their certificates and limits, and few tries.
sys::UpstreamConfig peer_config(const sys::Config& config);

// What is wrong with one, in words that all who report it share.
inline constexpr const char* kPeerLacks =
    "has no such file, or does not let this host in (depot.allow, depot.allow_ca)";
inline constexpr const char* kPeerServesOtherBytes =
    "serves other bytes than those that were mirrored";

struct PeerState {
  enum class Kind {
    serves,
    lacks,        // the file, or it does not let this host in
    unreachable,  // at the moment
    unusable,     // another try would not help
  };
  Kind kind = Kind::unusable;
  std::string problem;  // "" = none
};

// Asks the host at `address` for the beginning of that version's file, and compares it with `own`,
// the file of this host. Waits for at most 15 seconds. Throws sys::FileError if `own` can't be
// read, and sys::Interrupted.
PeerState examine_peer(const std::string& address, const domain::Component& component,
                       const domain::ComponentVersion& version, const std::filesystem::path& own,
                       const sys::Config& config);

}  // namespace goldsmith::mirror
