#include "app/base/message.hpp"

#include <algorithm>
#include <ostream>
#include <ranges>
#include <utility>

#include "app/base/text.hpp"

namespace goldsmith::base {

std::string filled(std::string_view text,
                   const std::function<bool(std::string_view name, std::string& result)>& put) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find('{');
    const std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos) return result.append(text);
    result.append(text.substr(0, begin));
    if (put(text.substr(begin + 1, end - begin - 1), result)) {
      text.remove_prefix(end + 1);
    } else {
      result += '{';
      text.remove_prefix(begin + 1);
    }
  }
}

Message::Message() = default;

Message::Message(std::string text) : text_(std::move(text)) {}

Message::Message(std::string_view text, std::vector<Value> values)
    : text_(text), values_(std::move(values)) {}

std::string Message::in(const Translate& translate) const {
  return filled(translate(text_), [&](std::string_view name, std::string& told) {
    const auto value = std::ranges::find(values_, name, &Value::name);
    if (value == values_.end()) return false;
    told += value->message.empty() ? value->text : value->message.in(translate);
    return true;
  });
}

std::string Message::english() const {
  return in([](std::string_view text) { return std::string(text); });
}

bool operator==(const Message& message, std::string_view english) {
  return message.english() == english;
}

std::ostream& operator<<(std::ostream& out, const Message& message) {
  return out << message.english();
}

std::vector<std::string> english(const std::vector<Message>& messages) {
  std::vector<std::string> texts;
  for (const Message& message : messages) texts.push_back(message.english());
  return texts;
}

Message some_of(const std::vector<std::string>& names, std::size_t most,
                std::string_view separator) {
  std::string first = join(names | std::views::take(most), separator);
  if (names.size() <= most) return Message("{names}", {{"names", std::move(first)}});
  return Message("{names} and {n} more",
                 {{"names", std::move(first)}, {"n", std::to_string(names.size() - most)}});
}

}  // namespace goldsmith::base
