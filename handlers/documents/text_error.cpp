// Errors for readers of text (documents.hpp).
#include <string>
#include <utility>

#include "app/base/json.hpp"
#include "app/domain/names.hpp"
#include "handlers/documents/documents.hpp"

namespace goldsmith::handlers::documents {

namespace {

std::string plain(const json::Value& value) {
  const std::string* text = value.as_string();
  if (text == nullptr) return json::to_string(value);
  // Bytes that are not UTF-8 are replaced, as in JSON.
  return domain::is_utf8(*text) ? *text : *json::parse(json::to_string(value)).as_string();
}

// "component reapi, requires rehlds, reason …"
std::string line_of(const json::Value& item) {
  const json::Object* object = item.as_object();
  if (object == nullptr) return plain(item);
  std::string line;
  for (const auto& [name, value] : *object) {
    if (value.as_array() != nullptr) continue;  // the reason says it
    const std::string text = plain(value);
    if (text.empty()) continue;
    line.append(line.empty() ? "" : ", ").append(name).append(" ").append(text);
  }
  return line;
}

void add_lines(const std::string& name, const json::Value& value, std::string& text) {
  const auto add = [&](const json::Value& item) {
    text.append(name).append(": ").append(line_of(item)).append("\n");
  };
  if (const json::Array* items = value.as_array()) {
    for (const json::Value& item : *items) add(item);
  } else {
    add(value);
  }
}

}  // namespace

web::Response text_error(web::Response error) {
  std::string text;
  add_lines("error", error.error.at("error"), text);
  for (const auto& [name, value] : error.error) {
    if (name != "error" && name != "status") add_lines(name, value, text);
  }
  error.body = std::move(text);
  error.set_header("Content-Type", "text/plain; charset=utf-8");
  return error;
}

}  // namespace goldsmith::handlers::documents
