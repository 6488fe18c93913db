#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>
#include <rapidjson/encodings.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "app/base/json.hpp"
#include "app/base/text.hpp"

namespace goldsmith::json {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
#ifndef __cpp_lib_to_chars
  // The library of WebAssembly has it for integers alone; a module has no other locale than "C".
  if constexpr (std::is_floating_point_v<Number>) {
    const double number = std::strtod(std::string(text).c_str(), nullptr);
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
  } else {
    return base::parse_number<Number>(text);
  }
#else
  Number number{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = code == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
#endif
}

// Builds a value from the parser's events with an explicit stack instead of recursion. A handler
// that returns false stops the parser; `error()` then has the reason.
class Builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
 public:
  bool Null() { return add(nullptr); }
  bool Bool(bool value) { return add(value); }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return check_text({text, length}) && add(std::string_view(text, length));
  }

  // Numbers are read as text, because the parser silently rounds integers beyond 64 bits to
  // doubles.
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    const std::string_view number(text, length);
    return number.find_first_of(".eE") == std::string_view::npos ? add_number<std::int64_t>(number)
                                                                 : add_number<double>(number);
  }

  bool StartObject() { return push({.members = Members(), .array = {}, .key = {}}); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool StartArray() { return push({}); }
  bool EndArray(rapidjson::SizeType) { return close(); }

  bool Key(const char* text, rapidjson::SizeType length, bool) {
    if (!check_text({text, length})) return false;
    Frame& frame = frames_.back();
    frame.key.assign(text, length);
    if (!frame.members->contains(frame.key)) return true;
    return fail("the key " + to_string(Value(frame.key)) + " is repeated");
  }

  const std::string& error() const { return error_; }
  Value take_root() { return std::move(root_); }

 private:
  // An object or array under construction. Moved into its parent when complete.
  // An Object would move all members behind each that comes out of order.
  using Members = std::map<std::string, Value, std::less<>>;
  struct Frame {
    std::optional<Members> members;
    Array array;
    std::string key;
  };

  bool fail(std::string reason) {
    error_ = std::move(reason);
    return false;
  }

  // The parser accepts an escaped lone low surrogate ("\udc00").
  bool check_text(std::string_view text) {
    for (std::size_t i = text.find('\xED'); i != std::string_view::npos;
         i = text.find('\xED', i + 1)) {
      if (static_cast<unsigned char>(text[i + 1]) >= 0xA0) return fail("a lone surrogate");
    }
    return true;
  }

  template <typename Number>
  bool add_number(std::string_view text) {
    const std::optional<Number> number = number_in<Number>(text);
    return number ? add(*number)
                  : fail(fmt::format("the number {} is out of range", text.substr(0, 40)));
  }

  bool add(Value value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Frame& frame = frames_.back();
    if (frame.members) {
      frame.members->emplace(std::move(frame.key), std::move(value));
    } else {
      frame.array.push_back(std::move(value));
    }
    return true;
  }

  bool push(Frame frame) {
    if (frames_.size() == kMaxDepth) {
      return fail(fmt::format("nested deeper than {} levels", kMaxDepth));
    }
    frames_.push_back(std::move(frame));
    return true;
  }

  bool close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (!frame.members) return add(std::move(frame.array));
    Object object;
    object.reserve(frame.members->size());
    while (!frame.members->empty()) {
      auto first = frame.members->extract(frame.members->begin());
      object.emplace_hint(object.end(), std::move(first.key()), std::move(first.mapped()));
    }
    return add(std::move(object));
  }

  std::vector<Frame> frames_;
  Value root_;
  std::string error_;
};

// Lines and columns count from 1, columns in code points.
std::string error_at(std::string_view text, std::size_t offset, const std::string& reason) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_feed = before.rfind('\n');
  const std::string_view in_line =
      line_feed == std::string_view::npos ? before : before.substr(line_feed + 1);
  const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), [](char byte) {
                        return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
                      });
  return fmt::format("line {}, column {}: {}", line, column, reason);
}

std::string lower_first(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

// Or what is wrong with it.
std::variant<Value, std::string> read(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  Builder builder;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (result.IsError()) {
    const bool refused = result.Code() == rapidjson::kParseErrorTermination;
    return error_at(
        text, std::min(result.Offset(), text.size()),
        refused ? builder.error() : lower_first(rapidjson::GetParseError_En(result.Code())));
  }
  // The parser stops at a NUL.
  if (stream.Tell() < text.size()) {
    return error_at(text, stream.Tell(), "unexpected text after the end of the document");
  }
  return builder.take_root();
}

}  // namespace

Value parse(std::string_view text) {
  std::variant<Value, std::string> result = read(text);
  if (const auto* const error = std::get_if<std::string>(&result)) throw ParseError(*error);
  return std::get<Value>(std::move(result));
}

std::optional<Value> parsed(std::string_view text) {
  std::variant<Value, std::string> result = read(text);
  auto* const value = std::get_if<Value>(&result);
  return value == nullptr ? std::nullopt : std::optional(std::move(*value));
}

}  // namespace goldsmith::json
