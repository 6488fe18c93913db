#include <string>
#include <utility>

#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"

namespace goldsmith::handlers::pages {

namespace {

json::Array toolchains_of(const compile::Toolchains& toolchains) {
  return json::array_of(domain::toolchain_lines(), [&](const std::string& line) {
    return json::Object{{"line", line}, {"installed", toolchains.find(line).has_value()}};
  });
}

std::string verification_label(domain::Verification verification) {
  switch (verification) {
    case domain::Verification::digest:
      return tr_context("verified by", "digest");
    case domain::Verification::signature:
      return tr_context("verified by", "signature");
    case domain::Verification::none:
      break;
  }
  return tr_context("verified by", "no digest");
}

json::Array components_of(const domain::Catalog& catalog) {
  json::Array array;
  for (const domain::Component& component : catalog.components()) {
    const domain::ComponentVersion* latest = component.latest();
    if (latest == nullptr) continue;
    json::Object object{{"name", component.name},
                        {"layer", tr(domain::info(component.layer).label)},
                        {"version", latest->version},
                        {"verified", verification_label(latest->verified)}};
    if (latest->released_at) object["released"] = date(*latest->released_at);
    if (latest->mirrored_at) object["mirrored"] = date(*latest->mirrored_at);
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace

web::Response status_page(Services& services, const Call&) {
  const limits::Settings settings = limits::make_settings(services.settings.load());
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  web::Response response =
      services.site.page("status",
                         {.title = tr("Status"),
                          .description = tr("What works at the moment."),
                          .path = "/status",
                          .section = "status",
                          .feed = "/feeds/components.atom"},
                         {{"api_enabled", settings.api_enabled},
                          {"keyless", settings.keyless_access},
                          {"per_minute", grouped(settings.anonymous_per_minute)},
                          {"per_day", grouped(settings.anonymous_per_day)},
                          {"compiles", grouped(settings.compiles_per_hour)},
                          {"builds", grouped(settings.builds_per_hour)},
                          {"toolchains", toolchains_of(services.compile_service.toolchains)},
                          {"components", components_of(*catalog)}});
  response.is_provisional = true;  // toolchains are files that change unseen
  return response;
}

}  // namespace goldsmith::handlers::pages
