#include "app/base/config_values.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>

#include <fmt/core.h>

#include "app/base/text.hpp"

namespace goldsmith::base {

namespace config_value {

namespace {

bool is_visible(char byte) { return byte > ' ' && byte < 0x7F; }

// Whether all bytes are visible ASCII, and none of `excluded`.
bool is_visible_without(std::string_view text, std::string_view excluded) {
  return std::all_of(text.begin(), text.end(), [&](char byte) {
    return is_visible(byte) && excluded.find(byte) == std::string_view::npos;
  });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
  });
}

}  // namespace

bool is_text(std::string_view text) { return text.size() <= 255 && !has_control(text); }

bool is_language(std::string_view text) {
  if (text == "en") return true;
  const auto tags = split(GOLDSMITH_LANGUAGES, ',');
  return std::any_of(tags.begin(), tags.end(),
                     [&](std::string_view tag) { return trim_ascii(tag) == text; });
}

bool is_name(std::string_view text) { return !text.empty() && is_text(text); }

bool is_path(std::string_view text) { return text.starts_with('/') && !has_control(text); }

bool is_optional_path(std::string_view text) { return text.empty() || is_path(text); }

bool is_socket(std::string_view text) {
  constexpr std::size_t kLongest = 107;  // sun_path of sockaddr_un, without its NUL
  return is_optional_path(text) && text.size() <= kLongest;
}

bool is_base_url(std::string_view text) {
  const std::size_t scheme = text.starts_with("https://")  ? 8U
                             : text.starts_with("http://") ? 7U
                                                           : 0U;
  return scheme != 0 && text.size() > scheme && text[scheme] != '/' && text.back() != '/' &&
         is_visible_without(text, "?#\"<>\\");
}

bool is_plain_url(std::string_view text) {
  constexpr std::size_t kLongest = 87;
  return text.starts_with("http://") && is_base_url(text) && text.size() <= kLongest;
}

bool is_address_list(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF.:/, ") == std::string_view::npos;
}

bool is_contact(std::string_view text) {
  if (text.empty() || is_secure_url(text)) return true;
  const std::size_t at = text.find('@');
  return at != 0 && at < text.size() - 1 && at == text.rfind('@') && text.size() <= 254 &&
         is_visible_without(text, "?#\"<>\\,;:&");
}

bool is_image(std::string_view text) {
  constexpr std::size_t kLongest = 255;
  constexpr std::string_view kDigest = "sha256:";
  if (text.size() > kLongest) return false;
  const std::string_view name = text.substr(0, text.find('@'));
  if (name.size() < text.size()) {
    const std::string_view digest = text.substr(name.size() + 1);
    const bool is_whole = digest.starts_with(kDigest) && digest.size() == kDigest.size() + 64;
    const auto other = digest.find_first_not_of("0123456789abcdef", kDigest.size());
    if (!is_whole || other != std::string_view::npos) return false;
  }
  char before = '/';
  for (const char c : name) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    const bool is_joint = std::string_view("._-/:").find(c) != std::string_view::npos;
    const bool ends_part = c == '/' || c == ':';
    const bool is_begin = before == '/' || before == ':';
    if ((!is_word && !is_joint) || (is_joint && is_begin)) return false;
    if (ends_part && std::isalnum(static_cast<unsigned char>(before)) == 0) return false;
    before = c;
  }
  return std::isalnum(static_cast<unsigned char>(before)) != 0;
}

bool is_logo(std::string_view text) {
  return text.empty() || (is_path(text) && (text.ends_with(".svg") || text.ends_with(".png") ||
                                            text.ends_with(".webp")));
}

std::optional<ServerAddress> parse_server(std::string_view text) {
  if (text.starts_with('/')) {
    if (!is_socket(text)) return std::nullopt;
    return ServerAddress{.socket = std::string(text), .host = ""};
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
  const auto number = parse_number<std::uint16_t>(port);
  if (!is_name(host) || !is_visible_without(host, "[]") || !number || *number == 0) {
    return std::nullopt;
  }
  return ServerAddress{.host = std::string(host), .port = *number};
}

std::optional<SiteConfig::Link> parse_link(std::string_view text) {
  const std::size_t space = text.rfind(' ');
  if (space == std::string_view::npos || has_control(text)) return std::nullopt;
  const std::string_view url = text.substr(space + 1);
  const bool is_local = url.starts_with('/') && !url.starts_with("//");
  if (!is_local && !is_base_url(url.ends_with('/') ? url.substr(0, url.size() - 1) : url)) {
    return std::nullopt;
  }
  return SiteConfig::Link{std::string(trim_ascii(text.substr(0, space))), std::string(url)};
}

std::optional<std::vector<std::string>> parse_peers(std::string_view text) {
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

}  // namespace config_value

bool is_secure_url(std::string_view text) {
  return text.starts_with("https://") && config_value::is_base_url(text);
}

std::string to_string(const ServerAddress& address) {
  if (!address.socket.empty()) return address.socket;
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", address.host, address.port)
                 : fmt::format("{}:{}", address.host, address.port);
}

}  // namespace goldsmith::base
