#include "app/cli/commands/scan_answers.hpp"

#include "app/base/text.hpp"
#include "app/cli/command.hpp"
#include "app/scan/question.hpp"

namespace goldsmith::cli {

std::vector<std::pair<std::string, std::string>> answers_for_all(
    const std::vector<std::string>& given) {
  std::vector<std::pair<std::string, std::string>> answers;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    const std::string topic = each.substr(0, equals);
    if (equals == each.npos || equals + 1 == each.size()) {
      throw UsageError("--answer: \"" + each + "\" is not TOPIC=ANSWER");
    }
    if (!scan::parse_topic(topic)) {
      throw UsageError("--answer: \"" + topic + "\" is no topic: " +
                       base::join(scan::all_topics(), ", ",
                                  [](scan::Topic known) { return std::string(to_string(known)); }));
    }
    answers.emplace_back(topic, each.substr(equals + 1));
  }
  return answers;
}

}  // namespace goldsmith::cli
