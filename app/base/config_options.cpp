// The table of options: each once, with its bounds, meaning and how to set it.
#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "app/base/config.hpp"
#include "app/base/config_values.hpp"
#include "app/base/text.hpp"

namespace goldsmith::base {
namespace {

// A kind of value: which texts are valid, in words; what a text means, std::nullopt if it is
// invalid; and the text of a value.
template <typename Value>
struct Kind {
  std::string bounds;
  std::function<std::optional<Value>(std::string_view)> parse;
  std::function<std::string(const Value&)> show;
};

Kind<std::string> text(const char* bounds, bool (*is_valid)(std::string_view)) {
  return {bounds,
          [is_valid](std::string_view text) {
            return is_valid(text) ? std::optional<std::string>(text) : std::nullopt;
          },
          [](const std::string& value) { return value; }};
}

// A whole number of units; the value is `number * unit`.
Kind<std::uint64_t> number(std::uint64_t min, std::uint64_t max, std::uint64_t unit = 1) {
  return {fmt::format("{} to {}", min, max),
          [=](std::string_view text) {
            const auto number = parse_number(text);
            const bool is_valid = number && *number >= min && *number <= max;
            return is_valid ? std::optional(*number * unit) : std::nullopt;
          },
          [=](std::uint64_t value) { return std::to_string(value / unit); }};
}

// The number of one of the names: an enumeration that has them in this order.
Kind<std::size_t> choice(const std::vector<std::string_view>& names) {
  return {alternatives(names),
          [names](std::string_view text) {
            const auto found = std::find(names.begin(), names.end(), text);
            const auto index = static_cast<std::size_t>(found - names.begin());
            return found == names.end() ? std::nullopt : std::optional(index);
          },
          [names](std::size_t value) { return std::string(names[value]); }};
}

// Separated by commas; none if the text is empty.
template <typename Value>
Kind<std::vector<Value>> list(const char* bounds, std::optional<Value> (*parse)(std::string_view),
                              std::string (*show)(const Value&)) {
  return {bounds,
          [parse](std::string_view text) -> std::optional<std::vector<Value>> {
            std::vector<Value> values;
            if (trim_ascii(text).empty()) return values;
            for (const std::string_view piece : split(text, ',')) {
              std::optional<Value> value = parse(trim_ascii(piece));
              if (!value) return std::nullopt;
              values.push_back(std::move(*value));
            }
            return values;
          },
          [show](const std::vector<Value>& values) { return join(values, ", ", show); }};
}

// `field` gives the Config's member: a Value, or what a Value converts to and from, such as a path
// or an enumeration; of a duration, its count.
template <typename Value, typename Field>
ConfigOption option(const char* name, const Kind<Value>& kind, Field field, const char* meaning) {
  return {.name = name,
          .bounds = kind.bounds,
          .meaning = meaning,
          .set =
              [parse = kind.parse, field](Config& config, std::string_view text) {
                auto& member = field(config);
                const std::optional<Value> value = parse(text);
                if (value) member = std::remove_reference_t<decltype(member)>(*value);
                return value.has_value();
              },
          .show =
              [show = kind.show, field](const Config& config) {
                const auto& member = field(config);
                if constexpr (requires { member.count(); }) {
                  return show(static_cast<Value>(member.count()));
                } else {
                  return show(static_cast<Value>(member));
                }
              }};
}

ConfigOption secret(ConfigOption option) {
  option.secret = true;
  option.show = [](const Config&) { return std::string(); };
  return option;
}

// A member is named without parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define FIELD(member) [](auto& config) -> auto& { return config.member; }
// NOLINTEND(bugprone-macro-parentheses)

std::vector<ConfigOption> make_options() {
  constexpr std::uint64_t kKilobyte = 1U << 10;
  constexpr std::uint64_t kMegabyte = 1U << 20;
  constexpr std::uint64_t kLargestCache = 1U << 24;  // MiB: 16 TiB
  const auto url =
      text("an http:// or https:// address without a slash at its end", config_value::is_base_url);
  const auto plain_url =
      text("an http:// address of at most 87 characters without a slash at its end",
           config_value::is_plain_url);
  const auto secure_url = text("an https:// address without a slash at its end", is_secure_url);
  const auto path = text("an absolute path", config_value::is_path);
  const auto optional_path = text("an absolute path, or empty", config_value::is_optional_path);
  const auto name = text("1 to 255 characters", config_value::is_name);
  const auto short_text = text("at most 255 characters", config_value::is_text);
  const auto networks = text("addresses and networks (10.0.0.0/8, ::1), separated by commas",
                             config_value::is_address_list);
  const Kind<bool> on_or_off{"on or off", parse_switch, [](bool on) { return on ? "on" : "off"; }};
  const auto servers = list<ServerAddress>(
      "host:port, [IPv6 address]:port or the path of a socket, separated by commas",
      config_value::parse_server, to_string);
  const auto off_or = [](const Kind<std::string>& address) {
    return Kind<std::string>{
        "off, or " + address.bounds,
        [address](std::string_view text) {
          return text == "off" ? std::string() : address.parse(text);
        },
        [](const std::string& shown) { return shown.empty() ? "off" : shown; }};
  };
  return {
      option("base_url", url, FIELD(base_url), "where the API is reached"),
      option("site_url", url, FIELD(site_url), "where the web pages are reached"),
      option("toolchains", path, FIELD(toolchains), "folder of the compilers"),
      option(
          "includes", path, FIELD(includes),
          "folder of further includes, in it one folder a toolchain; those of mirrored components "
          "need not be there"),
      option("catalog", path, FIELD(catalog),
             "folder of the components and overlays that --defaults imports"),
      option("depot", path, FIELD(depot), "folder of the mirrored components"),
      option("followed", path, FIELD(followed),
             "folder of what is known of repositories whose plugins are followed"),
      option("withdrawals", path, FIELD(withdrawals),
             "file in which commands record what they withdrew, for a database that is restored"),
      option("archive_cache", path, FIELD(archive_cache), "folder of the built server archives"),
      option("artefact_cache", path, FIELD(artefact_cache),
             "folder of the plugins compiled for server archives"),
      option("state", path, FIELD(state), "file that all processes share"),
      option("trusted_proxies", networks, FIELD(trusted_proxies),
             "front proxies whose X-Forwarded-For names the caller, and X-Goldsmith-Front the "
             "request; empty = the peer is the caller"),
      option(
          "limits.backend", choice({"memory", "mysql"}), FIELD(limits_backend),
          "where rate limits count: this host's shared memory, or the database of several hosts"),
      option("log.requests", choice({"all", "notable"}), FIELD(log_requests),
             "requests that a worker logs: all, or those that failed, were refused or took long; "
             "the web server logs every one"),

      option("database.socket",
             text("an absolute path of at most 107 bytes, or empty", config_value::is_socket),
             FIELD(database.socket),
             "Unix socket of the database server; empty = TCP to host and port"),
      option("database.host", name, FIELD(database.host), "the database server's host"),
      option("database.port", number(1, 65535), FIELD(database.port), "the database server's port"),
      option(
          "database.hosts", servers, FIELD(database.hosts),
          "database servers with the same data, tried in order, instead of socket, host and port"),
      option("database.read_hosts", servers, FIELD(database.read_hosts),
             "replicas that answer the workers' reads while they are not behind; empty = none"),
      option("database.tls", choice({"off", "required", "verify"}), FIELD(database.tls.mode),
             "TLS to the database over TCP: none, encryption, or encryption and a certificate of "
             "the server that database.tls_ca has signed for its host name"),
      option("database.tls_ca", path, FIELD(database.tls.authorities),
             "authorities (PEM) that sign the database's certificate"),
      option("database.tls_certificate", optional_path, FIELD(database.tls.certificate),
             "certificate (PEM) for the database; empty = none"),
      option("database.tls_key", optional_path, FIELD(database.tls.key),
             "private key (PEM) of database.tls_certificate"),
      option("database.name", name, FIELD(database.name), "the database"),
      option("database.user", name, FIELD(database.user), "the database user"),
      secret(option("database.password", short_text, FIELD(database.password),
                    "the database user's password")),
      option("database.connect_timeout", number(1, 60), FIELD(database.connect_timeout),
             "seconds to wait for a connection"),
      option("database.read_timeout", number(1, 600), FIELD(database.read_timeout),
             "seconds to wait for an answer"),
      option("database.failover_timeout", number(1, 600), FIELD(database.failover_timeout),
             "seconds that workers wait for an answer if another server could give it"),

      option("compile.sandbox", on_or_off, FIELD(compile.sandbox),
             "compile in a sandbox; off only for development, never with others' sources"),
      option("compile.wall_clock_ms", number(100, 600'000), FIELD(compile.wall_clock),
             "milliseconds after which one is given up, as on a host that is far too busy; four "
             "times as many at a second try"),
      option("compile.cpu_seconds", number(1, 600), FIELD(compile.cpu_seconds),
             "seconds of processor time that one may take"),
      option("compile.memory_mb", number(16, 4096, kMegabyte), FIELD(compile.memory_bytes),
             "MiB of memory that one may take"),
      option("compile.output_kb", number(1, 65'536, kKilobyte), FIELD(compile.output_bytes),
             "KiB that one may print"),
      option("compile.binary_mb", number(1, 1024, kMegabyte), FIELD(compile.binary_bytes),
             "MiB of the largest binary"),

      option("mirror.unpacked_mb", number(1, 1U << 20, kMegabyte), FIELD(mirror.unpacked_bytes),
             "MiB that an upstream archive may unpack to"),
      option("mirror.entries", number(1, 10'000'000), FIELD(mirror.entries),
             "entries that an upstream archive may have"),
      option("mirror.path_bytes", number(16, 4096), FIELD(mirror.path_bytes),
             "bytes of the longest path in an upstream archive"),
      option("mirror.ratio", number(1, 1'000'000), FIELD(mirror.ratio),
             "compression of a file above 64 MiB that is still believed"),
      option("mirror.cpu_seconds", number(1, 86'400), FIELD(mirror.cpu_seconds),
             "seconds of processor time for unpacking a release"),
      option("mirror.memory_mb", number(64, 1U << 16, kMegabyte), FIELD(mirror.memory_bytes),
             "MiB of memory for unpacking"),
      option("mirror.require_start", on_or_off, FIELD(mirror.require_start),
             "whether each \"goldsmith component mirror\" is one with --if-starts"),
      option("mirror.publish_plugins", choice({"safe", "ask", "never"}),
             FIELD(mirror.publish_plugins),
             "new versions of plugins that are mirrored: publish what nothing speaks against, keep "
             "all as drafts, or mirror none"),
      option("mirror.github_api", secure_url, FIELD(upstream.github_api),
             "GitHub's API, or that of a GitHub server of one's own"),
      option("mirror.github_token_file", optional_path, FIELD(upstream.github_token_file),
             "file with a token for GitHub's API, which raises its rate limit; empty = anonymous"),
      option("mirror.ca_file", optional_path, FIELD(upstream.ca_file),
             "authorities (PEM) that sign upstreams' certificates; empty = the system's"),
      option("mirror.keys", path, FIELD(upstream.keys),
             "folder of the public keys that sign releases, FINGERPRINT.asc"),
      option("mirror.download_mb", number(1, 1U << 20, kMegabyte), FIELD(upstream.download_bytes),
             "MiB of the largest file that is downloaded"),
      option("mirror.connect_timeout", number(1, 600), FIELD(upstream.connect_timeout),
             "seconds to wait for a connection to an upstream"),
      option("mirror.stall_timeout", number(1, 3600), FIELD(upstream.stall_timeout),
             "seconds that less than 1 KiB a second may come"),
      option("mirror.total_timeout", number(1, 86'400), FIELD(upstream.total_timeout),
             "seconds that one file may take, with all its tries"),
      option("mirror.retries", number(0, 100), FIELD(upstream.retries),
             "further tries after a broken transfer or a server's error"),
      option("mirror.retry_pause_ms", number(1, 60'000), FIELD(upstream.retry_pause),
             "milliseconds before the first further try, doubled before each next one"),

      option("depot.peers",
             Kind<std::vector<std::string>>{
                 "https:// addresses without a slash at their end, separated by commas",
                 config_value::parse_peers, [](const auto& peers) { return join(peers, ", "); }},
             FIELD(depot_peers.peers), "other hosts of the service, from which depot fill fetches"),
      option("depot.ca_file", optional_path, FIELD(depot_peers.ca_file),
             "authorities (PEM) that sign the hosts' certificates; empty = the system's"),
      option("depot.tls_certificate", optional_path, FIELD(depot_peers.tls_certificate),
             "certificate (PEM) shown to the hosts; empty = none"),
      option("depot.tls_key", optional_path, FIELD(depot_peers.tls_key),
             "private key (PEM) of depot.tls_certificate"),
      option("depot.allow", networks, FIELD(depot_peers.allow),
             "addresses of hosts that may fetch this host's depot; setup tells nginx"),
      option("depot.allow_ca", optional_path, FIELD(depot_peers.allow_ca),
             "authority (PEM) whose certificates let a host fetch it, too, from any address; empty "
             "= none"),

      option("start.emulator", optional_path, FIELD(start.emulator),
             "program that runs 32-bit x86 programs for build start, such as /usr/bin/qemu-i386; "
             "empty = the kernel runs them"),
      option("start.game_folder", optional_path, FIELD(start.game_folder),
             "folder with the game's files (valve, cstrike), which build start reads in place of "
             "stand-ins; empty = none"),

      option("cache.archives_mb", number(1, kLargestCache, kMegabyte), FIELD(cache.archive_bytes),
             "MiB of server archives that are kept"),
      option("cache.artefacts_mb", number(1, kLargestCache, kMegabyte), FIELD(cache.artefact_bytes),
             "MiB of compiled plugins that are kept"),
      option("cache.resources_mb", number(1, kLargestCache, kMegabyte), FIELD(cache.resource_bytes),
             "MiB of files for game clients that are kept, in a folder below archive_cache"),
      option("cache.free_mb", number(0, kLargestCache, kMegabyte), FIELD(cache.free_bytes),
             "MiB of the caches' disks that stay free"),
      option("cache.inodes", number(1'000, 100'000'000), FIELD(cache.inodes),
             "files, folders and links that each cache may have"),
      option("cache.free_inodes", number(0, 1'000'000'000), FIELD(cache.free_inodes),
             "inodes of the caches' disks that stay free"),
      option("cache.unused_days", number(1, 3650), FIELD(cache.unused),
             "days after which cache prune removes what nobody used"),
      option("cache.handover_seconds", number(1, 600), FIELD(cache.handover),
             "seconds that an archive stays after it was handed to nginx"),

      option("archives.redirect", off_or(url), FIELD(archives.redirect),
             "where callers are redirected for the bytes of a server archive, such as a CDN; off = "
             "the download sends them"),

      option(
          "fastdl.url", off_or(plain_url), FIELD(fastdl.url),
          "where game clients reach the site for them (fastdl.conf of the examples), which pages "
          "and scripts suggest as sv_downloadurl; off = they get nothing here"),

      option(
          "recipes.image",
          text("the name of a container image, such as HOST/NAME:TAG", config_value::is_image),
          FIELD(recipes.image),
          "in which servers run that a panel makes with an egg of the site: Debian with curl and "
          "the 32-bit libraries of the game"),

      option("log.retention_days", number(0, 36'500), FIELD(log.retention),
             "days that log prune keeps of the downloads and changes in the log; 0 = all"),
      option("log.address_days", number(0, 36'500), FIELD(log.addresses),
             "days that log prune keeps callers' addresses of downloads; 0 = as long as the log"),

      option("site.enabled", on_or_off, FIELD(site.enabled),
             "serve web pages beside the API; off = every page is 404"),
      option("site.name", name, FIELD(site.name), "name of the site on its web pages"),
      option("site.tagline", short_text, FIELD(site.tagline),
             "what the site is, in a few words, after its name"),
      option("site.contact",
             text("an e-mail address, an https:// address, or empty", config_value::is_contact),
             FIELD(site.contact), "whom to tell about problems, also in security.txt"),
      option("site.footer_links",
             list<SiteConfig::Link>(
                 "\"Text https://address\" or \"Text /path\", separated by commas",
                 config_value::parse_link,
                 [](const SiteConfig::Link& link) { return link.text + " " + link.url; }),
             FIELD(site.footer_links), "links at the end of each page"),
      option("site.logo",
             text("an absolute path that ends in .svg, .png or .webp, or empty",
                  config_value::is_logo),
             FIELD(site.logo), "image beside the name; empty = built-in"),
      option("site.language", text("en, " GOLDSMITH_LANGUAGES, config_value::is_language),
             FIELD(site.language), "language of the pages for whoever asks for none of them"),
  };
}

}  // namespace

std::string ConfigOption::refusal(std::string_view value) const {
  const std::string shown = secret ? "" : " is \"" + std::string(value) + "\" but";
  return name + shown + " must be " + bounds;
}

std::span<const ConfigOption> config_options() {
  static const std::vector<ConfigOption> options = make_options();
  return options;
}

const ConfigOption* find_config_option(std::string_view name) {
  const auto options = config_options();
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const ConfigOption& each) { return each.name == name; });
  return found == options.end() ? nullptr : &*found;
}

}  // namespace goldsmith::base
