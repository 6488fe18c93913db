#include "app/cli/reference.hpp"

#include "app/cli/command.hpp"
#include "app/cli/help.hpp"

namespace goldsmith::cli {
namespace {

// Part of the Debian package, not of the tables; see app/main_cli.cpp.
constexpr const char* kSetup = "setup";

std::string entry(const std::string& line, const std::string& words) {
  return "  [\"" + line + "\"]=\"" + words + "\"\n";
}

void append(std::string& words, const std::string& word) {
  words += (words.empty() ? "" : " ") + word;
}

template <typename Named>
std::string names_of(const Named& items) {
  std::string names;
  for (const auto& item : items) append(names, item.name);
  return names;
}

std::string line_of(const Noun& noun) { return "goldsmith " + noun.name; }

std::string options_of(const Verb& verb) {
  std::string options;
  for (const Option& option : verb.options) append(options, "--" + option.name);
  append(options, "--help");
  append(options, "--config");
  return options;
}

}  // namespace

std::string completion_words() {
  // -g: bash-completion sources the file inside a function.
  std::string commands =
      "declare -gA _goldsmith_commands=(\n" + entry("goldsmith", names_of(nouns()) + ' ' + kSetup);
  std::string options =
      "declare -gA _goldsmith_options=(\n" + entry("goldsmith", "--help --config --version");
  for (const Noun& noun : nouns()) {
    if (is_command(noun)) {
      options += entry(line_of(noun), options_of(noun.verbs.front()));
      continue;
    }
    commands += entry(line_of(noun), names_of(noun.verbs));
    options += entry(line_of(noun), "--help --config");
    for (const Verb& verb : noun.verbs) {
      options += entry(line_of(noun) + ' ' + verb.name, options_of(verb));
    }
  }
  return commands + ")\n" + options + ")\n";
}

}  // namespace goldsmith::cli
