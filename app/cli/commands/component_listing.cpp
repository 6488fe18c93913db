// Components as lists and JSON.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/base/interruption.hpp"
#include "app/cli/commands/component.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/compile/compile_inputs.hpp"
#include "app/creator/catalog.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/version.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::cli {

namespace {

// As in a manifest, both of them.
json::Value upstream_json(const domain::Component& component) {
  return component.upstream.empty() ? json::Value() : domain::told(component.upstream);
}

json::Array secrets_json(const domain::Component& component) {
  return json::array_of(component.secrets, [](const domain::Secret& secret) {
    return json::Object{
        {"file", secret.file}, {"setting", secret.setting}, {"suggested", secret.is_suggested}};
  });
}

json::Array places_json(const domain::Component& component) {
  return json::array_of(component.places, [](const domain::Places& places) {
    return json::Object{{"file", places.file},
                        {"looked_for", json::array_of(places.looked_for, std::identity())},
                        {"identity", json::array_of(places.identity, std::identity())}};
  });
}

json::Array advice_json(const domain::Component& component) {
  return json::array_of(component.advice, [](const domain::Advice& each) -> json::Value {
    if (each.versions.is_every()) return each.text;
    return json::Object{{"text", each.text}, {"versions", each.versions.str()}};
  });
}

json::Array defects_json(const domain::Component& component) {
  return domain::defects_json(component.defects);
}

json::Object source_json(const domain::Source& source) {
  return {{"url", source.url}, {"size", source.size}, {"sha256", source.sha256}};
}

json::Object view(const domain::ComponentVersion& version, bool is_latest) {
  json::Object object = version_listing().object(version);
  object.emplace("is_latest", is_latest);
  if (!version.files.empty()) object.emplace("files", file_listing().array(version.files));
  if (!version.sources.empty()) {
    object.emplace("sources", json::array_of(version.sources, source_json));
  }
  return object;
}

json::Array all_versions(const domain::Component& component) {
  return json::array_of(component.versions, [&](const domain::ComponentVersion& version) {
    return view(version, &version == component.latest());
  });
}

std::string held_of(const domain::Component& component) {
  std::vector<std::string> names;
  for (const domain::ComponentVersion& version : component.versions) {
    if (version.held) names.push_back(version.version.str());
  }
  return base::join(names, ", ");
}

std::string latest_name_of(const domain::Component& component) {
  const domain::ComponentVersion* latest = component.latest();
  return latest ? latest->version.str() : "";
}

}  // namespace

Listing<domain::Component> component_listing() {
  using Row = domain::Component;
  const auto rules = [](const Row& row) { return domain::rules_json(row.rules); };
  return {{{"SLUG", "slug", &Row::slug},
           {"LAYER", "layer", &Row::layer},
           {"NAME", "name", &Row::name},
           {"ORDER", "sort_order", &Row::sort_order},
           {"DEFAULT", "is_default", &Row::is_default},
           {"SELECTABLE", "selectable", &Row::selectable},
           {.header = "VERSIONS", .value = [](const Row& row) { return row.versions.size(); }},
           {.header = "LATEST", .value = latest_name_of, .absent = "-"},
           {.header = "HELD", .value = held_of, .absent = "-"},
           {.field = "description", .value = &Row::description},
           {.field = "homepage", .value = &Row::homepage},
           {.field = "license", .value = &Row::license},
           {.field = "rules", .value = rules},
           {.field = "upstream", .value = upstream_json},
           {.field = "configuration", .value = &Row::configuration},
           {.field = "secrets", .value = secrets_json},
           {.field = "places", .value = places_json},
           {.field = "advice", .value = advice_json},
           {.field = "defects", .value = defects_json},
           {.field = "versions", .value = all_versions}}};
}

Listing<domain::ComponentVersion> version_listing() {
  using Row = domain::ComponentVersion;
  return {{{"VERSION", "version", &Row::version},
           {"RELEASED", "released_at", &Row::released_at},
           {"MIRRORED", "mirrored_at", &Row::mirrored_at},
           {"VERIFIED", "verified", &Row::verified},
           {"UPSTREAM BYTES", "size_bytes", &Row::size_bytes},
           {"FILES", "file_count", &Row::file_count},
           {.header = "DIGEST", .value = [](const Row& row) { return row.digest.substr(0, 12); }},
           {.field = "digest", .value = &Row::digest},
           {"HELD", "held", [](const Row& row) { return row.held ? row.held->reason : ""; }, "-"}}};
}

Listing<domain::ManifestFile> file_listing() {
  using Row = domain::ManifestFile;
  return {{{"BYTES", "size", &Row::size},
           {"EXECUTABLE", "executable", &Row::executable},
           {"PATH", "path", &Row::path},
           {.field = "sha256", .value = &Row::sha256}}};
}

ComponentSelection::ComponentSelection(Context& context, const std::optional<domain::Slug>& slug)
    : context_(context), catalog_(context.components().load_catalog()) {
  if (!slug) return;
  single_ = catalog_.find(*slug);
  if (!single_) throw Failure("there is no component \"" + *slug + "\"; import it first");
}

void ComponentSelection::for_each(
    const mirror::ReleaseMirroring& mirroring,
    const std::function<void(const domain::Component& component)>& visit) {
  if (single_) return visit(*single_);
  using LastAsked = std::optional<std::filesystem::file_time_type>;
  std::vector<std::pair<LastAsked, const domain::Component*>> order;
  for (const domain::Component& component : catalog_.components()) {
    if (component.upstream.empty()) continue;
    order.emplace_back(mirroring.last_asked(component), &component);
  }
  std::ranges::stable_sort(order, {}, &decltype(order)::value_type::first);
  for (const auto& [last_asked, component] : order) {
    ++visited_;
    try {
      visit(*component);
    } catch (const base::Interrupted&) {
      throw;
    } catch (const mirror::QuotaExceeded& limited) {
      if (not_asked_++ == 0) context_.report(limited.what());
      quota_end_ = limited.until();
    } catch (const std::exception& error) {
      context_.report(component->slug + ": " + error.what());
      ++failed_;
    }
  }
}

void ComponentSelection::check_failures(const std::string& what) const {
  std::string text;
  if (failed_ > 0) {
    text = fmt::format("{} of {} components could not be {}", failed_, visited_, what);
  }
  if (not_asked_ > 0) {
    text += fmt::format(
        "{}{} of {} components were not asked about: run it again after {} UTC, and it begins with "
        "them",
        text.empty() ? "" : "; ", not_asked_, visited_, domain::format_timestamp(quota_end_));
  }
  if (!text.empty()) throw Failure(text);
}

bool names_newest_version(const domain::Component& component) {
  return !component.upstream.github.empty() || component.upstream.version.has_value();
}

void forget_outdated_verdicts(Context& context) {
  creator::Stock stock(context.config(), context.database(), compile::text_reader());
  db::VerdictStore verdicts(context.database());
  const std::size_t versions = verdicts.forget([&](const domain::CompileVerdict& verdict) {
    const auto offers = stock.includes.newest_offers(verdict.toolchain, 0);
    return verdict.components != compile::components_digest(verdict.includes, offers.get());
  });
  if (versions == 0) return;
  context.out() << count_of(versions, "version")
                << " of plugins may compile otherwise now: unknown until the next \"goldsmith "
                   "plugin check\"\n";
}

}  // namespace goldsmith::cli
