// Templates of the pages, in each language (site.hpp).
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <kainjow/mustache.hpp>

#include "app/base/lru_cache.hpp"
#include "handlers/pages/site.hpp"

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

// Stands for a space between two words of a template until it is rendered: the library makes three
// components of "two words", which take four times the memory and the time.
constexpr char kJoint = '\x1f';

std::string with_joined_words(std::string text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\t'; };
  bool in_tag = false;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    if (text[at] == '{' && text[at - 1] == '{') in_tag = true;
    if (text[at] == '}' && text[at - 1] == '}') in_tag = false;
    if (text[at] == ' ' && !in_tag && !is_space(text[at - 1]) && !is_space(text[at + 1])) {
      text[at] = kJoint;
    }
  }
  return text;
}

// Bytes that parsed templates of all languages but English have together, and what a byte of text
// takes of them.
constexpr std::size_t kTemplateMemory = 640U << 10;
constexpr std::size_t kParsedBytes = 13;

constexpr std::string_view kTextBegin = "[[";
constexpr std::string_view kTextEnd = "]]";

// Addresses that are the same in any language.
bool is_for_all_languages(std::string_view path) {
  for (const std::string_view start :
       {"/assets/", "/v1/", "/favicon", "/opensearch", "/toolchains/", "/docs/", "//"}) {
    if (path.starts_with(start)) return true;
  }
  return path.find("lang=") != std::string_view::npos;
}

}  // namespace

// A template in one language.
struct Templates::Parsed {
  explicit Parsed(std::string_view name, std::string content)
      : text(with_joined_words(std::move(content))), parsed(text) {
    if (!parsed.is_valid()) {
      throw std::logic_error("template " + std::string(name) + ": " + parsed.error_message());
    }
  }

  std::string text;  // for templates that have it as a partial
  // The library's render() changes the object.
  mutable mustache::mustache parsed;
};

struct Templates::All {
  // In English, and of each whether it has texts at all.
  struct Original {
    std::string_view content;
    bool has_texts = false;
    std::shared_ptr<const Parsed> english;
  };
  std::map<std::string, Original, std::less<>> by_name;
  // In the other languages, by tag and name: those that are used.
  base::LruCache<std::shared_ptr<const Parsed>> others;
};

std::string translated(std::string_view text, const TranslateInContext& translate) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find(kTextBegin);
    const std::size_t end = text.find(kTextEnd, begin);
    if (end == std::string_view::npos) return result.append(text);
    std::string_view message = text.substr(begin + 2, end - begin - 2);
    std::string_view context;
    if (const std::size_t bar = message.find('|'); bar != std::string_view::npos) {
      context = message.substr(0, bar);
      message.remove_prefix(bar + 1);
    }
    result.append(text.substr(0, begin));
    result.append(translate(context, message));
    text.remove_prefix(end + kTextEnd.size());
  }
}

std::string translated(std::string_view text, const Language& language) {
  return translated(text, [&](std::string_view context, std::string_view message) {
    return std::string(language.find(context, message).value_or(message));
  });
}

Templates::Templates() : all_(std::make_unique<All>()) {
  for (const EmbeddedFile& file : embedded_templates()) {
    const std::string name(file.name.substr(0, file.name.rfind('.')));
    all_->by_name.emplace(
        name, All::Original{
                  file.content, file.content.find(kTextBegin) != std::string_view::npos,
                  std::make_shared<const Parsed>(file.name, translated(file.content, english()))});
  }
}

Templates::~Templates() = default;

std::shared_ptr<const Templates::Parsed> Templates::find(std::string_view name) const {
  const auto found = all_->by_name.find(name);
  if (found == all_->by_name.end()) {
    throw std::logic_error("there is no template " + std::string(name));
  }
  const All::Original& original = found->second;
  const Language& language = *reader().language;
  if (language.is_english() || !original.has_texts) return original.english;
  const std::string key = language.tag() + " " + std::string(name);
  if (const auto* const kept = all_->others.find(key)) return *kept;
  auto parsed = std::make_shared<const Parsed>(name, translated(original.content, language));
  all_->others.put(key, parsed, parsed->text.size() * kParsedBytes, kTemplateMemory);
  return parsed;
}

std::string Templates::render(std::string_view name, const json::Object& model) const {
  mustache::data data = to_data(model);
  for (const auto& [partial, original] : all_->by_name) {
    data["@" + partial] =
        mustache::data(mustache::partial([this, &partial] { return find(partial)->text; }));
  }
  std::string text = find(name)->parsed.render(data);
  std::ranges::replace(text, kJoint, ' ');
  return text;
}

std::string in_language(std::string_view address, std::string_view separator,
                        const Language& language) {
  const std::size_t end = std::min(address.find('#'), address.size());
  std::string result(address.substr(0, end));
  result.append(result.find('?') == std::string::npos ? "?" : separator);
  return result.append("lang=").append(language.tag()).append(address.substr(end));
}

std::string with_language(const std::string& html, const Language& language) {
  constexpr std::string_view kLink = " href=\"/";
  constexpr std::string_view kForm = " action=\"/";
  std::string result;
  result.reserve(html.size() + html.size() / 8);
  std::string_view rest = html;
  while (true) {
    const std::size_t link = rest.find(kLink);
    const std::size_t form = rest.find(kForm);
    if (link == std::string_view::npos && form == std::string_view::npos) break;
    const bool is_form = form < link;
    const std::size_t begin = is_form ? rest.find('>', form) + 1 : link + kLink.size() - 1;
    result.append(rest.substr(0, begin));
    rest.remove_prefix(begin);
    if (is_form) {
      result.append("<input type=\"hidden\" name=\"lang\" value=\"").append(language.tag());
      result.append("\">");
      continue;
    }
    const std::string_view address = rest.substr(0, rest.find('"'));
    if (is_for_all_languages(address)) continue;
    result.append(in_language(address, "&amp;", language));
    rest.remove_prefix(address.size());
  }
  return result.append(rest);
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
