// The picture that tells in a README with which AMX Mod X a plugin runs (decision P33).
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/text.hpp"
#include "handlers/pages/format.hpp"
#include "handlers/pages/pages.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers::pages {
namespace {

constexpr std::array<std::string_view, 2> kBadgeLines = {"1.9", "1.10"};
constexpr std::string_view kBadgeLabel = "AMX Mod X";
constexpr std::size_t kPerCharacter = 7;  // pixels, about as wide as Verdana of 11 pixels
constexpr std::size_t kMargin = 6;

struct BadgeVerdict {
  std::string text;
  std::string_view colour;
};

// In English, whoever reads: the picture is kept by others, such as a proxy of pictures.
BadgeVerdict verdict_of(const domain::PluginVersion* version,
                        const views::Fingerprints& fingerprints) {
  constexpr std::string_view kGood = "#2a7d2e";
  constexpr std::string_view kFair = "#356b9c";
  constexpr std::string_view kBad = "#b3261e";
  constexpr std::string_view kNothing = "#666";
  if (version == nullptr) return {"no version", kNothing};
  std::vector<std::string> playing;
  std::vector<std::string> running;
  std::vector<std::string> compiled;
  std::vector<std::string> failing;
  for (const std::string_view each : kBadgeLines) {
    const std::string line(each);
    const std::string_view runs = views::runs_with(*version, line, fingerprints);
    const std::string_view compiles = views::compiles_with(*version, line, fingerprints);
    if (views::plays_with(*version, line, fingerprints) == "plays") {
      playing.push_back(line);
    } else if (runs == "runs") {
      running.push_back(line);
    } else if (runs == "faulty" || compiles == "failed") {
      failing.push_back(line);
    } else if (compiles == "ok") {
      compiled.push_back(line);
    }
  }
  std::vector<std::string> texts;
  const auto add = [&](std::string_view what, const std::vector<std::string>& lines) {
    if (!lines.empty()) texts.push_back(std::string(what) + " " + base::join(lines, ", "));
  };
  add("plays with", playing);
  add("runs with", running);
  add("compiles with", compiled);
  add("fails with", failing);
  if (texts.empty()) return {"not checked yet", kNothing};
  const bool is_good = !playing.empty() || !running.empty();
  return {base::join(texts, " · "), is_good ? kGood : !compiled.empty() ? kFair : kBad};
}

}  // namespace

web::Response plugin_badge(Services& services, const Call& call) {
  const auto slug = domain::Slug::parse(call.path.front());
  const auto plugin = slug ? services.index.find(*slug, services.freshness.epoch()) : std::nullopt;
  if (!plugin) return services.site.not_found();
  const domain::PluginVersion* const newest =
      plugin->versions.empty() ? nullptr : &plugin->versions.front();
  const BadgeVerdict verdict = verdict_of(newest, services.compile_service.watch.fingerprints());
  const std::size_t label_length = kBadgeLabel.size() * kPerCharacter;
  const std::size_t text_length = base::display_width(verdict.text) * kPerCharacter;
  const std::size_t label_width = label_length + 2 * kMargin;
  const std::size_t text_width = text_length + 2 * kMargin;
  const std::string version = newest == nullptr ? "" : " " + newest->version.str();
  return services.site.document("badge", "image/svg+xml",
                                {{"title", plugin->name + version + ", AMX Mod X: " + verdict.text},
                                 {"label", kBadgeLabel},
                                 {"text", verdict.text},
                                 {"colour", verdict.colour},
                                 {"width", std::to_string(label_width + text_width)},
                                 {"label_width", std::to_string(label_width)},
                                 {"label_length", std::to_string(label_length)},
                                 {"text_width", std::to_string(text_width)},
                                 {"text_length", std::to_string(text_length)},
                                 {"text_x", std::to_string(label_width + kMargin)}});
}

}  // namespace goldsmith::handlers::pages
