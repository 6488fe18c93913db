// Settings that travel with a selection: cvars of the server and of its plugins (decision S42).
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/creator/settings_text.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::creator {

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

// Throw domain::Failure, a bad_request with a sentence for people as its cause. If there is too
// much:
void check_size(const std::vector<CvarSetting>& settings);
// If a name is neither one of the server nor one of `of_plugins`, a value is none that it can have,
// or it is a secret, which would be in the link.
void check_settings(const std::vector<CvarSetting>& settings,
                    const std::vector<domain::PluginCvar>& of_plugins);
// What a selection without a platform with settings is answered with.
[[noreturn]] void fail_without_platform();

// The file that the engine executes.
std::string settings_cfg(const std::vector<CvarSetting>& settings);
// What executes it, with its source; described (compile::describe) by nobody so far.
domain::PluginVersion settings_plugin();

}  // namespace goldsmith::creator
