#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "app/base/json.hpp"
#include "handlers/documents/documents.hpp"
#include "handlers/pages/language.hpp"
#include "handlers/pages/markdown.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {
namespace {

struct Severity {
  std::string_view name;  // in what is known of logs
  std::string_view label;
};

// The gravest first, which is the order of what the page finds.
constexpr auto kSeverities = std::to_array<Severity>({{"stops", N_("Stops the server")},
                                                      {"breaks", N_("Breaks a part")},
                                                      {"note", N_("Good to know")}});

constexpr unsigned kHeading = 5;  // of headings in the texts, which have none

// What is part of the program is valid: scripts/tools/log-causes has checked it.
const std::string& text_of(const json::Object& cause, std::string_view field) {
  return *cause.at(std::string(field)).as_string();
}

json::Object cause_json(const json::Object& cause, const Severity& severity) {
  json::Object model{{"id", text_of(cause, "id")},
                     {"title", tr(text_of(cause, "title"))},
                     {"severity", severity.name},
                     {"label", tr(severity.label)},
                     {"cause", markdown_html(tr(text_of(cause, "cause")), kHeading)},
                     {"remedy", markdown_html(tr(text_of(cause, "remedy")), kHeading)}};
  if (const auto found = cause.find("link"); found != cause.end()) {
    json::Object link = *found->second.as_object();
    link["text"] = tr(*link.at("text").as_string());
    model["link"] = std::move(link);
  }
  return model;
}

json::Object group_json(const json::Array& causes, const Severity& severity) {
  json::Array found;
  for (const json::Value& value : causes) {
    const json::Object& cause = *value.as_object();
    if (text_of(cause, "severity") == severity.name) found.push_back(cause_json(cause, severity));
  }
  return {{"label", tr(severity.label)},
          {"count", static_cast<std::int64_t>(found.size())},
          {"causes", std::move(found)}};
}

}  // namespace

web::Response log_page(Services& services, const Call&) {
  const json::Value known = json::parse(documents::log_causes());
  const json::Object& all = *known.as_object();
  const json::Array& causes = *all.at("causes").as_array();
  return services.site.page(
      "log",
      {.title = tr("Explain my log"),
       .description = tr("Paste the console's log of a Counter-Strike 1.6 server: known causes of "
                         "what went wrong, and what to do."),
       .path = "/log",
       .script = "log.js"},
      {{"count", static_cast<std::int64_t>(causes.size())},
       {"groups", json::array_of(kSeverities, [&](const Severity& severity) {
          return group_json(causes, severity);
        })}});
}

}  // namespace goldsmith::handlers::pages
