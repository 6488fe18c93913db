#include "app/scan/question.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace goldsmith::scan {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 11> kTopics{"content", "directory", "file",    "include",
                                                   "license", "name",      "private", "same name",
                                                   "stock",   "version",   "author"};
constexpr std::array<std::string_view, 6> kChoices{"plugin", "publish", "replace",
                                                   "skip",   "version", "without"};

}  // namespace

std::string_view to_string(Topic topic) { return kTopics.at(static_cast<std::size_t>(topic)); }

std::span<const std::string_view> topic_names() { return kTopics; }

std::optional<Topic> parse_topic(std::string_view text) {
  const auto found = std::ranges::find_if(kTopics, [&](std::string_view name) {
    return text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ' ');
  });
  if (found == kTopics.end()) return std::nullopt;
  return static_cast<Topic>(found - kTopics.begin());
}

std::string_view to_string(Choice choice) { return kChoices.at(static_cast<std::size_t>(choice)); }

std::string Question::key() const {
  std::string key(to_string(topic));
  return about.empty() ? key : key + ' ' + about;
}

Question choice_between(Topic topic, std::string text, Choice proposed,
                        const std::vector<Choice>& choices) {
  Question question{topic, "", std::move(text), std::string(to_string(proposed)), {}};
  for (const Choice choice : choices) question.choices.emplace_back(to_string(choice));
  return question;
}

AskedQuestion ask(Question question, const Answers& answers, AskedQuestions& asked) {
  std::optional<std::string> answer = answers ? answers(question) : std::nullopt;
  return asked.emplace_back(AskedQuestion{std::move(question), std::move(answer)});
}

}  // namespace goldsmith::scan
