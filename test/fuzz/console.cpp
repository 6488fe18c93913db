// What a game server prints, with the programs of strangers in it.
#include "app/start/console.hpp"

#include "app/base/text.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

void check_text(const std::string& text) {
  require(base::is_printable(text), "a line can show it");
  require(text.size() <= 320, "it is short");
}

void check_rows(const std::vector<start::Listed>& rows) {
  require(rows.size() <= 1000, "a list is bounded");
  for (const start::Listed& row : rows) {
    for (const std::string& text : {row.name, row.version, row.file, row.state}) check_text(text);
  }
}

// What a console prints that answers each question with `text`.
std::string answered(const start::Questions& questions, std::string_view text) {
  const std::string commands = questions.commands("map");
  std::string output;
  for (const std::string_view line : base::split(commands, '\n')) {
    if (!line.starts_with("echo ")) continue;
    const auto echoed = [&](std::string_view command) {
      std::string words(command.substr(std::string_view("echo ").size()));
      std::erase(words, '"');
      return words + '\n';
    };
    output += echoed(line.substr(0, line.find(';')));
    output.append(text) += '\n';
    output += echoed(line.substr(line.rfind(';') + 2));
  }
  return output;
}

}  // namespace

FUZZ_TARGET(console, "app/start/console.cpp") {
  const start::Questions questions;
  const start::Console console = start::read_console(answered(questions, input), questions);
  require(console.is_complete, "everything was answered");
  check_rows(console.metamod);
  check_rows(console.modules);
  check_rows(console.plugins);
  check_text(console.engine);
  check_text(console.game);
  require(console.problems.size() <= (start::kMostOfPlugin + 1) * 1000 + 3 * start::kMostOthers,
          "the problems are bounded");
  for (const start::Problem& problem : console.problems) {
    check_text(problem.plugin);
    check_text(problem.text);
  }
}
