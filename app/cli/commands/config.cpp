// What the configuration is, and which file says so (decision O15).
#include <ostream>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/table.hpp"
#include "app/sys/config_options.hpp"

namespace goldsmith::cli {
namespace {

struct Place {
  std::string set_in;                   // "" = nowhere: the default
  std::vector<std::string> overridden;  // earlier places, in order
};

Place place_of(const sys::LoadedConfig& loaded, const std::string& name) {
  const auto found = loaded.places.find(name);
  if (found == loaded.places.end()) return {};
  const std::vector<std::string>& places = found->second;
  return {places.back(), {places.begin(), places.end() - 1}};
}

std::string value_of(const sys::ConfigOption& option, const sys::Config& config) {
  return option.secret ? "(not shown)" : option.show(config);
}

std::string describe(const Place& place) {
  std::string text = place.set_in.empty() ? "the default" : place.set_in;
  for (const std::string& each : place.overridden) text += ", not " + each;
  return text;
}

void run_list(const Arguments& arguments, Context& context) {
  const sys::LoadedConfig& loaded = context.loaded_config();
  json::Array listing;
  Table table({"NAME", "VALUE", "SET IN"});
  for (const sys::ConfigOption& option : sys::config_options()) {
    const Place place = place_of(loaded, option.name);
    if (place.set_in.empty() && !arguments.has("all")) continue;
    const std::string value = value_of(option, loaded.config);
    listing.emplace_back(json::Object{
        {"name", option.name},
        {"value", value},
        {"set_in", place.set_in},
        {"overridden", json::Array(place.overridden.begin(), place.overridden.end())}});
    table.add({option.name, value, describe(place)});
  }
  if (arguments.has("json")) return context.print(listing);
  table.print(context.out());
}

void run_get(const Arguments& arguments, Context& context) {
  const std::string name = arguments.text("NAME");
  const sys::ConfigOption* option = sys::find_config_option(name);
  if (option == nullptr) {
    throw UsageError("there is no option \"" + name + "\"; goldsmith config list --all lists them");
  }
  if (option->secret) throw UsageError(name + " is not shown");
  context.out() << option->show(context.config()) << '\n';
}

Verb list_verb() {
  return {
      .name = "list",
      .summary = "Lists the options that are set, and where.",
      .text =
          "Lists the options that a file, the environment or the command line sets, with their "
          "values and the place that applies. Places after \"not\" also set the option, and are "
          "overridden. The files are read in this order: goldsmith.conf, conf.d/*.conf in the "
          "order of their names, operator.conf.",
      .options = {{.name = "all", .help = "Lists the options at their defaults, too."},
                  json_option()},
      .examples = {"goldsmith config list", "goldsmith config list --all --json"},
      .run = run_list,
  };
}

Verb get_verb() {
  return {
      .name = "get",
      .summary = "Shows the value of an option.",
      .text = "Shows the value of an option that applies: its default if nothing sets it.",
      .positionals = {{.name = "NAME"}},
      .examples = {"goldsmith config get base_url"},
      .run = run_get,
  };
}

}  // namespace

Noun config_noun() {
  return {
      .name = "config",
      .summary = "What the configuration is, and which file says so.",
      .text =
          "Shows the configuration as this command reads it. Edit the files to change it; see "
          "goldsmith.conf(5).",
      .verbs = {list_verb(), get_verb()},
  };
}

}  // namespace goldsmith::cli
