#include <ostream>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/limits/gate.hpp"

namespace goldsmith::cli::commands::setting {
namespace {

std::string bounds_of(const limits::SettingInfo& info) {
  return info.flag ? "on or off" : "0 to " + std::to_string(limits::kLargestSetting);
}

void run_list(const Arguments& arguments, Context& context) {
  const limits::Settings current = limits::make_settings(context.settings().load());
  using Info = limits::SettingInfo;
  const auto value = [&](const Info& info) { return limits::setting_text(current, info); };
  const Listing<Info> listing({{"NAME", "name", &Info::name},
                               {"VALUE", "value", value},
                               {.header = "ALLOWED", .value = bounds_of},
                               {"MEANING", "meaning", &Info::meaning}});
  listing.print(limits::setting_infos(), arguments, context);
}

void run_set(const Arguments& arguments, Context& context) {
  const std::string name = arguments.text("NAME");
  std::string value;
  try {
    value = limits::normalise_setting(name, arguments.text("VALUE"));
  } catch (const limits::SettingError& error) {
    throw UsageError(error.what());
  }
  context.settings().set(name, value);
  context.out() << name << " is " << value << '\n';
}

Verb list_verb() {
  return {
      .name = "list",
      .summary = "Lists all settings with their values.",
      .text = "Lists all settings with their current values, the allowed values and their meaning.",
      .options = {json_option()},
      .examples = {"goldsmith setting list"},
      .run = run_list,
  };
}

Verb set_verb() {
  return {
      .name = "set",
      .summary = "Changes a setting.",
      .text =
          "Changes a setting. The value of a switch is on or off (also true, false, yes, no, 1, "
          "0); \"goldsmith setting list\" shows the names and bounds.",
      .positionals = {{.name = "NAME"}, {.name = "VALUE"}},
      .examples = {"goldsmith setting set keyless_access off",
                   "goldsmith setting set builds_per_hour 20"},
      .run = run_set,
      .changes = true,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "setting",
      .summary = "Switches and limits that change while the service runs.",
      .text =
          "Shows and changes what can change while the service runs. A change takes effect with "
          "the next request.",
      .verbs = {list_verb(), set_verb()},
  };
}

}  // namespace goldsmith::cli::commands::setting
