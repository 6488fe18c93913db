#include "handlers/documents/documents.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/domain/component.hpp"
#include "app/domain/names.hpp"
#include "handlers/builds.hpp"
#include "handlers/documents/known_files.hpp"
#include "handlers/documents/known_names.hpp"
#include "handlers/documents/sbom.hpp"
#include "handlers/documents/update_facts.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::documents {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kShell = "text/x-shellscript; charset=utf-8";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kCycloneDx = "application/vnd.cyclonedx+json; version=1.6";

// "SLUG@VERSION,…" of the versions that are held; "" if none is.
std::string held_versions(const creator::Selection& selection) {
  std::string names;
  for (const creator::Selected& each : selection.components) {
    if (!each.version->held) continue;
    const std::string name =
        creator::spelled({each.component->slug.str(), each.version->version.str()});
    names.append(names.empty() ? "" : ",").append(name);
  }
  return names;
}

// 200 with a document that clients may keep and ask for again.
web::Response tagged_document(std::string_view content_type, std::string body) {
  web::Response response = without_body(content_type);
  response.is_taggable = true;  // tagged and compressed
  response.set_header("Cache-Control", "no-cache");
  response.body = std::move(body);
  return response;
}

// 200 with what `render` makes of the plan; an error otherwise, as resolve's.
web::Response document(Services& services, const Call& call, std::string_view content_type,
                       const std::function<std::string(const creator::Plan&)>& render) {
  if (!services.gate.api_is_enabled()) {
    return services.errors.make(domain::Error::api_disabled);
  }
  const auto use = [&](const creator::Plan& plan) {
    web::Response response = tagged_document(content_type, render(plan));
    response.set_header("X-Svc-Build-Hash", plan.build_hash);
    if (const std::string held = held_versions(plan.selection); !held.empty()) {
      response.set_header("X-Svc-Held", held);
    }
    if (const std::string address = fastdl_address(services, plan); !address.empty()) {
      response.set_header("X-Svc-Fastdl", address);
    }
    return response;
  };
  return answer(services, call, plan_of(services, call), without_body(content_type), use);
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

ScriptLanguage reader_language() {
  const pages::Language& language = *pages::reader().language;
  return {language.tag(), [&language](std::string_view text) { return language.find("", text); }};
}

// A document that talks to people (decision R23).
web::Response in_language(web::Response response) {
  response.varies_by_language = !pages::reader().is_chosen;
  return response;
}

// What is not pinned in the request follows the latest version: scripts and recipes have the
// versions of the request, not those of a build, unless the request names that.
Recipe recipe_of(const Services& services, const Call& call, const creator::Plan& plan) {
  std::string language_query = services.site.language_query();
  if (!language_query.empty()) language_query.erase(0, 1);  // the `?`
  return {creator::request_query(selection_of(call.query, plan)),
          services.site.config().name,
          services.site.config().contact,
          services.urls,
          reader_language(),
          std::move(language_query),
          services.config.recipes.image};
}

// Parameters that the service does not know and leaves out (decision R4), for people.
std::string ignored_parameters(const Call& call) {
  std::vector<std::string> names =
      web::undeclared_names(web::raw_query(call.request.target), kSelectionParameters);
  std::erase(names, "lang");
  return base::join(names, ", ",
                    [](const std::string& name) { return base::percent_encode(name); });
}

// 200 with a document that is the same for everybody.
web::Response common_document(Services& services, std::string_view content_type,
                              const std::function<std::string()>& render) {
  if (!services.gate.api_is_enabled()) {
    return services.errors.make(domain::Error::api_disabled);
  }
  return tagged_document(content_type, render());
}

// By slug. Without what is no part of a plugin (decision P23), as in downloads.
std::vector<KnownPlugin> published_plugins(Services& services, std::uint64_t epoch) {
  std::vector<KnownPlugin> plugins;
  services.plugins.each_version([&](const db::PluginName& name, domain::PluginVersion version) {
    if (plugins.empty() || plugins.back().name.slug != name.slug) plugins.push_back({name, {}});
    plugins.back().versions.push_back(std::move(version));
  });
  for (KnownPlugin& plugin : plugins) {
    std::sort(plugin.versions.begin(), plugin.versions.end(),
              [](const auto& left, const auto& right) { return domain::is_newer(left, right); });
    for (domain::PluginVersion& version : plugin.versions) {
      services.catalog.remove_foreign(version, epoch);
    }
  }
  return plugins;
}

}  // namespace

