// Manifests that operators import, which others wrote. The first line of the input says which kind.
#include <fcntl.h>

#include <algorithm>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/names.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

void check_line(std::string_view text) {
  require(domain::is_utf8(text), "a text is UTF-8");
  require(text.find('\n') == std::string_view::npos, "and one line");
}

void check_rules(const domain::InstallRules& rules) {
  for (const domain::PathMap& map : rules.map) {
    check_line(map.from);
    check_line(map.to);
  }
  for (const std::string& glob : rules.drop) check_line(glob);
}

void check_places(const domain::Places& places) {
  require(!places.looked_for.empty(), "what is read is looked for somewhere");
  for (const std::string& place : places.looked_for) {
    check_line(place);
    require(domain::is_relative_path(place) && place.find_first_of(" \t") == std::string::npos,
            "a place is a safe word");
  }
  for (const std::string& setting : places.identity) check_line(setting);
}

void check_component(const domain::Component& component) {
  require(domain::Slug::is_legal(component.slug), "a slug is legal");
  check_line(component.name);
  check_line(component.license);
  check_rules(component.install);
  for (const auto& [version, rules] : component.install_overrides) check_rules(rules);
  for (const domain::Places& places : component.places) check_places(places);
  for (const std::string& url : component.upstream.urls)
    require(url.starts_with("https://"), "an address is https");
  for (const auto& [version, digests] : component.upstream.sha256) {
    for (const std::string& digest : digests) require(digest.size() == 64, "a digest is whole");
  }
  require(!component.upstream.signature || component.upstream.signature->key.size() == 40,
          "a key, too");
}

void check_plugin(const domain::Plugin& plugin) {
  require(domain::Slug::is_legal(plugin.slug) && domain::Slug::is_legal(plugin.category),
          "slugs are legal");
  check_line(plugin.name);
  check_line(plugin.author);
  check_line(plugin.summary);
  require(base::count_code_points(plugin.summary) <= 200, "a summary is short");
  require(plugin.rating.sum >= plugin.rating.count &&
              plugin.rating.sum <= 5 * plugin.rating.count && plugin.rating.count >= 0 &&
              plugin.downloads >= 0,
          "numbers make sense");
  for (const domain::PluginLink& link : plugin.about.links)
    require(link.url.starts_with("http"), "a link is http");
}

void check_addons(const std::filesystem::path& file) {
  for (const domain::AddonPack& pack : domain::read_addons(file)) {
    require(domain::Slug::is_legal(pack.slug), "a slug is legal");
    check_line(pack.name);
    auto plugins = pack.plugins;
    std::sort(plugins.begin(), plugins.end());
    require(std::unique(plugins.begin(), plugins.end()) == plugins.end(), "a plugin is there once");
  }
}

void read(std::string_view kind, const std::filesystem::path& folder) {
  if (kind == "plugin") check_plugin(domain::read_plugin(folder));
  if (kind == "addon") check_addons(folder / "plugin.json");
  if (kind == "component") {
    for (const auto& each : domain::read_components(folder / "plugin.json")) check_component(each);
  }
  if (kind == "overlay") {
    for (const domain::OverlaySection& section : domain::read_overlays(folder / "plugin.json")) {
      require(domain::is_relative_path(section.path) && !section.path.empty(), "a path is safe");
      require(section.content == "// a file\n", "the text is that of the file beside it");
    }
  }
}

// With the manifest and one more file, which it may name.
const std::filesystem::path& manifest_folder() {
  static const base::TempDir folder("/dev/shm");
  static const std::filesystem::path path = [] {
    base::write_atomically(folder.path() / "a.sma", "// a file\n");
    return folder.path();
  }();
  return path;
}

}  // namespace

FUZZ_TARGET(manifests,
            "app/domain/manifest.cpp app/domain/manifest_fields.cpp "
            "app/domain/component_manifest.cpp app/domain/plugin_manifest.cpp "
            "app/domain/upstream_manifest.cpp app/domain/plugin_about.cpp") {
  const std::string_view kind = fuzz::take_until(input, '\n');
  const std::filesystem::path file = manifest_folder() / "plugin.json";
  const base::UniqueFd fd = base::open_file(file, O_CREAT | O_TRUNC | O_WRONLY);
  base::write_all(fd.get(), input, file);
  try {
    read(kind, manifest_folder());
  } catch (const domain::ManifestError& error) {
    check_line(error.what());
    require(std::string_view(error.what()).starts_with(manifest_folder().string()),
            "an error names the file");
  }
}
