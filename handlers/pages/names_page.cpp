#include <string>
#include <string_view>
#include <utility>

#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "handlers/names.hpp"
#include "handlers/pages/language.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {
namespace {

std::string kind_label(std::string_view kind) {
  if (kind == "native") return tr("a native");
  if (kind == "forward") return tr("a forward");
  if (kind == "function") return tr("a function of its include");
  if (kind == "constant") return tr("a constant, hook or macro");
  return tr("an include");
}

std::string versions_label(const std::string& since, const std::string& until) {
  if (since.empty() && until.empty()) return tr("in all versions that are known here");
  if (until.empty()) return tr("since {version}", {{"version", since}});
  if (since.empty()) return tr("up to {version}", {{"version", until}});
  return tr("from {first} to {last}", {{"first", since}, {"last", until}});
}

// Of name_json().
json::Object found_json(json::Object found) {
  json::Array declared;
  for (const json::Value& each : *found.at("declared").as_array()) {
    json::Object place = *each.as_object();
    place["kind"] = kind_label(*place.at("kind").as_string());
    place["versions"] =
        versions_label(*place.at("since").as_string(), *place.at("until").as_string());
    declared.emplace_back(std::move(place));
  }
  const bool is_declared = !declared.empty();
  const bool is_offered = !found.at("plugins").as_array()->empty();
  found["declared"] = std::move(declared);
  found["is_declared"] = is_declared;
  found["is_offered"] = is_offered;
  found["is_unknown"] = !is_declared && !is_offered;
  return found;
}

}  // namespace

web::Response names_page(Services& services, const Call& call) {
  const std::string name(base::trim(call.query.get("q").value_or("")));
  json::Object model{{"name", name}};
  if (is_searched_name(name)) {
    model["found"] = found_json(name_json(services, name));
  } else {
    model["is_wrong"] = !name.empty();
  }
  return services.site.page(
      "names",
      {.title = tr("Who has it?"),
       .description = tr("Which module or version of AMX Mod X has a native, a hook or a constant "
                         "that a plugin's source uses."),
       .path = "/names"},
      std::move(model));
}

}  // namespace goldsmith::handlers::pages
