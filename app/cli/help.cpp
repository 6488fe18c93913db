#include "app/cli/help.hpp"

#include <algorithm>
#include <sstream>

#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::size_t kWidth = 78;

// Wraps paragraphs at kWidth, each line after `indent` spaces.
std::string fill(const std::string& text, std::size_t indent) {
  std::string filled;
  std::istringstream paragraphs(text);
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::istringstream words(paragraph);
    std::string line;
    for (std::string word; words >> word;) {
      if (!line.empty() &&
          indent + sys::display_width(line) + 1 + sys::display_width(word) > kWidth) {
        filled += std::string(indent, ' ') + line + '\n';
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    filled += line.empty() ? "\n" : std::string(indent, ' ') + line + '\n';
  }
  return filled;
}

// "  name   text", the text wrapped in its own column.
std::string entry(const std::string& name, const std::string& text, std::size_t column) {
  const std::string body = fill(text, column);
  if (sys::display_width(name) + 4 > column) return "  " + name + '\n' + body;
  return "  " + name + body.substr(sys::display_width(name) + 2);
}

template <typename Named>
std::string entries(const std::vector<Named>& items) {
  std::size_t column = 0;
  for (const Named& item : items) column = std::max(column, item.name.size() + 4);
  std::string text;
  for (const Named& item : items) text += entry(item.name, item.summary, column);
  return text;
}

std::string option_title(const Option& option) {
  return "--" + option.name + (option.value_name.empty() ? "" : " " + option.value_name) +
         (option.repeated ? "…" : "");
}

std::string option_entries(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options) text += entry(option_title(option), option.help, 24);
  return text;
}

}  // namespace

std::span<const Option> global_options() {
  static const std::vector<Option> options = {
      {.name = "config",
       .value_name = "FILE",
       .help =
           "Reads the configuration from FILE instead of /etc/goldsmith/goldsmith.conf. The files "
           "conf.d/*.conf in the same folder and then operator.conf, which holds the database "
           "user of the operator, are read after it and override it."},
      {.name = "NAME=VALUE",
       .help = "Sets one value of the configuration for this call, for example --depot=/srv/depot. "
               "goldsmith-worker --help lists the names."},
      {.name = "help", .help = "Shows help, as -h does; with a command, the help of that command."},
      {.name = "version", .help = "Shows the version of goldsmith; comes before any command."},
  };
  return options;
}

std::string usage(const Noun& noun, const Verb& verb) {
  std::string line = "goldsmith " + noun.name;
  if (!is_command(noun)) line += ' ' + verb.name;
  for (const Positional& positional : verb.positionals) {
    const std::string name = positional.name + (positional.repeated ? "…" : "");
    line += positional.required ? ' ' + name : " [" + name + ']';
  }
  for (const Option& option : verb.options) {
    line += option.required ? ' ' + option_title(option) : " [" + option_title(option) + ']';
  }
  return line;
}

std::string help() {
  const std::vector<Noun> all(nouns().begin(), nouns().end());
  return "Usage: goldsmith NOUN VERB [ARGUMENT…]\n\n" +
         fill(
             "Runs the plugin directory and the server creator of a goldsmith host: what is "
             "imported, mirrored and published here is what the API serves.",
             0) +
         "\nNouns:\n" + entries(all) + "\nA new host:\n" +
         entry("setup", "Creates database, configuration and web site; goldsmith setup --help.",
               9) +
         "\nOptions, anywhere on the line:\n" + option_entries(global_options()) +
         "\nExamples:\n"
         "  goldsmith db migrate\n"
         "  goldsmith plugin import plugins/*/\n"
         "  goldsmith component list --json\n"
         "  goldsmith component mirror --help\n\n" +
         fill(
             "The exit code is 0 on success, 1 on failure and 2 if the command line is invalid. "
             "Errors are lines on standard error that begin with \"goldsmith: \".",
             0);
}

std::string help(const Noun& noun) {
  std::string text = "Usage: goldsmith " + noun.name + " VERB [ARGUMENT…]\n\n" +
                     fill(noun.text, 0) + "\nVerbs:\n" + entries(noun.verbs) + '\n';
  for (const Verb& verb : noun.verbs) text += "  " + usage(noun, verb) + '\n';
  return text + "\nSee \"goldsmith " + noun.name + " VERB --help\" for a verb.\n";
}

std::string help(const Noun& noun, const Verb& verb) {
  std::string text = "Usage: " + usage(noun, verb) + "\n\n" + fill(verb.text, 0);
  if (!verb.options.empty()) text += "\nOptions:\n" + option_entries(verb.options);
  if (!verb.examples.empty()) text += "\nExamples:\n";
  for (const std::string& example : verb.examples) text += "  " + example + '\n';
  return text + "\nSee \"goldsmith --help\" for the options that every command takes.\n";
}

}  // namespace goldsmith::cli
