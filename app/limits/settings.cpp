// The settings of gate.hpp: which there are, and their bounds.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/limits/gate.hpp"

namespace goldsmith::limits {

namespace {

constexpr auto kInfos = std::to_array<SettingInfo>({
    {"api_enabled", "answer requests at all (off: 503 api_disabled)", &Settings::api_enabled},
    {"keyless_access", "serve callers without a key", &Settings::keyless_access},
    {"anonymous_per_minute", "requests a minute of one address without a key", nullptr,
     &Settings::anonymous_per_minute},
    {"anonymous_per_day", "requests a day of one address without a key", nullptr,
     &Settings::anonymous_per_day},
    {"compiles_per_hour", "compiled downloads an hour of one address without a key", nullptr,
     &Settings::compiles_per_hour},
    {"builds_per_hour", "server archives built an hour for one address without a key", nullptr,
     &Settings::builds_per_hour},
    {"compile_flood_per_minute", "compiler starts a minute, everyone together", nullptr,
     &Settings::compile_flood_per_minute},
    {"build_flood_per_minute", "server archives built a minute, everyone together", nullptr,
     &Settings::build_flood_per_minute},
});

const SettingInfo* find(std::string_view name) {
  const auto* info = std::find_if(kInfos.begin(), kInfos.end(),
                                  [&](const SettingInfo& each) { return each.name == name; });
  return info == kInfos.end() ? nullptr : info;
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  const auto value = base::parse_number<std::int64_t>(text);
  return value && *value >= 0 && *value <= kLargestSetting ? value : std::nullopt;
}

std::string known_names() {
  return base::join(kInfos, ", ", [](const SettingInfo& info) { return info.name; });
}

}  // namespace

std::span<const SettingInfo> setting_infos() { return kInfos; }

std::string normalise_setting(std::string_view name, std::string_view value) {
  const SettingInfo* info = find(name);
  if (!info) {
    throw SettingError(fmt::format("unknown setting \"{}\"; known are {}", name, known_names()));
  }
  if (info->flag) {
    if (const auto parsed = base::parse_switch(value)) return *parsed ? "on" : "off";
    throw SettingError(fmt::format("{}: \"{}\" is neither on nor off", name, value));
  }
  if (const auto parsed = parse_number(value)) return std::to_string(*parsed);
  throw SettingError(
      fmt::format("{}: \"{}\" is not a whole number from 0 to {}", name, value, kLargestSetting));
}

Settings make_settings(const std::map<std::string, std::string>& stored) {
  Settings settings;
  for (const auto& [name, value] : stored) {
    const SettingInfo* info = find(name);
    if (!info) continue;
    if (info->flag) {
      settings.*(info->flag) = base::parse_switch(value).value_or(settings.*(info->flag));
    } else {
      settings.*(info->number) = parse_number(value).value_or(settings.*(info->number));
    }
  }
  return settings;
}

std::string setting_text(const Settings& settings, const SettingInfo& info) {
  if (info.flag) return settings.*(info.flag) ? "on" : "off";
  return std::to_string(settings.*(info.number));
}

}  // namespace goldsmith::limits
