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

}  // namespace

FUZZ_TARGET(console, "app/start/console.cpp") {
  const start::Console console = start::read_console(input);
  check_rows(console.metamod);
  check_rows(console.modules);
  check_rows(console.plugins);
  check_text(console.engine);
  check_text(console.game);
  require(console.problems.size() <= 200, "the problems are bounded");
  for (const start::Problem& problem : console.problems) {
    check_text(problem.plugin);
    check_text(problem.text);
  }
}
