#include "handlers/pages/site.hpp"

#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include <kainjow/mustache.hpp>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "handlers/pages/format.hpp"

namespace goldsmith::handlers::pages {

namespace {

constexpr std::size_t kVersionLength = 12;

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".css")) return "text/css";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  if (name.ends_with(".png")) return "image/png";
  if (name.ends_with(".webp")) return "image/webp";
  return "text/plain; charset=utf-8";
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
  std::string image;
  if (!logo.empty()) image = base::read_file(logo);
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
  return response;
}

json::Object footer_link(const base::SiteConfig::Link& link) {
  return {{"text", link.text}, {"url", link.url}};
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
      assets_(config.site.logo) {}

json::Object Site::common() const {
  return {{"site_name", config_.name},
          {"tagline", config_.tagline},
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

std::string Site::in_layout(std::string_view name, const Head& head, json::Object model) const {
  json::Object layout = common();
  layout["content"] = render(name, std::move(model));
  layout["title"] = head.title;
  layout["is_home"] = head.title.empty();
  layout["description"] = summary(head.description.empty() ? config_.tagline : head.description);
  layout["canonical"] = head.path.empty() ? std::string() : absolute(head.path);
  layout["preview_image"] = preview_image();
  layout["feed"] = head.feed;
  layout["script"] = head.script;
  if (!head.json_ld.is_null()) layout["json_ld"] = json_for_script(head.json_ld);
  if (!head.section.empty()) layout["in_" + head.section] = true;
  return templates_.render("layout", layout);
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
  if (!enabled()) return html(404, templates_.render("absent", {}));
  return html(404, in_layout("not_found", {.title = "Not found"}, {}));
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
