#include "app/cli/help.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <stdexcept>

#include "app/base/text.hpp"
#include "app/cli/command.hpp"

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
          indent + base::display_width(line) + 1 + base::display_width(word) > kWidth) {
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
  if (base::display_width(name) + 4 > column) return "  " + name + '\n' + body;
  return "  " + name + body.substr(base::display_width(name) + 2);
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

// Placeholders of one verb, such as SLUG; set in italics wherever its text names them.
using Placeholders = std::set<std::string, std::less<>>;

bool is_plain_word(std::string_view word) {
  return !word.starts_with('-') && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '\'' || c == ',' ||
           c == '.' || c == ';' || c == ':';
  });
}

std::string bold(std::string_view text) { return "\\fB" + escape_roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escape_roff(text) + "\\fR"; }

// A word of running text: options in bold, placeholders in italics, punctuation outside.
std::string set_word(std::string_view word, const Placeholders& placeholders) {
  const std::size_t first = word.find_first_not_of("(\"");
  if (first == std::string_view::npos) return escape_roff(word);
  const std::size_t last = word.find_last_not_of(").,;:\"");
  const std::string_view core = word.substr(first, last - first + 1);
  const bool is_option = core.starts_with("--");
  if (!is_option && !placeholders.contains(core)) return escape_roff(word);
  return escape_roff(word.substr(0, first)) + (is_option ? bold(core) : italic(core)) +
         escape_roff(word.substr(last + 1));
}

// Paragraphs, the first without a macro in front of it. A sentence a line, as man pages are kept.
std::string set_text(const std::string& text, const Placeholders& placeholders) {
  std::string set;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      set += ".PP\n";
      continue;
    }
    std::istringstream words(line);
    std::string sentence;
    for (std::string word; words >> word;) {
      sentence += (sentence.empty() ? "" : " ") + set_word(word, placeholders);
      if (!word.ends_with('.')) continue;
      set += sentence + '\n';
      sentence.clear();
    }
    if (!sentence.empty()) set += sentence + '\n';
  }
  return set;
}

std::string title_of(const Option& option) {
  std::string title = bold("--" + option.name);
  if (!option.value_name.empty()) title += ' ' + italic(option.value_name);
  return title + (option.repeated ? "..." : "");
}

std::string usage_of(const Noun& noun, const Verb& verb) {
  std::string line = bold("goldsmith " + noun.name + (is_command(noun) ? "" : ' ' + verb.name));
  for (const Positional& positional : verb.positionals) {
    const std::string name = italic(positional.name) + (positional.repeated ? "..." : "");
    line += positional.required ? ' ' + name : " [" + name + ']';
  }
  for (const Option& option : verb.options) {
    line += option.required ? ' ' + title_of(option) : " [" + title_of(option) + ']';
  }
  return line;
}

std::string options_of(std::span<const Option> options, const Placeholders& placeholders) {
  std::string set;
  for (const Option& option : options) {
    set += ".TP\n" + title_of(option) + '\n' + set_text(option.help, placeholders);
  }
  return set;
}

Placeholders placeholders_of(const Verb& verb) {
  Placeholders names;
  for (const Positional& positional : verb.positionals) names.insert(positional.name);
  for (const Option& option : verb.options) names.insert(option.value_name);
  return names;
}

std::string commands_section() {
  std::string set;
  for (const Noun& noun : nouns()) {
    set += ".SS goldsmith " + escape_roff(noun.name) + '\n' + set_text(noun.text, {});
    for (const Verb& verb : noun.verbs) {
      const Placeholders placeholders = placeholders_of(verb);
      set += ".PP\n" + usage_of(noun, verb) + "\n.RS 4\n.PP\n" + set_text(verb.text, placeholders) +
             options_of(verb.options, placeholders) + ".RE\n";
    }
  }
  return set;
}

void replace_line(std::string& page, const std::string& line, const std::string& text) {
  const std::size_t at = page.find('\n' + line + '\n');
  if (at == std::string::npos) throw std::runtime_error("the page has no line " + line);
  page.replace(at + 1, line.size() + 1, text);
}

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

std::string fill_man_page(std::string page) {
  replace_line(page, "@OPTIONS@", options_of(global_options(), {"FILE"}));
  replace_line(page, "@COMMANDS@", commands_section());
  return page;
}

std::string escape_roff(std::string_view text) {
  constexpr std::string_view kEllipsis = "…";
  std::string escaped;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (!escaped.empty()) escaped += ' ';
    const bool is_plain = is_plain_word(word);
    if (escaped.empty() && (word.front() == '.' || word.front() == '\'')) escaped += "\\&";
    for (std::size_t i = 0; i < word.size(); ++i) {
      const char c = word[i];
      if (c == '\\') {
        escaped += "\\e";
      } else if (c == '-' && !is_plain) {
        escaped += "\\-";
      } else if (c == '~') {
        escaped += "\\(ti";
      } else if (c == '"') {
        escaped += "\\(dq";
      } else if (std::string_view(word).substr(i).starts_with(kEllipsis)) {
        escaped += "...";
        i += kEllipsis.size() - 1;
      } else {
        escaped += c;
      }
    }
  }
  return escaped;
}

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
