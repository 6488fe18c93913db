#include "app/base/message.hpp"

#include <algorithm>
#include <ostream>
#include <ranges>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::base {

Message::Message() = default;

Message::Message(std::string text) : text_(std::move(text)) {}

Message::Message(std::string_view text, std::vector<Value> values)
    : text_(text), values_(std::move(values)) {}

std::string Message::in(const Translate& translate) const {
  const std::string text = translate(text_);
  std::string told;
  std::size_t end = 0;
  // Each placeholder once: what a value has is no placeholder.
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at + 1)) {
    const std::size_t close = text.find('}', at);
    if (close == std::string::npos) break;
    const std::string_view name = std::string_view(text).substr(at + 1, close - at - 1);
    const auto value = std::ranges::find(values_, name, &Value::name);
    if (value == values_.end()) continue;
    told.append(text, end, at - end);
    told += value->message.empty() ? value->text : value->message.in(translate);
    end = close + 1;
    at = close;
  }
  return told.append(text, end);
}

std::string Message::english() const {
  return in([](std::string_view text) { return std::string(text); });
}

bool operator==(const Message& message, std::string_view english) {
  return message.english() == english;
}

bool operator==(const Message& one, const Message& other) {
  return one.english() == other.english();
}

std::ostream& operator<<(std::ostream& out, const Message& message) {
  return out << message.english();
}

std::vector<std::string> english(const std::vector<Message>& messages) {
  std::vector<std::string> texts;
  for (const Message& message : messages) texts.push_back(message.english());
  return texts;
}

Message some_of(const std::vector<std::string>& names, std::size_t most) {
  std::string first = join(names | std::views::take(most), ", ");
  if (names.size() <= most) return Message("{names}", {{"names", std::move(first)}});
  return Message("{names} and {n} more",
                 {{"names", std::move(first)}, {"n", std::to_string(names.size() - most)}});
}

}  // namespace goldsmith::base
