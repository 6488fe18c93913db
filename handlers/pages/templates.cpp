#include "handlers/pages/templates.hpp"

#include <functional>
#include <kainjow/mustache.hpp>
#include <map>
#include <stdexcept>

#include "handlers/pages/embedded_files.hpp"

namespace goldsmith::handlers::pages {
namespace {

namespace mustache = kainjow::mustache;

mustache::data to_data(const json::Value& value);

mustache::data to_data(const json::Object& object) {
  mustache::data data{mustache::data::type::object};
  for (const auto& [name, value] : object) data[name] = to_data(value);
  return data;
}

mustache::data to_data(const json::Array& array) {
  mustache::data data{mustache::data::type::list};
  for (const json::Value& value : array) data.push_back(to_data(value));
  return data;
}

mustache::data to_data(const json::Value& value) {
  if (const json::Object* object = value.as_object()) return to_data(*object);
  if (const json::Array* array = value.as_array()) return to_data(*array);
  if (const std::string* text = value.as_string()) {
    return text->empty() ? mustache::data(false) : mustache::data(*text);
  }
  if (const bool* flag = value.as_bool()) return {*flag};
  if (value.is_null()) return {false};
  return {json::to_string(value)};
}

std::string_view entity_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return "&apos;";
  }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

struct Templates::Parsed {
  // The library's render() changes the object.
  std::map<std::string, mustache::mustache, std::less<>> by_name;
};

Templates::Templates() : parsed_(std::make_unique<Parsed>()) {
  for (const EmbeddedFile& file : embedded_templates()) {
    mustache::mustache parsed{std::string(file.content)};
    if (!parsed.is_valid()) {
      throw std::logic_error("template " + std::string(file.name) + ": " + parsed.error_message());
    }
    const std::string name(file.name.substr(0, file.name.rfind('.')));
    parsed_->by_name.emplace(name, std::move(parsed));
  }
}

Templates::~Templates() = default;

std::string Templates::render(std::string_view name, const json::Object& model) const {
  const auto found = parsed_->by_name.find(name);
  if (found == parsed_->by_name.end()) {
    throw std::logic_error("there is no template " + std::string(name));
  }
  mustache::data data = to_data(model);
  for (const EmbeddedFile& file : embedded_templates()) {
    data["@" + std::string(file.name.substr(0, file.name.rfind('.')))] =
        mustache::data(mustache::partial([&file] { return std::string(file.content); }));
  }
  return found->second.render(data);
}

void append_escaped(std::string& html, std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t at = text.find_first_of("&<>\"'"); at != std::string_view::npos;
       at = text.find_first_of("&<>\"'", begin)) {
    html.append(text.substr(begin, at - begin)).append(entity_of(text[at]));
    begin = at + 1;
  }
  html.append(text.substr(begin));
}

std::string json_for_script(const json::Value& value) {
  std::string text = json::to_string(value);
  replace_all(text, "<", "\\u003c");
  replace_all(text, ">", "\\u003e");
  replace_all(text, "&", "\\u0026");
  return text;
}

}  // namespace goldsmith::handlers::pages
