// What the configuration is, and which file says so (decision O15).
#include <ostream>

#include "app/base/config.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"

namespace goldsmith::cli::commands::config {
namespace {

struct SetOption {
  std::string name;
  std::string value;
  std::string set_in;                   // "" = nowhere: the default
  std::vector<std::string> overridden;  // earlier places, in order
};

std::string value_of(const base::ConfigOption& option, const base::Config& config) {
  return option.secret ? "(not shown)" : option.show(config);
}

SetOption set_option(const base::ConfigOption& option, const base::LoadedConfig& loaded) {
  SetOption set{option.name, value_of(option, loaded.config), "", {}};
  const auto found = loaded.places.find(option.name);
  if (found == loaded.places.end()) return set;
  set.overridden = found->second;
  set.set_in = set.overridden.back();
  set.overridden.pop_back();
  return set;
}

std::string describe_place(const SetOption& option) {
  std::string text = option.set_in.empty() ? "the default" : option.set_in;
  for (const std::string& each : option.overridden) text += ", not " + each;
  return text;
}

Listing<SetOption> listing() {
  return {{{"NAME", "name", &SetOption::name},
           {"VALUE", "value", &SetOption::value},
           {.header = "SET IN", .value = describe_place},
           {.field = "set_in", .value = &SetOption::set_in},
           {.field = "overridden", .value = &SetOption::overridden}}};
}

void run_list(const Arguments& arguments, Context& context) {
  const base::LoadedConfig& loaded = context.loaded_config();
  std::vector<SetOption> options;
  for (const base::ConfigOption& option : base::config_options()) {
    SetOption set = set_option(option, loaded);
    if (!set.set_in.empty() || arguments.has("all")) options.push_back(std::move(set));
  }
  listing().print(options, arguments, context);
}

void run_get(const Arguments& arguments, Context& context) {
  const std::string name = arguments.text("NAME");
  const base::ConfigOption* option = base::find_config_option(name);
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

Noun noun() {
  return {
      .name = "config",
      .summary = "What the configuration is, and which file says so.",
      .text =
          "Shows the configuration as this command reads it. Edit the files to change it; see "
          "goldsmith.conf(5).",
      .verbs = {list_verb(), get_verb()},
  };
}

}  // namespace goldsmith::cli::commands::config
