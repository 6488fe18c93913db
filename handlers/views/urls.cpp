#include "handlers/views/urls.hpp"

#include "app/sys/text.hpp"

namespace goldsmith::handlers::views {

using sys::percent_encode;

std::string Urls::plugin(std::string_view slug) const {
  return base_ + "/v1/plugins/" + percent_encode(slug);
}

std::string Urls::plugin_page(std::string_view slug) const {
  return site_ + "/plugins/" + percent_encode(slug);
}

std::string Urls::plugin_download(std::string_view slug, std::string_view version,
                                  std::string_view kind) const {
  return plugin(slug) + "/download/" + percent_encode(version) + "?kind=" + percent_encode(kind);
}

std::string Urls::addon(std::string_view slug) const {
  return base_ + "/v1/addons/" + percent_encode(slug);
}

std::string Urls::addon_page(std::string_view slug) const {
  return site_ + "/addons/" + percent_encode(slug);
}

std::string Urls::component(std::string_view slug) const {
  return base_ + "/v1/server-builder/components/" + percent_encode(slug);
}

std::string Urls::server_download(std::string_view query) const {
  std::string url = base_ + "/v1/server-builder/download";
  if (!query.empty()) url.append("?").append(query);
  return url;
}

}  // namespace goldsmith::handlers::views
