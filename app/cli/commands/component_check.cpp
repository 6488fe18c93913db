#include "app/cli/commands/component.hpp"

#include <ostream>
#include <vector>

#include "app/cli/progress_line.hpp"
#include "app/cli/table.hpp"

namespace goldsmith::cli {
namespace {

// A release that is not mirrored yet. The component is the selection's.
struct NewerRelease {
  const domain::Component* component;
  upstream::Release release;
};

json::Object view(const NewerRelease& newer) {
  json::Array files;
  for (const upstream::ReleaseFile& file : newer.release.files) {
    files.emplace_back(json::Object{{"name", file.name}, {"url", file.url}, {"size", file.size}});
  }
  const domain::ComponentVersion* latest = newer.component->latest();
  return {{"slug", newer.component->slug},
          {"mirrored", latest ? json::Value(latest->version) : json::Value()},
          {"version", newer.release.version},
          {"released_at", domain::format_timestamp(newer.release.released_at)},
          {"files", std::move(files)}};
}

void print_table(const std::vector<NewerRelease>& found, std::ostream& out) {
  Table table({"SLUG", "MIRRORED", "UPSTREAM", "RELEASED"});
  for (const auto& [component, release] : found) {
    const domain::ComponentVersion* latest = component->latest();
    table.add({component->slug.str(), latest ? latest->version.str() : "-", release.version.str(),
               release.released_at ? domain::format_timestamp(*release.released_at) : "-"});
  }
  table.print(out);
}

}  // namespace

void check_releases(const std::optional<domain::Slug>& slug, bool as_json, Context& context) {
  ComponentSelection selection(context, slug);
  db::ComponentStore components = context.components();
  const archive::Depot depot(context.config().depot);
  service::ReleaseMirroring mirroring(components, depot, context.config(), context.clock());
  std::vector<NewerRelease> found;
  selection.for_each([&](const domain::Component& component) {
    if (!selection.is_single() && !names_newest_version(component)) return;
    ProgressLine line(context.err(), context.shows_progress());
    line.show(component.slug + ": asking upstream …");
    upstream::Release release = mirroring.find_release(component, std::nullopt);
    if (!component.find_version(release.version)) found.push_back({&component, std::move(release)});
  });
  if (as_json) {
    json::Array listing;
    for (const NewerRelease& newer : found) listing.emplace_back(view(newer));
    context.print(listing);
  } else if (!found.empty()) {
    print_table(found, context.out());
  } else if (selection.failed() == 0) {
    context.out() << "Everything that has an upstream is up to date.\n";
  }
  selection.check_failures("checked");
}

}  // namespace goldsmith::cli
