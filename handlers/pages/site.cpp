#include "handlers/pages/site.hpp"

#include <utility>

#include "app/base/digest.hpp"
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
