// Which texts are valid values of the configuration's options; config_options.cpp says so in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/sys/config.hpp"

namespace goldsmith::sys {

// Decimal digits alone; std::nullopt for anything else, or what does not fit.
std::optional<std::uint64_t> parse_number(std::string_view text);

// `http(s)://host[:port][/path]`, without what would make a link built on it wrong.
bool is_base_url(std::string_view text);
bool is_secure_url(std::string_view text);  // the same, https alone

bool is_path(std::string_view text);  // absolute
bool is_optional_path(std::string_view text);
bool is_socket(std::string_view text);  // a path that a Unix socket can have, or empty
bool is_name(std::string_view text);
bool is_text(std::string_view text);
bool is_password(std::string_view text);
bool is_address_list(std::string_view text);
bool is_contact(std::string_view text);  // an e-mail address, an https address, or empty
bool is_logo(std::string_view text);

// https addresses as is_secure_url, separated by commas or spaces; std::nullopt for anything else.
std::optional<std::vector<std::string>> parse_secure_urls(std::string_view text);

// `host`, `host:port`, `[address]:port` or the path of a socket, separated by commas; std::nullopt
// if it is not of that form.
std::optional<std::vector<DatabaseAddress>> parse_servers(std::string_view text);
std::string show_servers(const std::vector<DatabaseAddress>& servers);

// `Text https://address, Text https://address`; std::nullopt if it is not of that form.
std::optional<std::vector<SiteConfig::Link>> parse_links(std::string_view text);
std::string show_links(const std::vector<SiteConfig::Link>& links);

}  // namespace goldsmith::sys
