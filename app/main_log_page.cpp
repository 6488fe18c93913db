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

}  // namespace

// A new log.
GOLDSMITH_EXPORT("begin") void begin() { explanation.emplace(); }

// Its next piece. Precondition: begin() was called.
GOLDSMITH_EXPORT("add") void add(const char* bytes, std::size_t size) {
  explanation->add({bytes, size});
}

// The number of its lines; behind it a line for each cause, the gravest first: its id, the number
// of the first line that tells it, how many do, and that line, with tabs in between.
GOLDSMITH_EXPORT("finish") const char* finish() {
  const std::vector<owner::FoundCause> causes = explanation->finish();
  std::string text = std::to_string(explanation->lines());
  for (const owner::FoundCause& each : causes) {
    text.append("\n").append(each.cause->id);
    text.append("\t").append(std::to_string(each.first));
    text.append("\t").append(std::to_string(each.lines)).append("\t").append(each.text);
  }
  explanation.reset();
  return answer(std::move(text));
}

}  // namespace goldsmith::page
