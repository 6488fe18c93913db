// What a scan asks a person about a plugin, and what holds until there is an answer.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::scan {

enum class Topic {
  content,
  directory,
  file,
  include,
  license,
  name,
  secrets,
  same_name,
  stock,
  version,
  author
};
// As files and options have it: "same name".
std::string_view to_string(Topic topic);
std::span<const std::string_view> topic_names();
// Of a topic with what it is about: "include x.inc".
std::optional<Topic> parse_topic(std::string_view text);

// Answers that are no text of their own.
enum class Choice { plugin, publish, replace, skip, version, without };
std::string_view to_string(Choice choice);

struct Question {
  Topic topic = Topic::name;
  std::string about = {};  // which of several of that topic, such as a file; "" = there is one
  std::string text = {};   // a sentence
  std::string proposed;    // what holds until there is an answer
  std::vector<std::string> choices = {};  // the possible answers; empty = any text
  bool is_shared = false;  // one answer is for all plugins with that topic and proposal

  // With what it is about, by which it is known: each is asked once for a plugin.
  std::string key() const;
};
// One with these answers alone.
Question choice_between(Topic topic, std::string text, Choice proposed,
                        const std::vector<Choice>& choices);

// What an operator answered; std::nullopt = nothing, or nothing that is possible.
using Answers = std::function<std::optional<std::string>(const Question& question)>;

struct AskedQuestion {
  Question question;
  std::optional<std::string> answer;

  std::string value() const { return answer.value_or(question.proposed); }
  // Whether somebody has answered just that.
  bool is(Choice choice) const { return answer && *answer == to_string(choice); }
};
using AskedQuestions = std::vector<AskedQuestion>;

// Asks, and returns what holds.
AskedQuestion ask(Question question, const Answers& answers, AskedQuestions& asked);

}  // namespace goldsmith::scan
