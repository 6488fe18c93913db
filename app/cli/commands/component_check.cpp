// component check: which upstreams have released something newer.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/cli/commands/component.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/mirror/release_mirroring.hpp"

namespace goldsmith::cli {

namespace {

// A release that is not mirrored yet. The component is the selection's.
struct NewerRelease {
  const domain::Component* component;
  mirror::Release release;
};

json::Value latest_version(const NewerRelease& newer) {
  const domain::ComponentVersion* latest = newer.component->latest();
  return latest ? json::Value(latest->version) : json::Value();
}

json::Array files(const NewerRelease& newer) {
  return json::array_of(newer.release.files, [](const mirror::ReleaseFile& file) {
    return json::Object{{"name", file.name}, {"url", file.url}, {"size", file.size}};
  });
}

Listing<NewerRelease> listing() {
  using Row = NewerRelease;
  const auto released_at = [](const Row& row) { return to_json(row.release.released_at); };
  return {{{"SLUG", "slug", [](const Row& row) { return row.component->slug; }},
           {"MIRRORED", "mirrored", latest_version, "-"},
           {"UPSTREAM", "version", [](const Row& row) { return row.release.version; }},
           {"RELEASED", "released_at", released_at, "-"},
           {.field = "files", .value = files}}};
}

}  // namespace

void check_releases(const std::optional<domain::Slug>& slug, const Arguments& arguments,
                    Context& context) {
  ComponentSelection selection(context, slug);
  db::ComponentStore components = context.components();
  mirror::ReleaseMirroring mirroring(components, context.config(), context.clock());
  std::vector<NewerRelease> found;
  selection.for_each(mirroring, [&](const domain::Component& component) {
    if (!selection.is_single() && !names_newest_version(component)) return;
    ProgressLine line(context.err(), context.shows_progress());
    line.show(component.slug + ": asking upstream …");
    mirror::Release release = mirroring.find_release(component, std::nullopt);
    if (!component.find_version(release.version)) found.push_back({&component, std::move(release)});
  });
  // In load order, which is that of the catalog.
  std::ranges::sort(found, std::less<>(), &NewerRelease::component);
  listing().print(found, arguments, context, [&] {
    if (!found.empty()) return listing().table(found).print(context.out());
    if (selection.failed() + selection.not_asked() > 0) return;
    context.out() << "Everything that has an upstream is up to date.\n";
  });
  selection.check_failures("checked");
}

}  // namespace goldsmith::cli
