#include "app/creator/settings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/domain/failure.hpp"
#include "app/domain/names.hpp"
#include "app/domain/secret_names.hpp"

namespace goldsmith::creator {
namespace {

constexpr ServerCvar::Bounds kSwitch{0, 1};
constexpr ServerCvar::Bounds kRatio{0, 1};
constexpr ServerCvar::Bounds kCount{0, 100'000};

constexpr auto kServerCvars =
    std::to_array<ServerCvar>({{"allow_spectators", "1", kSwitch},
                               {"amx_show_activity", "2", ServerCvar::Bounds{0, 5}},
                               {"amx_vote_delay", "10", kCount},
                               {"amx_vote_time", "10", ServerCvar::Bounds{1, 600}},
                               {"amx_voteban_ratio", "0.40", kRatio},
                               {"amx_votekick_ratio", "0.40", kRatio},
                               {"amx_votemap_ratio", "0.40", kRatio},
                               {"decalfrequency", "30", kCount},
                               {"hostname", "Counter-Strike 1.6 Server"},
                               {"mp_autokick", "1", kSwitch},
                               {"mp_autoteambalance", "1", ServerCvar::Bounds{0, 3}},
                               {"mp_buytime", "1.5", ServerCvar::Bounds{-1, 60}},
                               {"mp_c4timer", "45", ServerCvar::Bounds{1, 600}},
                               {"mp_chattime", "10", ServerCvar::Bounds{1, 120}},
                               {"mp_consistency", "1", kSwitch},
                               {"mp_fadetoblack", "0", ServerCvar::Bounds{0, 2}},
                               {"mp_flashlight", "0", kSwitch},
                               {"mp_footsteps", "1", kSwitch},
                               {"mp_forcecamera", "0", ServerCvar::Bounds{0, 2}},
                               {"mp_forcechasecam", "0", ServerCvar::Bounds{0, 2}},
                               {"mp_fraglimit", "0", kCount},
                               {"mp_freezetime", "6", ServerCvar::Bounds{0, 60}},
                               {"mp_friendlyfire", "0", kSwitch},
                               {"mp_hostagepenalty", "13", kCount},
                               {"mp_limitteams", "2", ServerCvar::Bounds{0, 32}},
                               {"mp_logdetail", "0", ServerCvar::Bounds{0, 3}},
                               {"mp_logmessages", "1", kSwitch},
                               {"mp_maxrounds", "0", kCount},
                               {"mp_playerid", "0", ServerCvar::Bounds{0, 2}},
                               {"mp_roundtime", "5", ServerCvar::Bounds{0, 60}},
                               {"mp_startmoney", "800", ServerCvar::Bounds{0, 999'999}},
                               {"mp_timelimit", "0", kCount},
                               {"mp_tkpunish", "0", kSwitch},
                               {"mp_winlimit", "0", kCount},
                               {"pausable", "0", kSwitch},
                               {"sv_airaccelerate", "10", ServerCvar::Bounds{-1000, 10'000}},
                               {"sv_allowdownload", "1", kSwitch},
                               {"sv_allowupload", "1", kSwitch},
                               {"sv_alltalk", "0", ServerCvar::Bounds{0, 5}},
                               {"sv_cheats", "0", kSwitch},
                               {"sv_contact", ""},
                               {"sv_downloadurl", ""},
                               {"sv_gravity", "800", ServerCvar::Bounds{-10'000, 10'000}},
                               {"sv_maxrate", "0", kCount},
                               {"sv_maxspeed", "320", ServerCvar::Bounds{0, 10'000}},
                               {"sv_maxunlag", "0.5", kRatio},
                               {"sv_maxupdaterate", "30", ServerCvar::Bounds{10, 1000}},
                               {"sv_minrate", "0", kCount},
                               {"sv_minupdaterate", "10", ServerCvar::Bounds{1, 1000}},
                               {"sv_region", "-1", ServerCvar::Bounds{-1, 255}},
                               {"sv_send_logos", "1", kSwitch},
                               {"sv_timeout", "60", ServerCvar::Bounds{5, 3600}},
                               {"sv_unlag", "1", kSwitch},
                               {"sv_voiceenable", "1", kSwitch},
                               {"sv_voicequality", "5", ServerCvar::Bounds{1, 5}},
                               {"sys_ticrate", "100", ServerCvar::Bounds{1, 10'000}}});
static_assert(std::ranges::is_sorted(kServerCvars, {}, &ServerCvar::name));

constexpr std::string_view kSource =
    R"(// Executes the settings that were chosen for this server in the server creator.
// SPDX-License-Identifier: MIT
#include <amxmodx>

public plugin_init()
{
	register_plugin("Settings of this server", "1.0", "goldsmith")
}

public plugin_cfg()
{
	execute()
	// Behind what the engine and AMX Mod X execute when all plugins have begun, and behind the
	// configuration of a map, which comes 6.1 seconds after its beginning.
	set_task(1.0, "execute")
	set_task(7.0, "execute")
}

public execute()
{
	server_cmd("exec addons/amxmodx/configs/svc.cfg")
}
)";

domain::Failure refusal(std::string reason, const CvarSetting& setting) {
  domain::Failure failure(domain::Error::bad_request);
  failure.cause = std::move(reason);
  failure.fields = {{"parameter", "cfg"},
                    {"setting", setting.name},
                    {"value", setting.value},
                    {"reason", failure.cause}};
  return failure;
}

// An optional sign, digits, and perhaps a point with digits behind it.
std::optional<double> number_in(std::string_view text) {
  std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const auto are_digits = [](std::string_view part) {
    constexpr std::size_t kMost = 9;
    return !part.empty() && part.size() <= kMost &&
           std::ranges::all_of(part, [](char byte) { return byte >= '0' && byte <= '9'; });
  };
  const bool has_fraction = point < digits.size();
  if (!are_digits(digits.substr(0, point))) return std::nullopt;
  if (has_fraction && !are_digits(digits.substr(point + 1))) return std::nullopt;
  double value = 0;
  for (const char digit : digits.substr(0, point)) value = value * 10 + (digit - '0');
  double share = 0.1;
  if (has_fraction) {
    for (const char digit : digits.substr(point + 1)) {
      value += share * (digit - '0');
      share /= 10;
    }
  }
  return digits.size() < text.size() ? -value : value;
}

void check_bounds(const CvarSetting& setting, const ServerCvar& cvar) {
  if (!cvar.bounds) return;
  const auto value = number_in(setting.value);
  if (value && *value >= cvar.bounds->least && *value <= cvar.bounds->most) return;
  throw refusal(fmt::format("\"{}\" can be a number from {} to {}; \"{}\" is none of these.",
                            setting.name, cvar.bounds->least, cvar.bounds->most, setting.value),
                setting);
}

void check_value(const CvarSetting& setting) {
  if (setting.value.empty()) {
    throw refusal(fmt::format("\"{}\" has no value: each line of \"cfg\" is a name and a value.",
                              setting.name),
                  setting);
  }
  if (is_cvar_value(setting.value)) return;
  throw refusal(fmt::format("\"{}\" can have one line of up to {} bytes without quotation marks.",
                            setting.name, kMaxValueBytes),
                setting);
}

}  // namespace

std::span<const ServerCvar> server_cvars() { return kServerCvars; }

void check_size(const std::vector<CvarSetting>& settings) {
  std::size_t bytes = 0;
  for (const CvarSetting& each : settings) bytes += each.name.size() + each.value.size();
  const bool are_too_many = settings.size() > kMaxSettings;
  if (!are_too_many && bytes <= kMaxSettingBytes) return;
  const std::size_t limit = are_too_many ? kMaxSettings : kMaxSettingBytes;
  domain::Failure failure(domain::Error::bad_request);
  failure.cause = are_too_many
                      ? fmt::format("A selection may have at most {} settings; this one has {}.",
                                    limit, settings.size())
                      : fmt::format(
                            "The settings of a selection may have at most {} bytes "
                            "together; these have {}.",
                            limit, bytes);
  failure.fields = {
      {"parameter", "cfg"}, {"limit", static_cast<std::int64_t>(limit)}, {"reason", failure.cause}};
  throw failure;
}

void check_settings(const std::vector<CvarSetting>& settings,
                    const std::vector<domain::PluginCvar>& of_plugins) {
  for (const CvarSetting& setting : settings) {
    const std::string name = base::to_lower_ascii(setting.name);
    const auto own = std::ranges::find(kServerCvars, name, &ServerCvar::name);
    const bool is_plugins = std::ranges::any_of(of_plugins, [&](const domain::PluginCvar& cvar) {
      return base::to_lower_ascii(cvar.name) == name;
    });
    if (domain::names_secret(name)) {
      throw refusal(fmt::format("\"{}\" is a secret, and would be in the link: set it in "
                                "server.cfg, and leave it out of \"cfg\".",
                                setting.name),
                    setting);
    }
    if ((own == kServerCvars.end() && !is_plugins) || !is_cvar_name(name)) {
      throw refusal(fmt::format("\"{}\" is neither a setting of the server that is known here nor "
                                "one of the chosen plugins: set it in server.cfg, and leave it out "
                                "of \"cfg\".",
                                setting.name),
                    setting);
    }
    check_value(setting);
    if (own != kServerCvars.end()) check_bounds(setting, *own);
  }
}

void fail_without_platform() {
  domain::Failure failure(domain::Error::bad_request);
  failure.cause = "AMX Mod X executes the settings: add it to the selection, or leave out \"cfg\".";
  failure.fields = {{"parameter", "cfg"}, {"reason", failure.cause}};
  throw failure;
}

std::string settings_cfg(const std::vector<CvarSetting>& settings) {
  std::string text =
      "// The settings that were chosen for this server, executed last when a map begins.\n"
      "// Updates write this file anew. Put others into server.cfg.\n";
  for (const CvarSetting& each : settings) {
    text.append(each.name).append(" \"").append(each.value).append("\"\n");
  }
  return text;
}

domain::PluginVersion settings_plugin() {
  return domain::own_plugin(std::string(kSettingsSource), std::string(kSource));
}

}  // namespace goldsmith::creator
