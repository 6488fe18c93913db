#include "app/sys/config_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

namespace goldsmith::sys {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> parse_switch(std::string_view text) {
  std::string lower(text);
  for (char& byte : lower) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + ('a' - 'A'));
  }
  constexpr std::array<std::string_view, 4> kOn = {"on", "true", "yes", "1"};
  constexpr std::array<std::string_view, 4> kOff = {"off", "false", "no", "0"};
  if (std::find(kOn.begin(), kOn.end(), lower) != kOn.end()) return true;
  if (std::find(kOff.begin(), kOff.end(), lower) != kOff.end()) return false;
  return std::nullopt;
}

bool is_visible(char byte) { return byte > ' ' && byte < 0x7F; }

// `http(s)://host[:port][/path]`, without what would make a link built on it wrong.
bool is_base_url(std::string_view text) {
  const std::size_t scheme = text.starts_with("https://")  ? 8U
                             : text.starts_with("http://") ? 7U
                                                           : 0U;
  if (scheme == 0 || text.size() == scheme || text[scheme] == '/' || text.back() == '/') {
    return false;
  }
  return std::all_of(text.begin(), text.end(), [](char byte) {
    return is_visible(byte) && std::string_view("?#\"<>\\").find(byte) == std::string_view::npos;
  });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
  });
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 255 && !has_control(text);
}

template <typename Field>
ConfigOption url_option(std::string name, Field field, std::string meaning) {
  return {std::move(name),
          "an http:// or https:// address without a slash at its end",
          std::move(meaning),
          false,
          [field](Config& config, std::string_view text) {
            if (!is_base_url(text)) return false;
            field(config) = std::string(text);
            return true;
          },
          [field](Config config) { return field(config); }};
}

template <typename Field>
ConfigOption path_option(std::string name, Field field, std::string meaning) {
  return {std::move(name),
          "an absolute path",
          std::move(meaning),
          false,
          [field](Config& config, std::string_view text) {
            if (!text.starts_with('/') || has_control(text)) return false;
            field(config) = std::filesystem::path(text);
            return true;
          },
          [field](Config config) { return field(config).string(); }};
}

template <typename Field>
ConfigOption name_option(std::string name, Field field, std::string meaning) {
  return {std::move(name),
          "1 to 255 characters",
          std::move(meaning),
          false,
          [field](Config& config, std::string_view text) {
            if (!is_name(text)) return false;
            field(config) = std::string(text);
            return true;
          },
          [field](Config config) { return field(config); }};
}

// A whole number of units; the field holds `number * unit`.
struct NumberBounds {
  std::uint64_t least;
  std::uint64_t most;
  std::uint64_t unit = 1;
};

template <typename Field>
ConfigOption number_option(std::string name, NumberBounds bounds, Field field,
                           std::string meaning) {
  return {std::move(name),
          std::to_string(bounds.least) + " to " + std::to_string(bounds.most),
          std::move(meaning),
          false,
          [field, bounds](Config& config, std::string_view text) {
            const auto number = parse_number(text);
            if (!number || *number < bounds.least || *number > bounds.most) return false;
            auto& target = field(config);
            using Target = std::remove_reference_t<decltype(target)>;
            target = static_cast<Target>(*number * bounds.unit);
            return true;
          },
          [field, bounds](Config config) { return std::to_string(field(config) / bounds.unit); }};
}

template <typename Field>
ConfigOption duration_option(std::string name, NumberBounds bounds, Field field,
                             std::string meaning) {
  return {std::move(name),
          std::to_string(bounds.least) + " to " + std::to_string(bounds.most),
          std::move(meaning),
          false,
          [field, bounds](Config& config, std::string_view text) {
            const auto number = parse_number(text);
            if (!number || *number < bounds.least || *number > bounds.most) return false;
            auto& target = field(config);
            using Target = std::remove_reference_t<decltype(target)>;
            target = Target(static_cast<typename Target::rep>(*number));
            return true;
          },
          [field](Config config) { return std::to_string(field(config).count()); }};
}

ConfigOption socket_option() {
  constexpr std::size_t kLongest = 107;  // sun_path of sockaddr_un, without its NUL
  return {"database.socket",
          "an absolute path of at most 107 bytes, or empty",
          "Unix socket of the database server; empty = TCP to host and port",
          false,
          [](Config& config, std::string_view text) {
            const bool is_path =
                text.starts_with('/') && text.size() <= kLongest && !has_control(text);
            if (!text.empty() && !is_path) return false;
            config.database.socket = std::string(text);
            return true;
          },
          [](const Config& config) { return config.database.socket; }};
}

