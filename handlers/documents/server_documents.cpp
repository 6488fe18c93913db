#include "handlers/documents/server_documents.hpp"

#include "app/creator/checksums.hpp"
#include "app/creator/download_query.hpp"
#include "handlers/documents/text_error.hpp"
#include "handlers/documents/updater.hpp"

namespace goldsmith::handlers::documents {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kShell = "text/x-shellscript; charset=utf-8";
constexpr std::string_view kJson = "application/json; charset=utf-8";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kCycloneDx = "application/vnd.cyclonedx+json; version=1.6";

http::Response with_type(std::string_view content_type) {
  http::Response response;
  response.set_header("Content-Type", content_type);
  return response;
}

http::Response with_errors_as_text(http::Response response) {
  return response.status == 200 ? response : text_error(std::move(response));
}

}  // namespace

http::Response ServerDocuments::checksums_missing(const std::vector<std::string>& versions) const {
  return dependencies_.errors.make(
      http::Error::checksums_missing,
      {{"versions", json::Array(versions.begin(), versions.end())},
       {"reason",
        "These were mirrored before checksums were taken. The operator of this service records "
        "them with: goldsmith depot verify --record"}});
}

http::Response ServerDocuments::document(
    const Call& call, std::string_view content_type,
    const std::function<std::string(const creator::Plan&)>& render) {
  if (!dependencies_.gate.api_is_enabled()) {
    return dependencies_.errors.make(http::Error::api_disabled);
  }
  return dependencies_.selections.with_plan(
      call, with_type(content_type), [&](const creator::Plan& plan) {
        const std::vector<std::string> lacking = creator::without_checksums(plan);
        if (!lacking.empty()) return checksums_missing(lacking);
        http::Response response = with_type(content_type);
        response.is_taggable = true;  // tagged and compressed
        response.set_header("Cache-Control", "no-cache");
        response.set_header("X-Svc-Build-Hash", plan.build_hash);
        response.body = render(plan);
        return response;
      });
}

http::Response ServerDocuments::checksums(const Call& call) {
  return with_errors_as_text(document(call, kText, creator::checksum_list));
}

PluginFacts ServerDocuments::facts_of(const creator::Plan& plan) {
  PluginFacts facts;
  for (const creator::PlannedPlugin& plugin : plan.plugins) {
    const auto slug = domain::Slug::parse(plugin.slug);
    auto found = slug ? dependencies_.plugins.find(*slug) : std::nullopt;
    if (found) facts.emplace(plugin.slug, std::move(*found));
  }
  return facts;
}

http::Response ServerDocuments::sbom(const Call& call) {
  return document(call, kCycloneDx, [&](const creator::Plan& plan) {
    return json::to_string(documents::sbom(plan, facts_of(plan)));
  });
}

// What is not pinned in the request follows the latest version: the script has no build in it.
http::Response ServerDocuments::updater(const Call& call) {
  return with_errors_as_text(document(call, kShell, [&](const creator::Plan&) {
    return documents::updater(creator::request_query(read_selection(call.query)),
                              dependencies_.urls);
  }));
}

// As for the updater: the versions of the request, not those of the build.
Recipe ServerDocuments::recipe_of(const Call& call) const {
  return {creator::request_query(read_selection(call.query)), dependencies_.site.config().name,
          dependencies_.site.config().contact, dependencies_.urls};
}

http::Response ServerDocuments::egg(const Call& call) {
  return document(call, kJson, [&](const creator::Plan&) {
    return json::to_pretty_string(documents::egg(recipe_of(call)));
  });
}

http::Response ServerDocuments::dockerfile(const Call& call) {
  return with_errors_as_text(document(
      call, kText, [&](const creator::Plan&) { return documents::dockerfile(recipe_of(call)); }));
}

http::Response ServerDocuments::compose_file(const Call& call) {
  return with_errors_as_text(document(
      call, kYaml, [&](const creator::Plan&) { return documents::compose_file(recipe_of(call)); }));
}

http::Response ServerDocuments::amp_stages(const Call& call) {
  return document(call, kJson, [&](const creator::Plan& plan) {
    return json::to_pretty_string(documents::amp_stages(recipe_of(call), plan));
  });
}

}  // namespace goldsmith::handlers::documents
