#include "db/plugin_about.hpp"

#include <utility>
#include <vector>

#include "app/domain/secret_names.hpp"
#include "app/json/value.hpp"
#include "db/typed_rows.hpp"

namespace goldsmith::db {
namespace {

json::Object to_json(const domain::PluginLink& link) {
  return {{"title", link.title}, {"url", link.url}};
}

json::Object to_json(const domain::PluginCvar& cvar) {
  return {{"default", cvar.standard}, {"help", cvar.help}, {"name", cvar.name}};
}

json::Object to_json(const domain::PluginCommand& command) {
  return {{"flags", command.flags}, {"help", command.help}, {"name", command.name}};
}

template <typename Values>
void add(json::Object& object, std::string_view name, const Values& values) {
  if (values.empty()) return;
  json::Array array;
  for (const auto& value : values) array.emplace_back(to_json(value));
  object.emplace(name, std::move(array));
}

std::string text_of(const json::Object& object, std::string_view name) {
  const auto member = object.find(name);
  const std::string* text = member == object.end() ? nullptr : member->second.as_string();
  return text == nullptr ? std::string() : *text;
}

template <typename Read>
auto read_all(const json::Object& object, std::string_view name, Read read) {
  std::vector<decltype(read(object))> values;
  const auto member = object.find(name);
  const json::Array* array = member == object.end() ? nullptr : member->second.as_array();
  if (array == nullptr) return values;
  for (const json::Value& element : *array) {
    if (const json::Object* value = element.as_object()) values.push_back(read(*value));
  }
  return values;
}

domain::PluginLink read_link(const json::Object& object) {
  return {text_of(object, "title"), text_of(object, "url")};
}

// Version 1.0.0 stored the defaults of passwords, too.
domain::PluginCvar read_cvar(const json::Object& object) {
  std::string name = text_of(object, "name");
  const bool is_hidden = domain::names_secret(name);
  return {std::move(name), is_hidden ? "" : text_of(object, "default"), text_of(object, "help")};
}

domain::PluginCommand read_command(const json::Object& object) {
  return {text_of(object, "name"), text_of(object, "flags"), text_of(object, "help")};
}

json::Value parse(std::string_view text) {
  try {
    return json::parse(text);
  } catch (const json::ParseError&) {
    refuse_text(text.substr(0, 80), "text about a plugin");
  }
}

}  // namespace

std::string write_about(const domain::PluginAbout& about) {
  json::Object object;
  if (!about.description.empty()) object.emplace("description", about.description);
  add(object, "links", about.links);
  add(object, "cvars", about.cvars);
  add(object, "commands", about.commands);
  return object.empty() ? std::string() : json::to_string(std::move(object));
}

domain::PluginAbout read_about(std::string_view text) {
  const json::Value value = parse(text);
  const json::Object* object = value.as_object();
  if (object == nullptr) return {};
  return {text_of(*object, "description"), read_all(*object, "links", read_link),
          read_all(*object, "cvars", read_cvar), read_all(*object, "commands", read_command)};
}

}  // namespace goldsmith::db
