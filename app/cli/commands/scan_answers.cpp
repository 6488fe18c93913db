#include "app/cli/commands/scan_answers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/base/text.hpp"
#include "app/cli/command.hpp"

namespace goldsmith::cli {

std::vector<std::pair<std::string, std::string>> answers_for_all(
    const std::vector<std::string>& given) {
  constexpr std::array<std::string_view, 9> kTopics{"directory", "file",  "include",
                                                    "license",   "name",  "private",
                                                    "same name", "stock", "version"};
  std::vector<std::pair<std::string, std::string>> answers;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    const std::string topic = each.substr(0, equals);
    if (equals == each.npos || equals + 1 == each.size()) {
      throw UsageError("--answer: \"" + each + "\" is not TOPIC=ANSWER");
    }
    const std::string_view first = std::string_view(topic).substr(0, topic.find(' '));
    if (std::find(kTopics.begin(), kTopics.end(), topic) == kTopics.end() &&
        std::find(kTopics.begin(), kTopics.end(), first) == kTopics.end()) {
      throw UsageError("--answer: \"" + topic + "\" is no topic: " + base::join(kTopics, ", "));
    }
    answers.emplace_back(topic, each.substr(equals + 1));
  }
  return answers;
}

}  // namespace goldsmith::cli
