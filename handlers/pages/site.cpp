#include "handlers/pages/site.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <kainjow/mustache.hpp>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/lru_cache.hpp"
#include "handlers/pages/format.hpp"

namespace goldsmith::handlers::pages {

namespace {

constexpr std::size_t kVersionLength = 12;

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".css")) return "text/css";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  if (name.ends_with(".png")) return "image/png";
  if (name.ends_with(".wasm")) return "application/wasm";
  if (name.ends_with(".webp")) return "image/webp";
  return "text/plain; charset=utf-8";
}

// "" = none.
std::string read_logo(const std::filesystem::path& logo) try {
  return logo.empty() ? "" : base::read_file(logo);
} catch (const base::FileError& error) {
  throw base::ConfigError(std::string("site.logo: ") + error.what() +
                          "; the workers must be able to read it, or it must be empty");
}

}  // namespace

std::string_view embedded_script(std::string_view name) {
  for (const EmbeddedFile& file : embedded_scripts()) {
    if (file.name == name) return file.content;
  }
  throw std::logic_error("there is no script " + std::string(name));
}

Assets::Assets(const std::filesystem::path& logo) {
  std::string all;
  for (const EmbeddedFile& file : embedded_assets()) all.append(file.content);
  const std::string image = read_logo(logo);
  version_ = base::sha256_hex(all + image).substr(0, kVersionLength);
  for (const EmbeddedFile& file : embedded_assets()) add(file.name, file.content);
  logo_ = "favicon.svg";
  if (!logo.empty()) {
    logo_ = "logo" + logo.extension().string();
    add(logo_, image);
  }
}

void Assets::add(std::string_view name, std::string_view content) {
  web::Response response;
  response.set_header("Content-Type", type_of(name));
  response.body = content;
  response.is_taggable = true;
  files_.emplace(name, std::move(response));
}

std::optional<web::Response> Assets::find(std::string_view version, std::string_view name) const {
  const auto found = files_.find(name);
  if (found == files_.end()) return std::nullopt;
  web::Response response = found->second;
  response.set_header("Cache-Control",
                      version == version_ ? "public, max-age=31536000, immutable" : "no-cache");
  return response;
}

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

namespace {

// Bytes that parsed templates of all languages but English have together, and what a byte of text
// takes of them.
constexpr std::size_t kTemplateMemory = 640U << 10;
constexpr std::size_t kParsedBytes = 13;

constexpr std::string_view kTextBegin = "[[";
constexpr std::string_view kTextEnd = "]]";

}  // namespace

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

namespace {

// Addresses that are the same in any language.
bool is_for_all_languages(std::string_view path) {
  for (const std::string_view start :
       {"/assets/", "/v1/", "/favicon", "/opensearch", "/toolchains/", "/docs/", "//"}) {
    if (path.starts_with(start)) return true;
  }
  return path.find("lang=") != std::string_view::npos;
}

// `separator`: of parameters.
std::string in_language(std::string_view address, std::string_view separator,
                        const Language& language) {
  const std::size_t end = std::min(address.find('#'), address.size());
  std::string result(address.substr(0, end));
  result.append(result.find('?') == std::string::npos ? "?" : separator);
  return result.append("lang=").append(language.tag()).append(address.substr(end));
}

}  // namespace

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

