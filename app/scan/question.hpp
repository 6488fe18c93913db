// What a scan could not be sure of.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace goldsmith::scan {

struct Question {
  std::string topic;                 // what it is about; each is asked once for a plugin
  std::string text;                  // a sentence
  std::string proposed;              // what holds until there is an answer
  std::vector<std::string> choices;  // the possible answers; empty = any text
  bool is_shared = false;            // one answer is for all plugins with that topic and proposal
};

// What an operator answered; std::nullopt = nothing, or nothing that is possible.
using Answers = std::function<std::optional<std::string>(const Question& question)>;

struct AskedQuestion {
  Question question;
  std::optional<std::string> answer;

  std::string value() const { return answer.value_or(question.proposed); }
};
using AskedQuestions = std::vector<AskedQuestion>;

// Asks, and returns what holds.
inline std::string ask(Question question, const Answers& answers, AskedQuestions& asked) {
  std::optional<std::string> answer = answers ? answers(question) : std::nullopt;
  asked.push_back({std::move(question), std::move(answer)});
  return asked.back().value();
}

}  // namespace goldsmith::scan