ConfigOption password_option() {
  return {"database.password",
          "at most 255 characters",
          "the database user's password",
          true,
          [](Config& config, std::string_view text) {
            if (text.size() > 255 || has_control(text)) return false;
            config.database.password = std::string(text);
            return true;
          },
          [](const Config&) { return std::string(); }};
}

ConfigOption sandbox_option() {
  return {"compile.sandbox",
          "on or off",
          "compile in a sandbox; off only for development, never with sources of others",
          false,
          [](Config& config, std::string_view text) {
            const auto value = parse_switch(text);
            if (value) config.compile.sandbox = *value;
            return value.has_value();
          },
          [](const Config& config) { return std::string(config.compile.sandbox ? "on" : "off"); }};
}

ConfigOption proxies_option() {
  return {"trusted_proxies",
          "addresses and networks (10.0.0.0/8, ::1), separated by commas",
          "front proxies whose X-Forwarded-For names the caller; empty = the peer is the caller",
          false,
          [](Config& config, std::string_view text) {
            constexpr std::string_view kLegal = "0123456789abcdefABCDEF.:/, ";
            if (text.find_first_not_of(kLegal) != std::string_view::npos) return false;
            config.trusted_proxies = std::string(text);
            return true;
          },
          [](const Config& config) { return config.trusted_proxies; }};
}

ConfigOption limits_backend_option() {
  return {"limits.backend",
          "memory or mysql",
          "where rate limits count: this host's shared memory, or the database of several hosts",
          false,
          [](Config& config, std::string_view text) {
            if (text != "memory" && text != "mysql") return false;
            config.limits_backend = text == "mysql" ? LimitsBackend::mysql : LimitsBackend::memory;
            return true;
          },
          [](const Config& config) {
            return config.limits_backend == LimitsBackend::mysql ? "mysql" : "memory";
          }};
}

#define FIELD(member) \
  [](Config & config) -> auto& { return config.member; }

void add_general(std::vector<ConfigOption>& options) {
  options.push_back(url_option("base_url", FIELD(base_url), "where the API is reached"));
  options.push_back(url_option("site_url", FIELD(site_url), "where the web pages are reached"));
  options.push_back(path_option("toolchains", FIELD(toolchains), "folder of the compilers"));
  options.push_back(
      path_option("includes", FIELD(includes), "folder of further includes for every compile"));
  options.push_back(path_option("depot", FIELD(depot), "folder of the mirrored components"));
  options.push_back(
      path_option("archive_cache", FIELD(archive_cache), "folder of the built server archives"));
  options.push_back(path_option("artefact_cache", FIELD(artefact_cache),
                                "folder of the plugins compiled for server archives"));
  options.push_back(path_option("state", FIELD(state), "file that all processes share"));
  options.push_back(proxies_option());
  options.push_back(limits_backend_option());
}

void add_database(std::vector<ConfigOption>& options) {
  options.push_back(socket_option());
  options.push_back(
      name_option("database.host", FIELD(database.host), "the database server's host"));
  options.push_back(number_option("database.port", {1, 65535}, FIELD(database.port),
                                  "the database server's port"));
  options.push_back(name_option("database.name", FIELD(database.name), "the database"));
  options.push_back(name_option("database.user", FIELD(database.user), "the database user"));
  options.push_back(password_option());
  options.push_back(duration_option("database.connect_timeout", {1, 60},
                                    FIELD(database.connect_timeout),
                                    "seconds to wait for a connection"));
  options.push_back(duration_option("database.read_timeout", {1, 600}, FIELD(database.read_timeout),
                                    "seconds to wait for an answer"));
}

void add_compile(std::vector<ConfigOption>& options) {
  constexpr std::uint64_t kKilobyte = 1U << 10;
  constexpr std::uint64_t kMegabyte = 1U << 20;
  options.push_back(sandbox_option());
  options.push_back(duration_option("compile.wall_clock_ms", {100, 600'000},
                                    FIELD(compile.wall_clock), "milliseconds that one may take"));
  options.push_back(number_option("compile.cpu_seconds", {1, 600}, FIELD(compile.cpu_seconds),
                                  "seconds of processor time that one may take"));
  options.push_back(number_option("compile.memory_mb", {16, 4096, kMegabyte},
                                  FIELD(compile.memory_bytes), "MiB of memory that one may take"));
  options.push_back(number_option("compile.output_kb", {1, 65'536, kKilobyte},
                                  FIELD(compile.output_bytes), "KiB that one may print"));
  options.push_back(number_option("compile.binary_mb", {1, 1024, kMegabyte},
                                  FIELD(compile.binary_bytes), "MiB of the largest binary"));
}

void add_mirror(std::vector<ConfigOption>& options) {
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
}

#undef FIELD

std::vector<ConfigOption> make_options() {
  std::vector<ConfigOption> options;
  add_general(options);
  add_database(options);
  add_compile(options);
  add_mirror(options);
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
