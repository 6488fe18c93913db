// The configuration: an ini file, the environment and the command line, with one name per value.
// `name = x` in the file is `GOLDSMITH_NAME=x` in the environment (dots become underscores, letters
// upper case) and `--name=x` on the command line; the later source wins. Every value is typed and
// bounded. An invalid or unknown one throws ConfigError, whose text names the source, the name, the
// value and the way out.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::base {

class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where a database server listens.
struct ServerAddress {
  std::string socket = {};  // a path; "" = TCP to host and port
  std::string host = "127.0.0.1";
  std::uint16_t port = 3306;
};
// As in database.hosts: `db-1.example:3306`, `[::1]:3306`, `/run/mysqld/mysqld.sock`.
std::string to_string(const ServerAddress& address);

// TLS of connections to the database over TCP; a Unix socket needs none (decision O6).
struct DatabaseTls {
  // Not encrypted, encrypted, or encrypted and only to a server whose certificate is good.
  enum class Mode { off, required, verify };
  Mode mode = Mode::off;
  std::filesystem::path authorities = "/etc/ssl/certs/ca-certificates.crt";  // PEM; for `verify`
  std::filesystem::path certificate;  // PEM, the client's; "" = none
  std::filesystem::path key;          // PEM, of the certificate
};

struct DatabaseConfig {
  std::string socket;  // a path; "" = TCP to host and port
  std::string host = "127.0.0.1";
  std::uint16_t port = 3306;
  std::vector<ServerAddress> hosts;       // in order; empty = socket, or host and port
  std::vector<ServerAddress> read_hosts;  // replicas, in order (decision O7)
  DatabaseTls tls;
  std::string name = "goldsmith";
  std::string user = "goldsmith";
  std::string password;
  std::chrono::seconds connect_timeout{3};
  std::chrono::seconds read_timeout{10};
  std::chrono::seconds failover_timeout{8};
};

