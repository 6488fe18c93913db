// What all web pages have in common: names from the configuration, templates, layout, headers.
#pragma once

#include <string>
#include <string_view>

#include "app/http/response.hpp"
#include "app/json/value.hpp"
#include "app/sys/config.hpp"
#include "handlers/pages/assets.hpp"
#include "handlers/pages/templates.hpp"

namespace goldsmith::handlers::pages {

// The head of a page.
struct Head {
  std::string title;              // without the site's name
  std::string description = {};   // for previews of links; "" = the tagline
  std::string path = {};          // for the canonical address, with its query; "" = none
  std::string section = {};       // of the navigation: "plugins"
  std::string feed = {};          // path of an Atom feed about the page
  std::string script = {};        // name of a module
  json::Value json_ld = nullptr;  // schema.org
};

class Site {
 public:
  // Throws sys::FileError if the logo can't be read.
  explicit Site(const sys::Config& config);

  bool enabled() const { return config_.enabled; }
  const sys::SiteConfig& config() const { return config_; }
  const Assets& assets() const { return assets_; }
  // The address of a page; `path` begins with a slash.
  std::string absolute(std::string_view path) const { return site_url_ + std::string(path); }
  const std::string& api_url() const { return api_url_; }
  // A program for servers in the terms of schema.org, for Head::json_ld.
  json::Object software_schema(std::string_view name, std::string_view path) const;

  // 200 with the template inside the layout.
  http::Response page(std::string_view name, const Head& head, json::Object model) const;
  // 404, always the same.
  http::Response not_found() const;
  // An error as a page: a title and a sentence.
  http::Response error(int status, std::string_view title, std::string_view text) const;
  // 200 with the template alone, as a feed or a text.
  http::Response document(std::string_view name, std::string_view content_type,
                          json::Object model) const;

 private:
  json::Object common() const;
  // A template with the common values and those of `model`, which win.
  std::string render(std::string_view name, json::Object model) const;
  std::string preview_image() const;
  std::string in_layout(std::string_view name, const Head& head, json::Object model) const;

  sys::SiteConfig config_;
  std::string site_url_;
  std::string api_url_;
  Templates templates_;
  Assets assets_;
};

}  // namespace goldsmith::handlers::pages
