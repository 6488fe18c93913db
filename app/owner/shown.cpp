#include "app/owner/shown.hpp"

#include "app/base/text.hpp"

namespace goldsmith::owner {

std::string shown(std::string_view text, std::string_view kept) {
  std::string result = base::masked(text, kept);
  // Marks of direction: U+200E, U+200F, U+061C.
  for (const std::string_view mark : {"\xE2\x80\x8E", "\xE2\x80\x8F", "\xD8\x9C"}) {
    for (std::size_t at = result.find(mark); at != result.npos; at = result.find(mark, at)) {
      result.replace(at, mark.size(), "?");
    }
  }
  return result;
}

json::Value shown_values(const json::Value& value) {
  if (const std::string* const text = value.as_string()) return shown(*text);
  if (const json::Array* const array = value.as_array()) {
    return json::array_of(*array, [](const json::Value& each) { return shown_values(each); });
  }
  const json::Object* const object = value.as_object();
  if (object == nullptr) return value;
  json::Object result;
  for (const auto& [name, each] : *object) result[name] = shown_values(each);
  return result;
}

}  // namespace goldsmith::owner
