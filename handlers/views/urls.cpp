#include "handlers/views/urls.hpp"

#include "app/base/text.hpp"

namespace goldsmith::handlers::views {

namespace {

std::string with_query(std::string url, std::string_view query) {
  if (!query.empty()) url.append("?").append(query);
  return url;
}

}  // namespace

using base::percent_encode;

std::string plugin_path(std::string_view slug) { return "/plugins/" + percent_encode(slug); }

std::string addon_path(std::string_view slug) { return "/addons/" + percent_encode(slug); }

std::string download_path(std::string_view slug, std::string_view version, std::string_view kind) {
  return "/v1" + plugin_path(slug) + "/download/" + percent_encode(version) +
         "?kind=" + percent_encode(kind);
}

std::string Urls::component(std::string_view slug) const {
  return base_ + "/v1/server-builder/components/" + percent_encode(slug);
}

std::string Urls::server_page(std::string_view query) const {
  return with_query(site_ + "/server", query);
}

std::string Urls::server_download(std::string_view query) const {
  return with_query(base_ + "/v1/server-builder/download", query);
}

std::string Urls::server_document(std::string_view name, std::string_view query) const {
  return with_query(server_page() + "/" + std::string(name), query);
}

}  // namespace goldsmith::handlers::views
