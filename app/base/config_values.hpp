// Which texts values of the configuration may be. What options have these values:
// config_options.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/config.hpp"

namespace goldsmith::base::config_value {

bool is_text(std::string_view text);  // one line of at most 255 bytes
bool is_name(std::string_view text);  // the same, not empty
bool is_language(std::string_view text);
bool is_path(std::string_view text);  // an absolute one
bool is_optional_path(std::string_view text);
bool is_socket(std::string_view text);  // the path of one, or empty
// `http(s)://host[:port][/path]`, without what would make a link built on it wrong.
bool is_base_url(std::string_view text);
// The engine tells its clients no address of more than 128 bytes, and "/fastdl/ID/" is added here.
bool is_plain_url(std::string_view text);
bool is_address_list(std::string_view text);
bool is_contact(std::string_view text);  // an e-mail address, an https:// address, or empty
// `[HOST[:PORT]/]NAME[:TAG][@sha256:DIGEST]`: what Docker and panels take alike, but for what only
// a registry can tell.
bool is_image(std::string_view text);
bool is_logo(std::string_view text);  // the path of an image, or empty

// They give std::nullopt for what is invalid.

// A socket, or a host and its port, if there is one: `[::1]:3306`, `::1`, `host:3306`.
std::optional<ServerAddress> parse_server(std::string_view text);
std::optional<SiteConfig::Link> parse_link(std::string_view text);
// Addresses of https:// that are separated by commas or spaces.
std::optional<std::vector<std::string>> parse_peers(std::string_view text);

}  // namespace goldsmith::base::config_value
