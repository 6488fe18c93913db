#include "app/sys/config_values.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "app/sys/text.hpp"

namespace goldsmith::sys {
namespace {

bool is_visible(char byte) { return byte > ' ' && byte < 0x7F; }

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
  });
}

bool is_host(std::string_view text) {
  return !text.empty() && text.size() <= 255 && std::all_of(text.begin(), text.end(), is_visible);
}

// Separates the port, if there is one, from the host: `[::1]:3306`, `::1`, `host:3306`.
std::optional<DatabaseAddress> parse_server(std::string_view text) {
  if (text.starts_with('/')) {
    if (!is_socket(text)) return std::nullopt;
    return DatabaseAddress{.socket = std::string(text), .host = ""};
  }
  std::string_view host = text;
  std::string_view port = "3306";
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && !rest.starts_with(':')) return std::nullopt;
    if (!rest.empty()) port = rest.substr(1);
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    const std::size_t colon = text.find(':');
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  const auto number = parse_number(port);
  if (!is_host(host) || !number || *number < 1 || *number > 65'535) return std::nullopt;
  return DatabaseAddress{
      .socket = "", .host = std::string(host), .port = static_cast<std::uint16_t>(*number)};
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

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

bool is_secure_url(std::string_view text) {
  return text.starts_with("https://") && is_base_url(text);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 255 && !has_control(text);
}

bool is_path(std::string_view text) { return text.starts_with('/') && !has_control(text); }

bool is_optional_path(std::string_view text) { return text.empty() || is_path(text); }

bool is_socket(std::string_view text) {
  constexpr std::size_t kLongest = 107;  // sun_path of sockaddr_un, without its NUL
  return text.empty() || (is_path(text) && text.size() <= kLongest);
}

bool is_password(std::string_view text) { return text.size() <= 255 && !has_control(text); }

bool is_address_list(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF.:/, ") == std::string_view::npos;
}

bool is_text(std::string_view text) { return text.size() <= 255 && !has_control(text); }

bool is_contact(std::string_view text) {
  if (text.empty() || is_secure_url(text)) return true;
  const std::size_t at = text.find('@');
  return at != 0 && at != std::string_view::npos &&
         text.find('@', at + 1) == std::string_view::npos && at + 1 < text.size() &&
         text.size() <= 254 && std::all_of(text.begin(), text.end(), [](char byte) {
           return is_visible(byte) &&
                  std::string_view("?#\"<>\\,;:&").find(byte) == std::string_view::npos;
         });
}

bool is_logo(std::string_view text) {
  return text.empty() || (is_path(text) && (text.ends_with(".svg") || text.ends_with(".png") ||
                                            text.ends_with(".webp")));
}

std::optional<std::vector<std::string>> parse_secure_urls(std::string_view text) {
  std::vector<std::string> urls;
  std::string separated(text);
  std::replace(separated.begin(), separated.end(), ',', ' ');
  for (const std::string_view piece : split(separated, ' ')) {
    if (piece.empty()) continue;
    if (!is_secure_url(piece)) return std::nullopt;
    urls.emplace_back(piece);
  }
  return urls;
}

std::optional<std::vector<DatabaseAddress>> parse_servers(std::string_view text) {
  std::vector<DatabaseAddress> servers;
  if (trim_ascii(text).empty()) return servers;
  for (const std::string_view piece : split(text, ',')) {
    auto server = parse_server(trim_ascii(piece));
    if (!server) return std::nullopt;
    servers.push_back(std::move(*server));
  }
  return servers;
}

std::string show_servers(const std::vector<DatabaseAddress>& servers) {
  std::string text;
  for (const DatabaseAddress& server : servers) {
    if (!text.empty()) text += ", ";
    if (!server.socket.empty()) {
      text += server.socket;
      continue;
    }
    const bool is_ipv6 = server.host.find(':') != std::string::npos;
    text += (is_ipv6 ? "[" + server.host + "]" : server.host) + ":" + std::to_string(server.port);
  }
  return text;
}

std::optional<std::vector<SiteConfig::Link>> parse_links(std::string_view text) {
  std::vector<SiteConfig::Link> links;
  if (trim_ascii(text).empty()) return links;
  for (const std::string_view piece : split(text, ',')) {
    const std::string_view link = trim_ascii(piece);
    const std::size_t space = link.rfind(' ');
    if (space == std::string_view::npos || has_control(link)) return std::nullopt;
    std::string_view url = link.substr(space + 1);
    const bool is_local = url.starts_with('/') && !url.starts_with("//");
    const std::string_view checked = url.ends_with('/') ? url.substr(0, url.size() - 1) : url;
    if (!is_local && !is_base_url(checked)) return std::nullopt;
    links.push_back({std::string(trim_ascii(link.substr(0, space))), std::string(url)});
  }
  return links;
}

std::string show_links(const std::vector<SiteConfig::Link>& links) {
  std::string text;
  for (const SiteConfig::Link& link : links) {
    if (!text.empty()) text += ", ";
    text.append(link.text).append(" ").append(link.url);
  }
  return text;
}

}  // namespace goldsmith::sys
