// The module of the page /log: what a log tells, as goldsmith-keeper explain says it (decision
// S34).
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/owner/explanation.hpp"
#include "app/page_module.hpp"

namespace goldsmith::page {
namespace {

std::optional<owner::Explanation> explanation;
std::optional<owner::KnownNames> known;
std::vector<owner::FoundCause> found;

}  // namespace

// A new log.
GOLDSMITH_EXPORT("begin") void begin() { explanation.emplace(); }

// Its next piece. Precondition: begin() was called.
GOLDSMITH_EXPORT("add") void add(const char* bytes, std::size_t size) {
  explanation->add({bytes, size});
}

// After the last piece: 1 if the list of known names says more of the log, and know() was not
// called.
GOLDSMITH_EXPORT("finish") int finish() {
  found = explanation->finish();
  return !known && owner::has_names(found, *explanation) ? 1 : 0;
}

// The list, which it keeps. 0 if it is no such list.
GOLDSMITH_EXPORT("know") int know(const char* text, std::size_t size) {
  known = owner::KnownNames::parse(std::string(text, size));
  return known ? 1 : 0;
}

// After finish(). The number of its lines; behind it a line for each cause, the gravest first: its
// id, the number of the first line that tells it, how many do, and that line, with tabs in between;
// and below it a line for each fact, behind a tab.
GOLDSMITH_EXPORT("report") const char* report() {
  if (known) owner::add_facts(found, *explanation, *known);
  std::string text = std::to_string(explanation->lines());
  for (const owner::FoundCause& each : found) {
    text.append("\n").append(each.cause->id);
    text.append("\t").append(std::to_string(each.first));
    text.append("\t").append(std::to_string(each.lines)).append("\t").append(each.text);
    for (const base::Message& fact : each.facts) text.append("\n\t").append(fact.in(translated));
  }
  explanation.reset();
  found.clear();
  return answer(std::move(text));
}

}  // namespace goldsmith::page
