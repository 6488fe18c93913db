#include "app/access/settings.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "app/sys/text.hpp"

namespace goldsmith::access {
namespace {

constexpr std::int64_t kMaxRequests = 10'000'000;  // what a window's counter can hold

struct Entry {
  SettingInfo info;
  bool Settings::* flag = nullptr;
  std::int64_t Settings::* number = nullptr;
};

constexpr Entry flag(std::string_view name, bool Settings::* field, std::string_view meaning) {
  return {{name, meaning, true, 0, 1}, field, nullptr};
}

constexpr Entry number(std::string_view name, std::int64_t Settings::* field,
                       std::string_view meaning) {
  return {{name, meaning, false, 0, kMaxRequests}, nullptr, field};
}

constexpr std::array kEntries = {
    flag("api_enabled", &Settings::api_enabled, "answer requests at all (off: 503 api_disabled)"),
    flag("keyless_access", &Settings::keyless_access, "serve callers without a key"),
    number("anonymous_per_minute", &Settings::anonymous_per_minute,
           "requests a minute of one address without a key"),
    number("anonymous_per_day", &Settings::anonymous_per_day,
           "requests a day of one address without a key"),
    number("compiles_per_hour", &Settings::compiles_per_hour,
           "compiled downloads an hour of one address without a key"),
    number("builds_per_hour", &Settings::builds_per_hour,
           "server archives built an hour for one address without a key"),
    number("compile_flood_per_minute", &Settings::compile_flood_per_minute,
           "compiler starts a minute, everyone together"),
    number("build_flood_per_minute", &Settings::build_flood_per_minute,
           "server archives built a minute, everyone together"),
};

const Entry* find(std::string_view name) {
  const auto* entry = std::find_if(kEntries.begin(), kEntries.end(),
                                   [&](const Entry& item) { return item.info.name == name; });
  return entry == kEntries.end() ? nullptr : entry;
}

std::optional<std::int64_t> parse_number(std::string_view text, const SettingInfo& info) {
  const auto value = sys::parse_number<std::int64_t>(text);
  return value && *value >= info.min && *value <= info.max ? value : std::nullopt;
}

std::string known_names() {
  return sys::join(kEntries, ", ", [](const Entry& entry) { return entry.info.name; });
}

}  // namespace

std::span<const SettingInfo> setting_infos() {
  static const auto infos = [] {
    std::array<SettingInfo, kEntries.size()> result;
    std::transform(kEntries.begin(), kEntries.end(), result.begin(),
                   [](const Entry& entry) { return entry.info; });
    return result;
  }();
  return infos;
}

std::string normalise_setting(std::string_view name, std::string_view value) {
  const Entry* entry = find(name);
  if (!entry) {
    throw SettingError("unknown setting \"" + std::string(name) + "\"; known are " + known_names());
  }
  if (entry->flag) {
    if (const auto parsed = sys::parse_switch(value)) return *parsed ? "on" : "off";
    throw SettingError(std::string(name) + ": \"" + std::string(value) +
                       "\" is neither on nor off");
  }
  if (const auto parsed = parse_number(value, entry->info)) return std::to_string(*parsed);
  throw SettingError(std::string(name) + ": \"" + std::string(value) +
                     "\" is not a whole number from " + std::to_string(entry->info.min) + " to " +
                     std::to_string(entry->info.max));
}

Settings make_settings(const std::map<std::string, std::string>& stored) {
  Settings settings;
  for (const auto& [name, value] : stored) {
    const Entry* entry = find(name);
    if (!entry) continue;
    if (entry->flag) {
      settings.*(entry->flag) = sys::parse_switch(value).value_or(settings.*(entry->flag));
    } else {
      settings.*(entry->number) =
          parse_number(value, entry->info).value_or(settings.*(entry->number));
    }
  }
  return settings;
}

std::string setting_text(const Settings& settings, std::string_view name) {
  const Entry* entry = find(name);
  if (!entry) throw SettingError("unknown setting \"" + std::string(name) + "\"");
  if (entry->flag) return settings.*(entry->flag) ? "on" : "off";
  return std::to_string(settings.*(entry->number));
}

}  // namespace goldsmith::access
