#include "handlers/pages/site.hpp"

#include <utility>

#include "handlers/pages/format.hpp"

namespace goldsmith::handlers::pages {
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

http::Response html(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.set_header("Content-Type", "text/html");  // the document names its encoding
  response.set_header("Cache-Control", "no-cache");
  response.body = std::move(body);
  response.is_taggable = true;
  return response;
}

json::Object footer_link(const sys::SiteConfig::Link& link) {
  return {{"text", link.text}, {"url", link.url}};
}

std::string contact_url(const std::string& contact) {
  if (contact.empty() || contact.starts_with("https://")) return contact;
  return "mailto:" + contact;
}

}  // namespace

Site::Site(const sys::Config& config)
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

http::Response Site::page(std::string_view name, const Head& head, json::Object model) const {
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

http::Response Site::not_found() const {
  if (!enabled()) return html(404, templates_.render("absent", {}));
  return html(404, in_layout("not_found", {.title = "Not found"}, {}));
}

http::Response Site::error(int status, std::string_view title, std::string_view text) const {
  return html(status, in_layout("error", {.title = std::string(title)},
                                {{"heading", title}, {"text", text}}));
}

http::Response Site::document(std::string_view name, std::string_view content_type,
                              json::Object model) const {
  http::Response response = html(200, legal_xml(render(name, std::move(model))));
  response.set_header("Content-Type", content_type);
  return response;
}

}  // namespace goldsmith::handlers::pages
