#include "app/cli/reference.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <stdexcept>

#include "app/cli/command.hpp"
#include "app/cli/help.hpp"

namespace goldsmith::cli {
namespace {

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

}  // namespace

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

}  // namespace goldsmith::cli