web::Response show_checksums(Services& services, const Call& call) {
  return document(services, call, kText, [&](const creator::Plan& plan) {
    if (!call.request.is_head()) services.digests.note_asked(plan);
    return creator::checksum_list(plan);
  });
}

web::Response show_plugins(Services& services, const Call& call) {
  return document(services, call, kText, creator::plugin_list);
}

web::Response show_configuration(Services& services, const Call& call) {
  return document(services, call, kText, creator::configuration_list);
}

web::Response show_sbom(Services& services, const Call& call) {
  return document(services, call, kCycloneDx, [&](const creator::Plan& plan) {
    return json::to_string(sbom(plan, facts_of(services.plugins, plan)));
  });
}

web::Response show_updater(Services& services, const Call& call) {
  return in_language(document(services, call, kShell, [&](const creator::Plan& plan) {
    return updater(recipe_of(services, call, plan), ignored_parameters(call));
  }));
}

web::Response show_update_facts(Services& services, const Call& call) {
  return document(services, call, kText, [&](const creator::Plan& plan) {
    const std::uint64_t epoch = services.freshness.epoch();
    return update_facts(plan, *services.catalog.catalog(epoch), *services.catalog.libraries(epoch),
                        services.urls.server_download(recipe_of(services, call, plan).selection));
  });
}

web::Response show_known_files(Services& services, const Call&) {
  return common_document(services, kText, [&] {
    const std::uint64_t epoch = services.freshness.epoch();
    const auto catalog = services.catalog.catalog(epoch);
    services.compile_service.watch.generation();  // for the fingerprints
    return known_files(services.urls.site(), *catalog, services.components.load_all_files(),
                       published_plugins(services, epoch),
                       services.compile_service.watch.fingerprints());
  });
}

web::Response show_known_names(Services& services, const Call&) {
  return common_document(services, kText, [&] {
    const std::uint64_t epoch = services.freshness.epoch();
    services.compile_service.watch.generation();
    const auto names = services.names.at(epoch);
    return known_names(services.urls.site(), *names, *services.catalog.catalog(epoch),
                       *services.catalog.libraries(epoch), published_plugins(services, epoch),
                       services.compile_service.watch.fingerprints());
  });
}

web::Response show_adopter(Services& services, const Call&) {
  return in_language(
      common_document(services, kShell, [&] { return adopter(services.urls, reader_language()); }));
}

web::Response show_egg(Services& services, const Call& call) {
  return in_language(
      document(services, call, web::kJsonContentType, [&](const creator::Plan& plan) {
        return json::to_pretty_string(egg(recipe_of(services, call, plan)));
      }));
}

web::Response show_dockerfile(Services& services, const Call& call) {
  return in_language(document(services, call, kText, [&](const creator::Plan& plan) {
    return dockerfile(recipe_of(services, call, plan));
  }));
}

web::Response show_compose_file(Services& services, const Call& call) {
  return in_language(document(services, call, kYaml, [&](const creator::Plan& plan) {
    return compose_file(recipe_of(services, call, plan));
  }));
}

web::Response show_amp_stages(Services& services, const Call& call) {
  return document(services, call, web::kJsonContentType, [&](const creator::Plan& plan) {
    return json::to_pretty_string(amp_stages(recipe_of(services, call, plan)));
  });
}

web::Response show_game_mod(Services& services, const Call& call) {
  return document(services, call, web::kJsonContentType, [&](const creator::Plan& plan) {
    return json::to_pretty_string(game_mod(recipe_of(services, call, plan)));
  });
}

web::Response show_explainer(Services& services, const Call&) {
  return in_language(tagged_document(kShell, explainer(services.urls, reader_language())));
}

web::Response show_log_causes(Services&, const Call&) {
  return tagged_document(web::kJsonContentType, std::string(log_causes()));
}

}  // namespace goldsmith::handlers::documents
