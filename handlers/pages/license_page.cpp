#include <algorithm>
#include <array>
#include <set>

#include "app/domain/license.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {
namespace {

constexpr std::string_view kOwnLicense = "MIT";  // of goldsmith, and of what it generates
constexpr std::size_t kShortDigest = 12;

std::string_view embedded_text(std::string_view name) {
  const auto texts = embedded_licenses();
  const auto found = std::find_if(texts.begin(), texts.end(),
                                  [&](const EmbeddedFile& file) { return file.name == name; });
  return found == texts.end() ? std::string_view() : found->content;
}

std::string_view without_suffix(std::string_view text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
  return text;
}

json::Object source_json(const domain::Source& source) {
  return {{"url", web_link(source.url)},
          {"file", source.url.substr(source.url.rfind('/') + 1)},
          {"sha256", source.sha256},
          {"short_sha256", source.sha256.substr(0, kShortDigest)}};
}

// Adds the licenses of an expression, which was checked at the import.
void add_ids(const std::string& license, std::set<std::string>& ids) {
  if (license.empty()) return;
  for (const domain::LicenseTerm& term : domain::parse_license(license).terms) ids.insert(term.id);
}

// The text of a license of SPDX's list; "" if it is not part of the program. The names of the files
// are those of Debian's common-licenses, such as GPL-3, or identifiers.
std::string_view license_text(std::string_view id) {
  const std::string_view version = without_suffix(without_suffix(id, "-only"), "-or-later");
  for (const std::string_view name : {id, version, without_suffix(version, ".0")}) {
    if (const std::string_view text = embedded_text(name); !text.empty()) return text;
  }
  return "";
}

json::Object text_json(const std::string& id) {
  return {{"id", id},
          {"deprecated", domain::is_deprecated_license(id)},
          {"is_reference", id.starts_with("LicenseRef-")},
          {"text", license_text(id)}};
}

json::Object component_json(creator::CatalogCache& catalog, const domain::Component& component) {
  const auto version = catalog.with_files(component.slug, *component.latest());
  return {{"name", component.name},
          {"homepage", web_link(component.homepage)},
          {"version", version->version},
          {"license", component.license},
          {"sources", json::array_of(version->sources, source_json)}};
}

}  // namespace

web::Response license_page(Services& services, const Call&) {
  const auto catalog = services.catalog.catalog(services.freshness.epoch());
  json::Array components;
  std::set<std::string> ids{std::string(kOwnLicense)};
  for (const domain::Component& component : catalog->components()) {
    if (component.latest() == nullptr) continue;
    components.push_back(component_json(services.catalog, component));
    add_ids(component.license, ids);
  }
  return services.site.page(
      "licenses",
      {.title = tr("Licenses"),
       .description = tr("The licenses of the server components, with their texts and sources."),
       .path = "/licenses"},
      {{"components", std::move(components)}, {"texts", json::array_of(ids, text_json)}});
}

}  // namespace goldsmith::handlers::pages
