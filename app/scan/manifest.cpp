#include "app/scan/manifest.hpp"

#include <utility>

#include "app/domain/manifest.hpp"
#include "app/domain/record.hpp"

namespace goldsmith::scan {

namespace {

// Where a version's files are in the plugin's folder.
std::string folder_in(const ScannedPlugin& plugin, const ScannedPlugin& version) {
  return plugin.others.empty() ? "" : version.version.str() + '/';
}

json::Object view(const ScannedPlugin& plugin, const ScannedPlugin& version) {
  json::Array files;
  for (const ScannedFile& file : version.files) {
    json::Object entry{{"path", folder_in(plugin, version) + file.path},
                       {"install_dir", file.install_dir()}};
    if (&file == &version.files.front()) entry.emplace("primary", true);
    files.emplace_back(std::move(entry));
  }
  return {{"version", version.version}, {"files", std::move(files)}};
}

std::string category_of(const ScannedPlugin& plugin, const ManifestOptions& options) {
  if (!options.category.empty()) return options.category;
  return plugin.topics.category.empty() ? "general" : plugin.topics.category.str();
}

}  // namespace

Contents files_beside(const ScannedPlugin& plugin) {
  Contents contents;
  for (const ScannedPlugin* version : versions_of(plugin)) {
    for (const ScannedFile& file : version->files) {
      contents.emplace(folder_in(plugin, *version) + file.path,
                       [version, &file] { return version->tree->read(*file.source); });
    }
  }
  contents.erase(domain::kPluginManifest);
  return contents;
}

json::Object manifest_of(const ScannedPlugin& plugin, const ManifestOptions& options) {
  const std::vector<const ScannedPlugin*> versions = versions_of(plugin);
  const ScannedPlugin& newest = *versions.front();
  const pawn::SourceFacts& facts = newest.facts;
  json::Array commands;
  for (const pawn::CommandFact& command : facts.commands) {
    json::Object entry{{"name", command.name}, {"help", command.help}};
    if (command.flags && !command.is_server_only) entry.emplace("flags", *command.flags);
    if (command.is_server_only) entry.emplace("server_only", true);
    commands.emplace_back(std::move(entry));
  }
  json::Array made;
  for (const ScannedPlugin* version : versions) made.emplace_back(view(plugin, *version));
  json::Object manifest{{"slug", plugin.slug},
                        {"name", newest.name()},
                        {"summary", newest.prose.summary},
                        {"description", newest.prose.description},
                        {"category", category_of(newest, options)},
                        {"author", facts.author},
                        {"license", facts.license},
                        {"original_url", facts.url},
                        {"cvars", domain::to_json(facts.cvars)},
                        {"commands", std::move(commands)},
                        {"toolchain", newest.toolchain},
                        {"versions", std::move(made)}};
  if (!newest.topics.tags.empty()) {
    manifest.emplace("tags",
                     json::array_of(newest.topics.tags, [](const auto& each) { return each.tag; }));
  }
  if (!newest.topics.game_modes.empty()) {
    manifest.emplace("game_modes", domain::to_json(newest.topics.game_modes));
  }
  if (options.is_published) manifest.emplace("status", "published");
  return manifest;
}

}  // namespace goldsmith::scan
