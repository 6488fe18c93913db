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
};

std::span<const ConfigOption> config_options();

// Null when there is none of that name.
const ConfigOption* find_config_option(std::string_view name);

}  // namespace goldsmith::sys
