#include "app/sys/config_options.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "app/sys/config_option_kinds.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::sys {
namespace {

ConfigOption sandbox_option() {
  return {.name = "compile.sandbox",
          .bounds = "on or off",
          .meaning = "compile in a sandbox; off only for development, never with others' sources",
          .set =
              [](Config& config, std::string_view text) {
                const auto value = parse_switch(text);
                if (value) config.compile.sandbox = *value;
                return value.has_value();
              },
          .show = [](const Config& config) { return config.compile.sandbox ? "on" : "off"; }};
}

ConfigOption limits_backend_option() {
  return {
      .name = "limits.backend",
      .bounds = "memory or mysql",
      .meaning =
          "where rate limits count: this host's shared memory, or the database of several hosts",
      .set =
          [](Config& config, std::string_view text) {
            if (text != "memory" && text != "mysql") return false;
            config.limits_backend = text == "mysql" ? LimitsBackend::mysql : LimitsBackend::memory;
            return true;
          },
      .show =
          [](const Config& config) {
            return config.limits_backend == LimitsBackend::mysql ? "mysql" : "memory";
          }};
}

ConfigOption log_requests_option() {
  return {.name = "log.requests",
          .bounds = "all or notable",
          .meaning =
              "requests that a worker logs: all, or those that failed, were refused or took"
              " long; the web server logs every one",
          .set =
              [](Config& config, std::string_view text) {
                if (text != "all" && text != "notable") return false;
                config.log_requests = text == "all" ? RequestLog::all : RequestLog::notable;
                return true;
              },
          .show =
              [](const Config& config) {
                return config.log_requests == RequestLog::all ? "all" : "notable";
              }};
}

// `field` gives the Config's list of servers.
template <typename Field>
ConfigOption servers_option(std::string_view name, Field field, std::string_view meaning) {
  return {.name = std::string(name),
          .bounds = "host:port, [IPv6 address]:port or the path of a socket, separated by commas",
          .meaning = std::string(meaning),
          .set =
              [field](Config& config, std::string_view text) {
                auto servers = parse_servers(text);
                if (servers) field(config) = std::move(*servers);
                return servers.has_value();
              },
          .show = [field](Config config) { return show_servers(field(config)); }};
}

ConfigOption database_tls_option() {
  return {.name = "database.tls",
          .bounds = "off, required or verify",
          .meaning =
              "TLS to the database over TCP: none, encryption, or encryption and a certificate of"
              " the server that database.tls_ca has signed for its host name",
          .set =
              [](Config& config, std::string_view text) {
                if (text != "off" && text != "required" && text != "verify") return false;
                config.database.tls = text == "off"        ? DatabaseTls::off
                                      : text == "required" ? DatabaseTls::required
                                                           : DatabaseTls::verify;
                return true;
              },
          .show = [](const Config& config) -> std::string {
            if (config.database.tls == DatabaseTls::off) return "off";
            return config.database.tls == DatabaseTls::required ? "required" : "verify";
          }};
}

void add_general(std::vector<ConfigOption>& options) {
  options.push_back(text_option("base_url", kUrl, FIELD(base_url), "where the API is reached"));
  options.push_back(
      text_option("site_url", kUrl, FIELD(site_url), "where the web pages are reached"));
  options.push_back(text_option("toolchains", kPath, FIELD(toolchains), "folder of the compilers"));
  options.push_back(text_option("includes", kPath, FIELD(includes),
                                "folder of further includes, in it one folder a toolchain"));
  options.push_back(text_option("catalog", kPath, FIELD(catalog),
                                "folder of the components and overlays that --defaults imports"));
  options.push_back(text_option("depot", kPath, FIELD(depot), "folder of the mirrored components"));
  options.push_back(text_option("archive_cache", kPath, FIELD(archive_cache),
                                "folder of the built server archives"));
  options.push_back(text_option("artefact_cache", kPath, FIELD(artefact_cache),
                                "folder of the plugins compiled for server archives"));
  options.push_back(text_option("state", kPath, FIELD(state), "file that all processes share"));
  options.push_back(text_option("trusted_proxies", kProxies, FIELD(trusted_proxies),
                                "front proxies whose X-Forwarded-For names the caller, and "
                                "X-Goldsmith-Front the request; empty = the peer is the caller"));
  options.push_back(limits_backend_option());
  options.push_back(log_requests_option());
}

void add_database(std::vector<ConfigOption>& options) {
  options.push_back(
      text_option("database.socket", kSocket, FIELD(database.socket),
                  "Unix socket of the database server; empty = TCP to host and port"));
  options.push_back(
      text_option("database.host", kName, FIELD(database.host), "the database server's host"));
  options.push_back(number_option("database.port", {1, 65535}, FIELD(database.port),
                                  "the database server's port"));
  options.push_back(servers_option("database.hosts", FIELD(database.hosts),
                                   "database servers with the same data, tried in order, instead"
                                   " of socket, host and port"));
  options.push_back(servers_option("database.read_hosts", FIELD(database.read_hosts),
                                   "replicas that answer the workers' reads while they are not"
                                   " behind; empty = none"));
  options.push_back(database_tls_option());
  options.push_back(text_option("database.tls_ca", kPath, FIELD(database.tls_ca),
                                "authorities (PEM) that sign the database's certificate"));
  options.push_back(text_option("database.tls_certificate", kOptionalPath,
                                FIELD(database.tls_certificate),
                                "certificate (PEM) for the database; empty = none"));
  options.push_back(text_option("database.tls_key", kOptionalPath, FIELD(database.tls_key),
                                "private key (PEM) of database.tls_certificate"));
  options.push_back(text_option("database.name", kName, FIELD(database.name), "the database"));
  options.push_back(text_option("database.user", kName, FIELD(database.user), "the database user"));
  options.push_back(secret(text_option("database.password", kPassword, FIELD(database.password),
                                       "the database user's password")));
  options.push_back(number_option("database.connect_timeout", {1, 60},
                                  FIELD(database.connect_timeout),
                                  "seconds to wait for a connection"));
  options.push_back(number_option("database.read_timeout", {1, 600}, FIELD(database.read_timeout),
                                  "seconds to wait for an answer"));
  options.push_back(
      number_option("database.failover_timeout", {1, 600}, FIELD(database.failover_timeout),
                    "seconds that workers wait for an answer if another server could give it"));
}

void add_compile(std::vector<ConfigOption>& options) {
  constexpr std::uint64_t kKilobyte = 1U << 10;
  constexpr std::uint64_t kMegabyte = 1U << 20;
  options.push_back(sandbox_option());
  options.push_back(number_option("compile.wall_clock_ms", {100, 600'000},
                                  FIELD(compile.wall_clock),
                                  "milliseconds after which one is given up, as on a host that is "
                                  "far too busy"));
  options.push_back(number_option("compile.cpu_seconds", {1, 600}, FIELD(compile.cpu_seconds),
                                  "seconds of processor time that one may take"));
  options.push_back(number_option("compile.memory_mb", {16, 4096, kMegabyte},
                                  FIELD(compile.memory_bytes), "MiB of memory that one may take"));
  options.push_back(number_option("compile.output_kb", {1, 65'536, kKilobyte},
                                  FIELD(compile.output_bytes), "KiB that one may print"));
  options.push_back(number_option("compile.binary_mb", {1, 1024, kMegabyte},
                                  FIELD(compile.binary_bytes), "MiB of the largest binary"));
}

void add_cache(std::vector<ConfigOption>& options) {
  constexpr std::uint64_t kMegabyte = 1U << 20;
  constexpr std::uint64_t kMax = 1U << 24;  // MiB: 16 TiB
  options.push_back(number_option("cache.archives_mb", {1, kMax, kMegabyte},
                                  FIELD(cache.archive_bytes),
                                  "MiB of server archives that are kept"));
  options.push_back(number_option("cache.artefacts_mb", {1, kMax, kMegabyte},
                                  FIELD(cache.artefact_bytes),
                                  "MiB of compiled plugins that are kept"));
  options.push_back(number_option("cache.free_mb", {0, kMax, kMegabyte}, FIELD(cache.free_bytes),
                                  "MiB of the caches' disks that stay free"));
  options.push_back(number_option("cache.unused_days", {1, 3650}, FIELD(cache.unused),
                                  "days after which cache prune removes what nobody used"));
  options.push_back(number_option("cache.handover_seconds", {1, 600}, FIELD(cache.handover),
                                  "seconds that an archive stays after it was handed to nginx"));
}

ConfigOption archives_redirect_option() {
  return {.name = "archives.redirect",
          .bounds = "off, or an http:// or https:// address without a slash at its end",
          .meaning =
              "where callers are redirected for the bytes of a server archive, such as a CDN; off ="
              " the download sends them",
          .set =
              [](Config& config, std::string_view text) {
                if (text != "off" && !is_base_url(text)) return false;
                config.archives.redirect = text == "off" ? "" : std::string(text);
                return true;
              },
          .show =
              [](const Config& config) {
                const std::string& address = config.archives.redirect;
                return address.empty() ? std::string("off") : address;
              }};
}

void add_log(std::vector<ConfigOption>& options) {
  options.push_back(number_option("log.retention_days", {0, 36'500}, FIELD(log.retention),
                                  "days that log prune keeps of the download log; 0 = all"));
  options.push_back(
      number_option("log.address_days", {0, 36'500}, FIELD(log.addresses),
                    "days that log prune keeps callers' addresses in it; 0 = as long as the log"));
}

ConfigOption site_enabled_option() {
  return {.name = "site.enabled",
          .bounds = "on or off",
          .meaning = "serve web pages beside the API; off = every page is 404",
          .set =
              [](Config& config, std::string_view text) {
                const auto value = parse_switch(text);
                if (value) config.site.enabled = *value;
                return value.has_value();
              },
          .show = [](const Config& config) { return config.site.enabled ? "on" : "off"; }};
}

ConfigOption footer_links_option() {
  return {.name = "site.footer_links",
          .bounds = "\"Text https://address\" or \"Text /path\", separated by commas",
          .meaning = "links at the end of each page",
          .set =
              [](Config& config, std::string_view text) {
                auto links = parse_links(text);
                if (links) config.site.footer_links = std::move(*links);
                return links.has_value();
              },
          .show = [](const Config& config) { return show_links(config.site.footer_links); }};
}

void add_site(std::vector<ConfigOption>& options) {
  options.push_back(site_enabled_option());
  options.push_back(
      text_option("site.name", kName, FIELD(site.name), "name of the site on its web pages"));
  options.push_back(text_option("site.tagline", kText, FIELD(site.tagline),
                                "what the site is, in a few words, after its name"));
  options.push_back(text_option("site.contact", kContact, FIELD(site.contact),
                                "whom to tell about problems, also in security.txt"));
  options.push_back(footer_links_option());
  options.push_back(
      text_option("site.logo", kLogo, FIELD(site.logo), "image beside the name; empty = built-in"));
}

std::vector<ConfigOption> make_options() {
  std::vector<ConfigOption> options;
  add_general(options);
  add_database(options);
  add_compile(options);
  add_mirror(options);
  add_depot_peers(options);
  add_cache(options);
  options.push_back(archives_redirect_option());
  add_log(options);
  add_site(options);
  return options;
}

}  // namespace

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

}  // namespace goldsmith::sys
