// Settings that travel with a selection: cvars of the server and of its plugins (decision S42).
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/plugin.hpp"

namespace goldsmith::creator {

struct CvarSetting {
  std::string name;
  std::string value;

  friend auto operator<=>(const CvarSetting&, const CvarSetting&) = default;
};

inline constexpr std::size_t kMaxSettings = 64;
inline constexpr std::size_t kMaxSettingBytes = 2048;  // of all names and values
inline constexpr std::size_t kMaxValueBytes = 127;     // of one value

// A cvar of the server itself, which may be set.
struct ServerCvar {
  struct Bounds {
    double least;
    double most;
  };
  std::string_view name;              // in lower case
  std::string_view initial;           // what it is unless it is set
  std::optional<Bounds> bounds = {};  // absent = a text
};
// By name.
std::span<const ServerCvar> server_cvars();

// Of lines "name value" or `name "value"`: sorted by name, without regard to its case, each once;
// of a name that is there twice the last line counts. Empty lines and those that begin with // have
// no setting.
std::vector<CvarSetting> parse_settings(std::string_view text);
// The lines that parse_settings() reads.
std::string settings_text(const std::vector<CvarSetting>& settings);

// Throw domain::Failure, a bad_request with a sentence for people as its cause. If there is too
// much:
void check_size(const std::vector<CvarSetting>& settings);
// If a name is neither one of the server nor one of `of_plugins`, a value is none that it can have,
// or it is a secret, which would be in the link.
void check_settings(const std::vector<CvarSetting>& settings,
                    const std::vector<domain::PluginCvar>& of_plugins);
// What a selection without a platform with settings is answered with.
[[noreturn]] void fail_without_platform();

// The files of a build with settings: what executes them comes last in the list of its plugins.
inline constexpr std::string_view kSettingsPath = "cstrike/addons/amxmodx/configs/svc.cfg";
inline constexpr std::string_view kSettingsBinary = "svc_settings.amxx";

// The file that the engine executes.
std::string settings_cfg(const std::vector<CvarSetting>& settings);
// What executes it, with its source; described (compile::describe) by nobody so far.
domain::PluginVersion settings_plugin();

}  // namespace goldsmith::creator
