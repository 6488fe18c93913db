// For whom a page is written, and its texts in their language (language.hpp).
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "handlers/pages/language.hpp"

namespace goldsmith::handlers::pages {

namespace {

thread_local Reader current;

bool put_value(Values values, std::string_view name, std::string& result) {
  const auto* const value = std::ranges::find(values, name, &Value::name);
  if (value == values.end()) return false;
  result.append(value->text);
  return true;
}

}  // namespace

ReaderScope::ReaderScope(const Reader& reader) : before_(std::exchange(current, reader)) {}
ReaderScope::~ReaderScope() { current = before_; }

const Reader& reader() { return current; }

std::string filled(std::string_view text, Values values) {
  return base::filled(text, [&](std::string_view name, std::string& result) {
    return put_value(values, name, result);
  });
}

std::string tr(std::string_view text, Values values) { return tr_context("", text, values); }

std::string tr(const base::Message& message) {
  return message.in([](std::string_view text) { return tr(text); });
}

json::Array tr(const std::vector<base::Message>& messages) {
  return json::array_of(messages, [](const base::Message& message) { return tr(message); });
}

std::string tr_context(std::string_view context, std::string_view text, Values values) {
  return filled(current.language->find(context, text).value_or(text), values);
}

std::string tr_plural(std::string_view one, std::string_view many, std::int64_t number,
                      Values values) {
  const std::string_view text =
      current.language->find_plural(one, number).value_or(number == 1 ? one : many);
  return base::filled(text, [&](std::string_view name, std::string& result) {
    if (name != "n") return put_value(values, name, result);
    result += current.language->number(number);
    return true;
  });
}

}  // namespace goldsmith::handlers::pages
