// The table behind load_config(): every option once, with its bounds, meaning and how to set it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/sys/config.hpp"

namespace goldsmith::sys {

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

}  // namespace goldsmith::sys
