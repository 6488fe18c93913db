#include <vector>

#include "app/sys/config_option_kinds.hpp"

namespace goldsmith::sys {
namespace {

void add_unpacking(std::vector<ConfigOption>& options) {
  constexpr std::uint64_t kMegabyte = 1U << 20;
  options.push_back(number_option("mirror.unpacked_mb", {1, 1U << 20, kMegabyte},
                                  FIELD(mirror.unpacked_bytes),
                                  "MiB that an upstream archive may unpack to"));
  options.push_back(number_option("mirror.entries", {1, 10'000'000}, FIELD(mirror.entries),
                                  "entries that an upstream archive may have"));
  options.push_back(number_option("mirror.path_bytes", {16, 4096}, FIELD(mirror.path_bytes),
                                  "bytes of the longest path in an upstream archive"));
  options.push_back(number_option("mirror.ratio", {1, 1'000'000}, FIELD(mirror.ratio),
                                  "compression of a file above 64 MiB that is still believed"));
  options.push_back(number_option("mirror.cpu_seconds", {1, 86'400}, FIELD(mirror.cpu_seconds),
                                  "seconds of processor time for unpacking a release"));
  options.push_back(number_option("mirror.memory_mb", {64, 1U << 16, kMegabyte},
                                  FIELD(mirror.memory_bytes), "MiB of memory for unpacking"));
}

void add_upstream_places(std::vector<ConfigOption>& options) {
  options.push_back(text_option("mirror.github_api", kSecureUrl, FIELD(upstream.github_api),
                                "GitHub's API, or that of a GitHub server of one's own"));
  options.push_back(text_option(
      "mirror.github_token_file", kOptionalPath, FIELD(upstream.github_token_file),
      "file with a token for GitHub's API, which raises its rate limit; empty = anonymous"));
  options.push_back(
      text_option("mirror.ca_file", kOptionalPath, FIELD(upstream.ca_file),
                  "authorities (PEM) that sign upstreams' certificates; empty = the system's"));
  options.push_back(text_option("mirror.keys", kPath, FIELD(upstream.keys),
                                "folder of the public keys that sign releases, FINGERPRINT.asc"));
}

void add_upstream_limits(std::vector<ConfigOption>& options) {
  constexpr std::uint64_t kMegabyte = 1U << 20;
  options.push_back(number_option("mirror.download_mb", {1, 1U << 20, kMegabyte},
                                  FIELD(upstream.download_bytes),
                                  "MiB of the largest file that is downloaded"));
  options.push_back(number_option("mirror.connect_timeout", {1, 600},
                                  FIELD(upstream.connect_timeout),
                                  "seconds to wait for a connection to an upstream"));
  options.push_back(number_option("mirror.stall_timeout", {1, 3600}, FIELD(upstream.stall_timeout),
                                  "seconds that less than 1 KiB a second may come"));
  options.push_back(number_option("mirror.total_timeout", {1, 86'400},
                                  FIELD(upstream.total_timeout),
                                  "seconds that one file may take, with all its tries"));
  options.push_back(number_option("mirror.retries", {0, 100}, FIELD(upstream.retries),
                                  "further tries after a broken transfer or a server's error"));
  options.push_back(
      number_option("mirror.retry_pause_ms", {1, 60'000}, FIELD(upstream.retry_pause),
                    "milliseconds before the first further try, doubled before each next one"));
}

ConfigOption depot_peers_option() {
  return {.name = "depot.peers",
          .bounds = "https:// addresses without a slash at their end, separated by commas",
          .meaning = "other hosts of the service, from which depot fill fetches",
          .set =
              [](Config& config, std::string_view text) {
                auto peers = parse_secure_urls(text);
                if (peers) config.depot_peers.peers = std::move(*peers);
                return peers.has_value();
              },
          .show =
              [](const Config& config) {
                std::string text;
                for (const std::string& peer : config.depot_peers.peers) {
                  text += (text.empty() ? "" : ", ") + peer;
                }
                return text;
              }};
}

}  // namespace

void add_mirror(std::vector<ConfigOption>& options) {
  add_unpacking(options);
  add_upstream_places(options);
  add_upstream_limits(options);
}

void add_depot_peers(std::vector<ConfigOption>& options) {
  options.push_back(depot_peers_option());
  options.push_back(
      text_option("depot.ca_file", kOptionalPath, FIELD(depot_peers.ca_file),
                  "authorities (PEM) that sign the hosts' certificates; empty = the system's"));
  options.push_back(text_option("depot.tls_certificate", kOptionalPath,
                                FIELD(depot_peers.tls_certificate),
                                "certificate (PEM) shown to the hosts; empty = none"));
  options.push_back(text_option("depot.tls_key", kOptionalPath, FIELD(depot_peers.tls_key),
                                "private key (PEM) of depot.tls_certificate"));
  options.push_back(text_option("depot.allow", kProxies, FIELD(depot_peers.allow),
                                "addresses of hosts that may fetch this host's depot; setup tells "
                                "nginx"));
  options.push_back(text_option("depot.allow_ca", kOptionalPath, FIELD(depot_peers.allow_ca),
                                "authority (PEM) whose certificates let a host fetch it, too, from "
                                "any address; empty = none"));
}

}  // namespace goldsmith::sys
