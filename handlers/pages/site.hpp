// The templates and the files of the web pages, which the build puts into the program
// (embed_files.py).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/base/config.hpp"
#include "app/base/json.hpp"
#include "app/web/response.hpp"
#include "handlers/pages/language.hpp"

namespace goldsmith::handlers::pages {

struct EmbeddedFile {
  std::string_view name;  // "style.css"
  std::string_view content;
};

std::span<const EmbeddedFile> embedded_templates();
std::span<const EmbeddedFile> embedded_assets();
// The catalogs of handlers/po/, compiled by msgfmt; the names are as in LINGUAS there: "pt_BR".
std::span<const EmbeddedFile> embedded_catalogs();
// Texts of licenses; the names are identifiers of SPDX, or those of Debian's common-licenses.
std::span<const EmbeddedFile> embedded_licenses();
// Parts of documents (handlers/documents).
std::span<const EmbeddedFile> embedded_scripts();
// One of them. Throws std::logic_error if the program has no such file.
std::string_view embedded_script(std::string_view name);

// The files that the pages load, by name: style sheet, scripts, icon and logo.
class Assets {
 public:
  // `logo`: an image of the operator's instead of the built-in one; "" = none. Throws
  // base::ConfigError if it can't be read.
  explicit Assets(const std::filesystem::path& logo);

  // Part of their addresses: it changes with any of them.
  const std::string& version() const { return version_; }
  // "/assets/VERSION/".
  std::string folder() const { return "/assets/" + version_ + "/"; }
  // Name of the logo's file.
  const std::string& logo() const { return logo_; }

  // A file as a response that clients keep for a year if the address has the current version, and
  // ask for each time otherwise; std::nullopt if there is no such file.
  std::optional<web::Response> find(std::string_view version, std::string_view name) const;

 private:
  void add(std::string_view name, std::string_view content);

  std::string version_;
  std::string logo_;
  std::map<std::string, web::Response, std::less<>> files_;
};

// Mustache templates. `{{name}}` is escaped for HTML and XML, quotes included; `{{{name}}}` is for
// what is markup already: rendered templates and json_for_script(). Texts stand between `[[` and
// `]]`, with a context before a bar if they have one, and are translated before a template is
// parsed: `<h2>[[Files]]</h2>`, `[[state|on]]`.
class Templates {
 public:
  // Parses the embedded templates. Throws std::logic_error, which names the template, if one is
  // not valid.
  Templates();
  ~Templates();
  Templates(const Templates&) = delete;
  Templates& operator=(const Templates&) = delete;

  // `name` without its extension. Every template is a partial too: `{{> @card}}`. In sections
  // null, false, "" and [] count as absent; numbers never do. Throws std::logic_error if there is
  // no such template. In the reader's language.
  std::string render(std::string_view name, const json::Object& model) const;

 private:
  struct Parsed;
  struct All;
  std::shared_ptr<const Parsed> find(std::string_view name) const;

  std::unique_ptr<All> all_;
};

// A template with what `translate` makes of its texts.
using TranslateInContext =
    std::function<std::string(std::string_view context, std::string_view text)>;
std::string translated(std::string_view text, const TranslateInContext& translate);
// The text of a template in a language.
std::string translated(std::string_view text, const Language& language);

// An address of a page in that language. `separator`: what stands between parameters.
std::string in_language(std::string_view address, std::string_view separator,
                        const Language& language);
// Markup whose links and forms that lead to other pages keep the language that the reader has
// chosen.
std::string with_language(const std::string& html, const Language& language);

// `text` with & < > " ' as entities, at the end of `html`.
void append_escaped(std::string& html, std::string_view text);

// JSON that may stand inside <script type="application/ld+json">: without `<`, `>` and `&`.
std::string json_for_script(const json::Value& value);

// What all web pages have in common: names from the configuration, templates, layout, headers.

// The head of a page.
struct Head {
  std::string title;              // without the site's name
  std::string description = {};   // for previews of links; "" = the tagline
  std::string path = {};          // for the canonical address, with its query; "" = none
  std::string section = {};       // of the navigation: "plugins"
  std::string feed = {};          // path of an Atom feed about the page
  std::string script = {};        // name of a module
  json::Value json_ld = nullptr;  // schema.org
  bool is_english = false;        // its content, in any language
};

class Site {
 public:
  // Throws base::ConfigError if the logo can't be read. Without pages it is not.
  explicit Site(const base::Config& config);

  bool enabled() const { return config_.enabled; }
  const base::SiteConfig& config() const { return config_; }
  const Assets& assets() const { return assets_; }
  // The address of a page; `path` begins with a slash.
  std::string absolute(std::string_view path) const { return site_url_ + std::string(path); }
  // The same in the language that the reader has chosen.
  std::string link(std::string_view path) const;
  // The language of who asks for none.
  const Language& language() const { return *language_; }
  // What the addresses of documents for the reader end with: "?lang=pl", or "" if that is the
  // language of the site.
  std::string language_query() const;
  const std::string& api_url() const { return api_url_; }
  // A program for servers in the terms of schema.org, for Head::json_ld.
  json::Object software_schema(std::string_view name, std::string_view path) const;

  // 200 with the template inside the layout.
  web::Response page(std::string_view name, const Head& head, json::Object model) const;
  // 404, always the same.
  web::Response not_found() const;
  // An error as a page: a title and a sentence.
  web::Response error(int status, std::string_view title, std::string_view text) const;
  // 200 with the template alone, as a feed or a text.
  web::Response document(std::string_view name, std::string_view content_type,
                         json::Object model) const;

 private:
  json::Object common() const;
  // A template with the common values and those of `model`, which win.
  std::string render(std::string_view name, json::Object model) const;
  std::string preview_image() const;
  // Links to a page in all languages: as elements of the head, and as a list to choose from.
  std::string alternates(std::string_view path) const;
  std::string language_list(std::string_view path) const;
  // The texts of a script in the reader's language, as JSON; "" in English.
  const std::string& script_texts(const std::string& script) const;
  std::string in_layout(std::string_view name, const Head& head, json::Object model) const;

  base::SiteConfig config_;
  std::string site_url_;
  std::string api_url_;
  const Language* language_;
  Templates templates_;
  Assets assets_;
  mutable std::map<std::string, std::string> script_texts_;
};

}  // namespace goldsmith::handlers::pages
