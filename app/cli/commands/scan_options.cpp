#include "app/cli/commands/scan_options.hpp"

#include "app/base/text.hpp"

namespace goldsmith::cli {

Option answer_option() {
  return {.name = "answer",
          .value_name = "TOPIC=ANSWER",
          .help = "Answers all open questions of a topic, as in \"goldsmith plugin scan\".",
          .repeated = true};
}

Option jobs_option() {
  return {
      .name = "jobs", .value_name = "N", .help = "How many compiles run at once (2 by default)."};
}

std::size_t jobs_of(const Arguments& arguments) {
  constexpr std::int64_t kMostJobs = 64;
  return static_cast<std::size_t>(arguments.integer("jobs", 1, kMostJobs, 2));
}

json::Object results_of(const scan::ScannedPlugin& plugin) {
  json::Object results;
  for (const auto& [line, result] : plugin.results) results.emplace(line, scan::text_of(result));
  return results;
}

json::Array questions_of(const scan::ScannedPlugin& plugin) {
  return json::array_of(plugin.open_questions(),
                        [](const scan::Question* question) { return question->text; });
}

std::vector<std::pair<std::string, std::string>> answers_of(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> answers;
  for (const std::string& each : arguments.list("answer")) {
    const std::size_t equals = each.find('=');
    const std::string topic = each.substr(0, equals);
    if (equals == each.npos || equals + 1 == each.size()) {
      throw UsageError("--answer: \"" + each + "\" is not TOPIC=ANSWER");
    }
    if (!scan::parse_topic(topic)) {
      throw UsageError("--answer: \"" + topic +
                       "\" is no topic: " + base::join(scan::topic_names(), ", "));
    }
    answers.emplace_back(topic, each.substr(equals + 1));
  }
  return answers;
}

}  // namespace goldsmith::cli
