#include "app/scan/question.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace goldsmith::scan {
namespace {

constexpr std::array kTopics{Topic::content, Topic::directory, Topic::file,    Topic::include,
                             Topic::license, Topic::name,      Topic::secrets, Topic::same_name,
                             Topic::stock,   Topic::version,   Topic::author};

}  // namespace

std::string_view to_string(Topic topic) {
  switch (topic) {
    case Topic::content:
      return "content";
    case Topic::directory:
      return "directory";
    case Topic::file:
      return "file";
    case Topic::include:
      return "include";
    case Topic::license:
      return "license";
    case Topic::name:
      return "name";
    case Topic::secrets:
      return "private";
    case Topic::same_name:
      return "same name";
    case Topic::stock:
      return "stock";
    case Topic::version:
      return "version";
    case Topic::author:
      return "author";
  }
  return "";
}

std::span<const Topic> all_topics() { return kTopics; }

std::optional<Topic> parse_topic(std::string_view text) {
  const auto found = std::ranges::find_if(kTopics, [&](Topic topic) {
    const std::string_view name = to_string(topic);
    return text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ' ');
  });
  return found == kTopics.end() ? std::nullopt : std::optional(*found);
}

std::string_view to_string(Choice choice) {
  switch (choice) {
    case Choice::plugin:
      return "plugin";
    case Choice::publish:
      return "publish";
    case Choice::replace:
      return "replace";
    case Choice::skip:
      return "skip";
    case Choice::version:
      return "version";
    case Choice::without:
      return "without";
  }
  return "";
}

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
