#include "app/creator/settings_text.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/secret_names.hpp"

namespace goldsmith::creator {
namespace {

struct SettingLine {
  std::string_view name;  // "" = the line has none
  std::string_view value;
};

SettingLine setting_in(std::string_view line) {
  line = base::trim_ascii(line);
  if (line.starts_with("//")) return {};
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  std::string_view value = base::trim_ascii(line.substr(end));
  if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
    value = value.substr(1, value.size() - 2);
  }
  return {line.substr(0, end), value};
}

}  // namespace

std::vector<CvarSetting> parse_settings(std::string_view text) {
  std::map<std::string, CvarSetting> settings;  // by name in lower case
  for (const std::string_view line : base::split(text, '\n')) {
    const auto [name, value] = setting_in(line);
    if (name.empty()) continue;
    settings[base::to_lower_ascii(name)] = {std::string(name), std::string(value)};
  }
  std::vector<CvarSetting> sorted;
  for (auto& [name, setting] : settings) sorted.push_back(std::move(setting));
  return sorted;
}

std::string settings_text(const std::vector<CvarSetting>& settings) {
  return base::join(settings, "\n",
                    [](const CvarSetting& each) { return each.name + " " + each.value; });
}

// Nothing in quotation marks ends a line or begins a comment but these.
bool is_cvar_value(std::string_view value) {
  return !value.empty() && value.size() <= kMaxValueBytes &&
         std::ranges::none_of(value, [](char byte) {
           return byte == '"' || static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
         });
}

bool is_cvar_name(std::string_view name) {
  return std::ranges::all_of(name, [](char byte) {
    return domain::is_alphanumeric(byte) || byte == '_' || byte == '-' || byte == '.';
  });
}

std::string sound_settings(std::string_view text) {
  constexpr std::size_t kMostRead = 16U << 10;
  text = text.substr(0, kMostRead);
  std::string settings;
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto [name, value] = setting_in(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_setting = !name.empty() && is_cvar_name(name) && is_cvar_value(value);
    if (!is_setting || domain::names_secret(name)) continue;
    if (!settings.empty()) settings += '\n';
    settings.append(name).append(" ").append(value);
    ++count;
    bytes += name.size() + value.size();
  }
  return count > kMaxSettings || bytes > kMaxSettingBytes ? "" : settings;
}

}  // namespace goldsmith::creator