// All but the wall clock decide what fails; that one is a net, far above the time that a compile
// takes on a busy host (decision P13).
struct CompileConfig {
  bool sandbox = true;
  std::chrono::milliseconds wall_clock{60'000};
  std::uint64_t cpu_seconds = 10;
  std::uint64_t memory_bytes = 256U << 20;
  std::uint64_t output_bytes = 256U << 10;
  std::uint64_t binary_bytes = 16U << 20;  // largest .amxx file
};

// What becomes of new versions of plugins that a mirror finds: those that nothing speaks against
// are published, all wait for a person, or they are left where they are.
enum class PublishPlugins { safe, ask, never };

// Limits of an upstream archive; one that exceeds them is refused (decision S14).
struct MirrorConfig {
  std::uint64_t unpacked_bytes = 4ULL << 30;
  std::uint64_t entries = 100'000;
  std::uint64_t path_bytes = 1024;
  std::uint64_t ratio = 512;         // per file above 64 MiB
  std::uint64_t cpu_seconds = 1800;  // of unpacking one release
  // On the clock a release gets four times cpu_seconds, and at least this, for a busy host.
  std::chrono::seconds min_wall_clock{60};
  std::uint64_t memory_bytes = 1U << 30;
  bool require_start = false;  // see `goldsmith component mirror --if-starts`
  PublishPlugins publish_plugins = PublishPlugins::safe;
};

// How releases are downloaded from their upstreams; also named `mirror.*`.
struct UpstreamConfig {
  std::string github_api = "https://api.github.com";  // no slash at the end
  std::filesystem::path github_token_file;            // "" = anonymous
  std::filesystem::path ca_file;                      // "" = the system's authorities
  std::string ca_option = "mirror.ca_file";           // its name, for messages
  std::filesystem::path certificate;                  // PEM, this client's; "" = none
  std::filesystem::path key;                          // PEM, of the certificate
  std::filesystem::path keys = "/etc/goldsmith/keys";
  std::chrono::seconds connect_timeout{15};
  std::chrono::seconds stall_timeout{30};
  std::chrono::seconds total_timeout{3600};  // of one file, with all its tries
  std::uint64_t retries = 4;
  std::chrono::milliseconds retry_pause{1000};  // the first; each further one is twice as long
  std::uint64_t download_bytes = 1ULL << 30;    // of one file
};

// The other hosts of the service, for `goldsmith depot fill` (decision O11).
struct DepotPeersConfig {
  std::vector<std::string>
      peers;                      // where to fetch from: "https://host", without a slash at the end
  std::filesystem::path ca_file;  // "" = the system's authorities
  std::filesystem::path tls_certificate;  // PEM, shown to the other hosts; "" = none
  std::filesystem::path tls_key;          // PEM, of the certificate
  std::string allow;                      // addresses and networks that may fetch from this host
  std::filesystem::path allow_ca;         // PEM; who has a certificate by it may, too; "" = none
};

// How `goldsmith build start` starts servers.
struct StartConfig {
  std::filesystem::path emulator;     // of 32-bit x86 programs; "" = the kernel runs them
  std::filesystem::path game_folder;  // Valve's files; "" = stand-ins
};

// The bounds to which `goldsmith cache prune` reduces the caches.
struct CacheConfig {
  std::uint64_t archive_bytes = 20ULL << 30;
  std::uint64_t artefact_bytes = 1ULL << 30;
  std::uint64_t resource_bytes = 2ULL << 30;
  std::uint64_t inodes = 200'000;         // of each cache: files, folders and links
  std::uint64_t free_bytes = 1ULL << 30;  // of the caches' file systems
  std::uint64_t free_inodes = 20'000;     // of them, too
  std::chrono::days unused{30};
  std::chrono::seconds handover{10};  // that nginx has to open an archive it was told to send
};

// Where callers get the bytes of a server archive (decision O13).
struct ArchivesConfig {
  std::string redirect;  // the address that "/HASH.zip" is added to; "" = from the download itself
};

// What recipes for panels name (decision S25).
struct RecipesConfig {
  std::string image = "ghcr.io/parkervcp/games:source";  // in which an egg's servers run
};

// Where game clients download what a server has (decision O22).
struct FastdlConfig {
  std::string url;  // the address that "/fastdl/NAME/" is added to; "" = nowhere
};

// What `goldsmith log prune` leaves of the download log; 0 = everything (decision O4).
struct LogConfig {
  std::chrono::days retention{365};
  std::chrono::days addresses{30};  // callers' addresses in it
};

// The web pages beside the API.
struct SiteConfig {
  struct Link {
    std::string text;
    std::string url;
  };
  bool enabled = true;
  std::string name = "goldsmith";
  std::string tagline = "plugins and servers for Counter-Strike 1.6";
  std::string contact;             // an e-mail address, or an https:// address; "" = none
  std::vector<Link> footer_links;  // in order
  std::filesystem::path logo;      // an SVG, PNG or WebP file; "" = the built-in one
  std::string language = "en";     // of whoever asks for none that is there
};

// Where rate limits are counted: on this host, or in the database for the hosts that share it.
enum class LimitsBackend { memory, mysql };

// Which requests a worker logs: every one, or those of which the web server's log does not say all.
enum class RequestLog { all, notable };

struct Config {
  std::string base_url = "https://127.0.0.1:8443";  // no slash at the end
  std::string site_url = "https://127.0.0.1:8443";
  std::filesystem::path toolchains = "/opt/goldsmith/toolchains";
  std::filesystem::path includes = "/etc/goldsmith/include";
  std::filesystem::path catalog = "/usr/share/goldsmith/catalog";
  std::filesystem::path depot = "/var/lib/goldsmith/depot";
  std::filesystem::path followed = "/var/lib/goldsmith/followed";
  std::filesystem::path withdrawals = "/var/lib/goldsmith/withdrawals";
  std::filesystem::path archive_cache = "/var/cache/goldsmith/archives";
  std::filesystem::path artefact_cache = "/var/cache/goldsmith/artefacts";
  std::filesystem::path state = "/run/goldsmith/state";
  std::string trusted_proxies;  // addresses and networks, separated by commas or spaces
  LimitsBackend limits_backend = LimitsBackend::memory;
  RequestLog log_requests = RequestLog::notable;
  DatabaseConfig database;
  CompileConfig compile;
  MirrorConfig mirror;
  UpstreamConfig upstream;
  DepotPeersConfig depot_peers;
  StartConfig start;
  CacheConfig cache;
  ArchivesConfig archives;
  FastdlConfig fastdl;
  RecipesConfig recipes;
  LogConfig log;
  SiteConfig site;
};

// Reads the files in order (a missing one is an error if `required`), then the environment, then
// `--name=value` arguments. An unknown name is an error in a file, and on the command line if it
// has a dot (`--database.prot=1`). Other arguments may be the caller's: `rest` has them in order,
// and the caller refuses those that it does not know. Unknown variables are ignored. In a file, `#`
// or `;` at the start of a line begins a comment, as does `#` after white space.
struct ConfigSources {
  std::vector<std::filesystem::path> files;
  bool required = true;
  std::vector<std::string> arguments;
};
struct LoadedConfig {
  Config config;
  std::vector<std::string> rest;
  std::vector<std::filesystem::path> files;  // that were read
  // Where each option is set ("FILE line 3"), in the order of the sources: the last one applies.
  // Options at their defaults are absent.
  std::map<std::string, std::vector<std::string>, std::less<>> places;
};
LoadedConfig load_config(const ConfigSources& sources);

// The configuration file with what is read after it: the files conf.d/*.conf in its folder, in the
// byte order of their names, then of a pool the file POOL.conf there, if it exists. Hidden files
// are ignored. Throws ConfigError if the folder or a link in it can't be read (decision O15).
std::vector<std::filesystem::path> with_drop_ins(const std::filesystem::path& file,
                                                 const std::string& pool = "");

// Every option with its default, bounds and meaning, as `--help` prints it.
std::string config_help();

// A configuration file with every option, its meaning, its bounds and its default, all commented
// out.
std::string config_template();

// The table behind load_config(): every option once, with its bounds, meaning and how to set it.
struct ConfigOption {
  std::string name;
  std::string bounds;  // what a legal value is: "1 to 65535"
  std::string meaning;
  bool secret = false;  // never shown, in errors neither
  // Sets the value; false when it is out of bounds.
  std::function<bool(Config&, std::string_view)> set;
  std::function<std::string(const Config&)> show;  // in the units of `bounds`

  // `NAME is "VALUE" but must be BOUNDS`.
  std::string refusal(std::string_view value) const;
};

std::span<const ConfigOption> config_options();

// Null when there is none of that name.
const ConfigOption* find_config_option(std::string_view name);

// `https://host[:port][/path]` without a slash at its end, and without what would make a link built
// on it wrong: what options such as depot.peers take.
bool is_secure_url(std::string_view text);

}  // namespace goldsmith::base
