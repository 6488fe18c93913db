#include "app/creator/configuration.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/plugin_files.hpp"
#include "handlers/documents/recipes.hpp"
#include "handlers/documents/sbom.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/selections.hpp"

namespace goldsmith::handlers::documents {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kShell = "text/x-shellscript; charset=utf-8";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kCycloneDx = "application/vnd.cyclonedx+json; version=1.6";

http::Response with_type(std::string_view content_type) {
  http::Response response;
  response.set_header("Content-Type", content_type);
  return response;
}

// 200 with what `render` makes of the plan; an error otherwise, as resolve's.
http::Response document(Services& services, const Call& call, std::string_view content_type,
                        const std::function<std::string(const creator::Plan&)>& render) {
  if (!services.gate.api_is_enabled()) {
    return services.errors.make(http::Error::api_disabled);
  }
  return with_plan(services, call, with_type(content_type), [&](const creator::Plan& plan) {
    http::Response response = with_type(content_type);
    response.is_taggable = true;  // tagged and compressed
    response.set_header("Cache-Control", "no-cache");
    response.set_header("X-Svc-Build-Hash", plan.build_hash);
    response.body = render(plan);
    return response;
  });
}

PluginFacts facts_of(db::PluginStore& plugins, const creator::Plan& plan) {
  PluginFacts facts;
  for (const creator::PlannedPlugin& plugin : plan.plugins) {
    const auto slug = domain::Slug::parse(plugin.slug);
    auto found = slug ? plugins.find(*slug) : std::nullopt;
    if (found) facts.emplace(plugin.slug, std::move(*found));
  }
  return facts;
}

// What is not pinned in the request follows the latest version: scripts and recipes have the
// versions of the request, not those of a build.
Recipe recipe_of(const Services& services, const Call& call) {
  return {creator::request_query(read_selection(call.query)), services.site.config().name,
          services.site.config().contact, services.urls};
}

}  // namespace

http::Response show_checksums(Services& services, const Call& call) {
  return document(services, call, kText, creator::checksum_list);
}

http::Response show_plugins(Services& services, const Call& call) {
  return document(services, call, kText, creator::plugin_list);
}

http::Response show_configuration(Services& services, const Call& call) {
  return document(services, call, kText, creator::configuration_list);
}

http::Response show_sbom(Services& services, const Call& call) {
  return document(services, call, kCycloneDx, [&](const creator::Plan& plan) {
    return json::to_string(sbom(plan, facts_of(services.plugins, plan)));
  });
}

http::Response show_updater(Services& services, const Call& call) {
  return document(services, call, kShell,
                  [&](const creator::Plan&) { return updater(recipe_of(services, call)); });
}

http::Response show_egg(Services& services, const Call& call) {
  return document(services, call, http::kJsonContentType, [&](const creator::Plan&) {
    return json::to_pretty_string(egg(recipe_of(services, call)));
  });
}

http::Response show_dockerfile(Services& services, const Call& call) {
  return document(services, call, kText,
                  [&](const creator::Plan&) { return dockerfile(recipe_of(services, call)); });
}

http::Response show_compose_file(Services& services, const Call& call) {
  return document(services, call, kYaml,
                  [&](const creator::Plan&) { return compose_file(recipe_of(services, call)); });
}

http::Response show_amp_stages(Services& services, const Call& call) {
  return document(services, call, http::kJsonContentType, [&](const creator::Plan& plan) {
    return json::to_pretty_string(amp_stages(recipe_of(services, call), plan));
  });
}

}  // namespace goldsmith::handlers::documents
