// The text of settings that travel with a selection, in its link and in the build (decision S42).
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::creator {

struct CvarSetting {
  std::string name;
  std::string value;

  friend auto operator<=>(const CvarSetting&, const CvarSetting&) = default;
};

inline constexpr std::size_t kMaxSettings = 64;
inline constexpr std::size_t kMaxSettingBytes = 2048;  // of all names and values
inline constexpr std::size_t kMaxValueBytes = 127;     // of one value

// Of lines "name value" or `name "value"`: sorted by name, without regard to its case, each once;
// of a name that is there twice the last line counts. Empty lines and those that begin with // have
// no setting.
std::vector<CvarSetting> parse_settings(std::string_view text);
// The lines that parse_settings() reads.
std::string settings_text(const std::vector<CvarSetting>& settings);

// Whether the engine reads the name as one, and the value as it is: letters, digits, '_', '-' and
// '.', and one line without quotation marks, not "" and at most kMaxValueBytes.
bool is_cvar_name(std::string_view name);
bool is_cvar_value(std::string_view value);

// The files of a build with settings: what executes them comes last in the list of its plugins.
inline constexpr std::string_view kSettingsPath = "cstrike/addons/amxmodx/configs/svc.cfg";
inline constexpr std::string_view kSettingsBinary = "svc_settings.amxx";
inline constexpr std::string_view kSettingsSource = "svc_settings.sma";

// The settings in a text that anybody may have written, such as kSettingsPath, as settings_text(),
// in its order: what is no name or value is left out, what is secret, and all if they are more than
// a selection may have.
std::string sound_settings(std::string_view text);

}  // namespace goldsmith::creator
