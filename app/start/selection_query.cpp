#include "app/start/selection_query.hpp"

#include <array>

#include "app/creator/settings.hpp"
#include "app/web/request.hpp"

namespace goldsmith::start {
namespace {

constexpr std::array<web::Parameter, 5> kParameters{
    {{"components"}, {"plugins"}, {"order"}, {"optimized"}, {"cfg"}}};

}  // namespace

creator::SelectionRequest request_of(const std::string& query) {
  const web::Query parsed(query, kParameters);
  auto request = creator::parse_selection_request(parsed.get("components"), parsed.get("plugins"),
                                                  parsed.flag("optimized"), parsed.get("order"));
  request.settings =
      creator::settings_text(creator::parse_settings(parsed.get("cfg").value_or("")));
  return request;
}

std::vector<std::string> unknown_parameters(const std::string& query) {
  return web::undeclared_names(query, kParameters);
}

}  // namespace goldsmith::start
