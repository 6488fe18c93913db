// What a game server prints, with the programs of strangers in it.
#include "app/start/console.hpp"

#include "app/base/text.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

constexpr std::string_view kPlayer = "svc_play";

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

// What a console prints that answers each question with `text`, in which the word of the players
// stands for "svc_play".
std::string answered(const start::Questions& questions, std::string_view text) {
  const std::string commands = questions.commands("map");
  std::string output;
  if (const std::size_t at = commands.find(kPlayer); at != std::string::npos) {
    const std::size_t begin = at + kPlayer.size() + 1;
    const std::string word = commands.substr(begin, commands.find_first_of(" \n", begin) - begin);
    for (std::string_view line : base::split(text, '\n')) {
      if (line.starts_with(kPlayer)) {
        output += word;
        line.remove_prefix(kPlayer.size());
      }
      output.append(line) += '\n';
    }
  }
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

void check_event(const std::string& event) {
  require(event.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos, "a word");
  require(event != "end", "the end is none");
}

void check_console(const start::Questions& questions, std::string_view input) {
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
    check_event(problem.event);
  }
  check_event(console.event);
  require(console.facts.size() <= start::kMostFacts, "the facts are bounded");
  for (const std::vector<std::string>& fact : console.facts) {
    require(!fact.empty() && fact.size() <= 6, "so is each");
    for (const std::string& text : fact) check_text(text);
  }
  require(questions.plays() || console.facts.empty(), "nobody has told any");
  require(questions.plays() || (console.event.empty() && !console.is_played), "nobody has played");
}

}  // namespace

FUZZ_TARGET(console, "app/start/console.cpp") {
  using enum start::Questions::Play;
  // The same words for all inputs: an input that was found is found again, and drawing them took
  // half of the time.
  static const start::Questions kinds[] = {start::Questions(nothing), start::Questions(life),
                                           start::Questions(facts), start::Questions(costs)};
  for (const start::Questions& questions : kinds) check_console(questions, input);
}
