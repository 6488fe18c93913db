// What the operator can change while the service runs (`goldsmith setting`): names, types, bounds,
// defaults.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace goldsmith::access {

struct Settings {
  bool api_enabled = true;
  bool keyless_access = true;
  std::int64_t anonymous_per_minute = 600;
  std::int64_t anonymous_per_day = 50'000;
  std::int64_t compiles_per_hour = 60;         // anonymous callers, each address
  std::int64_t builds_per_hour = 10;           // anonymous callers, each address
  std::int64_t compile_flood_per_minute = 40;  // everyone together
  std::int64_t build_flood_per_minute = 30;    // everyone together
};

// What the counter of a window can hold; no setting is larger.
inline constexpr std::int64_t kLargestSetting = 10'000'000;

// One setting as the operator sees it: a switch, or a number from 0 to kLargestSetting.
struct SettingInfo {
  std::string_view name;
  std::string_view meaning;
  bool Settings::* flag = nullptr;
  std::int64_t Settings::* number = nullptr;
};
std::span<const SettingInfo> setting_infos();

// Unknown name or bad value; what() names it, what is allowed and the bounds (decision O2).
class SettingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The canonical text of a value ("on", "off" or digits). Throws SettingError.
std::string normalise_setting(std::string_view name, std::string_view value);

// Stored texts over the defaults. A stored value that is no longer legal is ignored: the default
// holds, and `goldsmith setting list` shows it.
Settings make_settings(const std::map<std::string, std::string>& stored);

// The value in force as text.
std::string setting_text(const Settings& settings, const SettingInfo& info);

}  // namespace goldsmith::access
