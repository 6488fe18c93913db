#include "test/unit/creator/random_cases.hpp"

#include <algorithm>
#include <map>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

domain::Slug slug_of(std::size_t index) {
  return domain::Slug::parse("c" + std::to_string(index)).value();
}

}  // namespace

std::string RandomCases::path() {
  static const std::vector<std::string> paths = {"hlds_linux",
                                                 "cstrike/liblist.gam",
                                                 "cstrike/game.cfg",
                                                 "cstrike/addons/x.cfg",
                                                 "cstrike/addons/metamod/plugins.ini",
                                                 "cstrike/addons/amxmodx/plugins/p1.amxx",
                                                 "cstrike/addons/amxmodx/configs/plugins-svc.ini"};
  return chance(40) ? paths[below(paths.size())] : "cstrike/f" + std::to_string(below(30));
}

domain::ComponentVersion RandomCases::version(const domain::Slug& slug, const std::string& name) {
  std::map<std::string, domain::ManifestFile> files;
  for (std::size_t i = below(5); i > 0; --i) {
    const std::string file = path();
    files[file] = {file, below(1000), chance(20)};
  }
  domain::ComponentVersion result;
  result.version = domain::Version::parse(name).value();
  result.released_at = "2024-01-01 00:00:00"_utc + std::chrono::days(below(3));
  result.digest = slug + " " + name;
  for (const auto& [file, entry] : files) {
    result.files.push_back(entry);
    result.digest += "|" + file + (entry.executable ? "*" : "") + std::to_string(entry.size);
  }
  return result;
}

domain::Component RandomCases::component(const domain::Slug& slug, std::size_t of) {
  domain::Component result = A(slug, domain::layers()[below(domain::layers().size())].layer,
                               static_cast<std::int64_t>(below(4)));
  result.is_default = chance(40);
  result.selectable = chance(80);
  for (std::size_t i = below(4); i > 0; --i) {
    const auto kind = static_cast<domain::RuleKind>(below(4));
    result.rules.push_back({kind, slug_of(below(of + 1)), chance(50) ? "A note." : ""});
    if (kind == domain::RuleKind::bundles || chance(70)) continue;
    const std::string bound = (chance(50) ? "<" : ">=") + std::to_string(below(4));
    result.rules.back().with = domain::VersionRange::parse(bound).value();
  }
  for (std::size_t i = below(4); i > 0; --i) {
    result.versions.push_back(version(slug, std::to_string(i) + (chance(50) ? ".0" : "")));
  }
  if (chance(30)) result.loads.gamedll = path();
  if (chance(30)) result.loads.metamod_loader = path();
  if (chance(30)) result.loads.metamod_plugin = path();
  if (chance(10)) result.advice = {{"Mind " + slug + "."}};
  return result;
}

domain::Catalog RandomCases::catalog() {
  const std::size_t count = below(11);
  std::vector<domain::Component> components;
  for (std::size_t i = 0; i < count; ++i) components.push_back(component(slug_of(i), count));
  return domain::Catalog(std::move(components));
}

std::vector<Token> RandomCases::tokens(const domain::Catalog& catalog) {
  std::vector<Token> result;
  for (std::size_t i = below(7); i > 0; --i) {
    Token token{slug_of(below(catalog.components().size() + 1)).str(), ""};
    if (chance(5)) token.slug = bytes(6);
    const domain::Component* component = catalog.find(token.slug);
    if (chance(15)) {
      token.version = std::to_string(below(5));
    } else if (chance(40) && component != nullptr && component->latest() != nullptr) {
      token.version = component->versions[below(component->versions.size())].version.str();
    }
    result.push_back(std::move(token));
  }
  return result;
}

std::vector<PluginOutcome> RandomCases::plugins() {
  std::vector<PluginOutcome> result;
  for (std::size_t i = 0; i < 5; ++i) {
    if (chance(60)) continue;
    const std::string slug = "plugin-" + std::to_string(i);
    if (chance(30)) {
      const std::size_t reason = below(5);
      // One of five compiled from nothing: it has no file to install.
      if (reason == 4) {
        result.push_back({slug, CompiledPlugin{}});
      } else {
        result.push_back(skipped(slug, static_cast<SkipReason>(reason)));
      }
      continue;
    }
    std::vector<domain::PluginFile> files;
    for (std::size_t more = below(3); more > 0; --more) {
      const std::string target = path();
      const std::size_t slash = target.rfind('/');
      const bool in_game = target.starts_with("cstrike/") && slash > 7;
      files.push_back(plugin_file(in_game ? target.substr(8, slash - 8) : "",
                                  target.substr(slash == std::string::npos ? 0 : slash + 1),
                                  std::to_string(below(3))));
    }
    result.push_back(compiled(slug, (chance(20) ? "_p" : "p") + std::to_string(below(4)), files));
    std::get<CompiledPlugin>(result.back().result).content_digest =
        "content " + std::to_string(below(2));
  }
  return result;
}

std::vector<domain::OverlaySection> RandomCases::overlays(const domain::Catalog& catalog) {
  std::vector<domain::OverlaySection> result;
  for (std::size_t i = below(5); i > 0; --i) {
    const std::size_t owner = below(catalog.components().size() + 2);
    result.push_back(
        {path(), owner < catalog.components().size() ? std::optional(slug_of(owner)) : std::nullopt,
         static_cast<std::int64_t>(below(3)), std::to_string(below(3))});
  }
  return result;
}

std::string RandomCases::bytes(std::size_t most) {
  std::string result;
  for (std::size_t i = below(most + 1); i > 0; --i) result += static_cast<char>(below(256));
  return result;
}

}  // namespace goldsmith::creator
