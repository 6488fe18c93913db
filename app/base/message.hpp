// Sentences for people, which can be told in other languages.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace goldsmith::base {

// Marks a text of which a Message is made elsewhere; the name is that of gettext's own programs.
// NOLINTNEXTLINE(readability-identifier-naming)
constexpr std::string_view N_(std::string_view text) { return text; }

// `text` with the values of its placeholders, `{name}`. `put` appends the value of a name to the
// result, or returns false: that placeholder stays as it is. What a value has is no placeholder.
std::string filled(std::string_view text,
                   const std::function<bool(std::string_view name, std::string& result)>& put);

// An English text with named placeholders, `{name}`, and their values. The text is the key of its
// translations: scripts/tools/translations finds it where it is written as `Message("…", …)`.
class Message {
 public:
  struct Value;
  // Gives an English text in another language, with its placeholders.
  using Translate = std::function<std::string(std::string_view text)>;

  Message();
  // Also what others wrote, such as a note of a component: it is translated if a catalog has it.
  explicit Message(std::string text);
  // A placeholder without a value stays as it is; a value may be a Message.
  Message(std::string_view text, std::vector<Value> values);

  bool empty() const { return text_.empty(); }
  std::string english() const;
  // Of values that are Messages the translation, too.
  std::string in(const Translate& translate) const;

 private:
  std::string text_;
  std::vector<Value> values_;
};

struct Message::Value {
  // A name, a number: the same in each language.
  Value(std::string_view key, std::string value) : name(key), text(std::move(value)) {}
  Value(std::string_view key, Message value) : name(key), message(std::move(value)) {}

  std::string_view name;  // outlives the message: a literal
  std::string text = {};
  Message message = {};  // in place of `text` unless it is empty
};

// As in English.
bool operator==(const Message& message, std::string_view english);
std::ostream& operator<<(std::ostream& out, const Message& message);

std::vector<std::string> english(const std::vector<Message>& messages);

// The first `most` of them, and how many others there are: "a, b and 3 more".
Message some_of(const std::vector<std::string>& names, std::size_t most,
                std::string_view separator = ", ");

}  // namespace goldsmith::base