namespace {

// Without what XML 1.0 does not allow, not even escaped.
std::string legal_xml(std::string text) {
  std::erase_if(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
  for (const std::string_view each : {"\uFFFE", "\uFFFF"}) {
    for (std::size_t at = text.find(each); at != std::string::npos; at = text.find(each, at)) {
      text.erase(at, each.size());
    }
  }
  return text;
}

web::Response html(int status, std::string body) {
  web::Response response;
  response.status = status;
  response.set_header("Content-Type", "text/html");  // the document names its encoding
  response.set_header("Cache-Control", "no-cache");
  response.body = std::move(body);
  response.is_taggable = true;
  response.varies_by_language = !reader().is_chosen;
  return response;
}

// The language of the configuration, which knows only the catalogs of this program.
const Language& language_of(const base::SiteConfig& config) {
  const Language* const found = find_language(config.language);
  return found == nullptr ? english() : *found;
}

json::Object footer_link(const base::SiteConfig::Link& link) {
  return {{"text", link.text}, {"url", link.url}};
}

// The one that comes with the program has translations.
std::string tagline_of(const base::SiteConfig& config) {
  static_cast<void>(N_("plugins and servers for Counter-Strike 1.6"));
  return tr(config.tagline);
}

std::string contact_url(const std::string& contact) {
  if (contact.empty() || contact.starts_with("https://")) return contact;
  return "mailto:" + contact;
}

}  // namespace

Site::Site(const base::Config& config)
    : config_(config.site),
      site_url_(config.site_url),
      api_url_(config.base_url),
      language_(&language_of(config.site)),
      assets_(config.site.enabled ? config.site.logo : std::filesystem::path()) {}

json::Object Site::common() const {
  return {{"site_name", config_.name},
          {"tagline", tagline_of(config_)},
          {"lang", reader().language->tag()},
          {"language_query", language_query()},
          {"contact_url", contact_url(config_.contact)},
          {"footer_links", json::array_of(config_.footer_links, footer_link)},
          {"assets", assets_.folder()},
          {"logo", assets_.folder() + assets_.logo()},
          {"site_url", site_url_},
          {"api_url", api_url_}};
}

std::string Site::render(std::string_view name, json::Object model) const {
  json::Object others = common();
  model.merge(others);
  return templates_.render(name, model);
}

// The logo in previews of links; "" for SVG, which they do not show.
std::string Site::preview_image() const {
  return assets_.logo().ends_with(".svg") ? "" : absolute(assets_.folder() + assets_.logo());
}

std::string Site::link(std::string_view path) const {
  const Reader& who = reader();
  return absolute(who.is_chosen ? in_language(path, "&", *who.language) : std::string(path));
}

std::string Site::language_query() const {
  const Reader& who = reader();
  return who.is_chosen || who.language != language_ ? "?lang=" + who.language->tag() : "";
}

std::string Site::alternates(std::string_view path) const {
  const auto add = [&](std::string& html, std::string_view tag, std::string_view url) {
    html.append("<link rel=\"alternate\" hreflang=\"").append(tag).append("\" href=\"");
    append_escaped(html, url);
    html.append("\">\n");
  };
  std::string html;
  for (const Language& each : languages()) {
    add(html, each.tag(), absolute(in_language(path, "&", each)));
  }
  add(html, "x-default", absolute(path));
  return html;
}

std::string Site::language_list(std::string_view path) const {
  std::string html;
  for (const Language& each : languages()) {
    html.append("<li><a href=\"");
    append_escaped(html, in_language(path, "&", each));
    html.append("\" lang=\"").append(each.tag()).append("\" hreflang=\"").append(each.tag());
    html.append(&each == reader().language ? "\" aria-current=\"true\">" : "\">");
    html.append(each.name()).append("</a></li>\n");
  }
  return html;
}

const std::string& Site::script_texts(const std::string& script) const {
  const Language& language = *reader().language;
  const auto [found, is_new] = script_texts_.try_emplace(language.tag() + " " + script);
  if (!is_new || language.is_english()) return found->second;
  static const json::Value known = json::parse(embedded_script("script-texts.json"));
  json::Object texts;
  json::Object plurals;
  for (const std::string& name : {std::string("site.js"), script}) {
    const auto of_script = known.as_object()->find(name);
    if (of_script == known.as_object()->end()) continue;
    for (const json::Value& each : *of_script->second.as_object()->at("texts").as_array()) {
      if (const auto text = language.find("", *each.as_string())) {
        texts[*each.as_string()] = *text;
      }
    }
    for (const json::Value& each : *of_script->second.as_object()->at("plurals").as_array()) {
      json::Object forms = language.plural_forms(*each.as_string());
      if (!forms.empty()) plurals[*each.as_string()] = std::move(forms);
    }
  }
  found->second =
      json_for_script(json::Object{{"texts", std::move(texts)}, {"plurals", std::move(plurals)}});
  return found->second;
}

std::string Site::in_layout(std::string_view name, const Head& head, json::Object model) const {
  json::Object layout = common();
  std::string content = render(name, std::move(model));
  if (head.is_english && !reader().language->is_english()) {
    content = "<div lang=\"en\">" + content + "</div>";
  }
  layout["content"] = std::move(content);
  layout["title"] = head.title;
  layout["is_home"] = head.title.empty();
  layout["description"] =
      summary(head.description.empty() ? tagline_of(config_) : head.description);
  layout["canonical"] = head.path.empty() ? std::string() : link(head.path);
  layout["alternates"] = head.path.empty() ? std::string() : alternates(head.path);
  layout["languages"] = language_list(head.path.empty() ? "/" : head.path);
  layout["script_texts"] = script_texts(head.script);
  layout["preview_image"] = preview_image();
  layout["feed"] = head.feed;
  layout["script"] = head.script;
  if (!head.json_ld.is_null()) layout["json_ld"] = json_for_script(head.json_ld);
  if (!head.section.empty()) layout["in_" + head.section] = true;
  std::string page = templates_.render("layout", layout);
  return reader().is_chosen ? with_language(page, *reader().language) : page;
}

web::Response Site::page(std::string_view name, const Head& head, json::Object model) const {
  return html(200, in_layout(name, head, std::move(model)));
}

json::Object Site::software_schema(std::string_view name, std::string_view path) const {
  return {{"@context", "https://schema.org"},
          {"@type", "SoftwareApplication"},
          {"name", name},
          {"url", absolute(path)},
          {"applicationCategory", "GameApplication"},
          {"operatingSystem", "Linux"},
          {"isAccessibleForFree", true}};
}

web::Response Site::not_found() const {
  if (!enabled()) {
    return html(404, templates_.render("absent", {{"lang", reader().language->tag()}}));
  }
  return html(404, in_layout("not_found", {.title = tr("Not found")}, {}));
}

web::Response Site::error(int status, std::string_view title, std::string_view text) const {
  return html(status, in_layout("error", {.title = std::string(title)},
                                {{"heading", title}, {"text", text}}));
}

web::Response Site::document(std::string_view name, std::string_view content_type,
                             json::Object model) const {
  web::Response response = html(200, legal_xml(render(name, std::move(model))));
  response.set_header("Content-Type", content_type);
  return response;
}

}  // namespace goldsmith::handlers::pages
