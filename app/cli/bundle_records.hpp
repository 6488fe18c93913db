// What a bundle tells of each of its items (decision O29): JSON, of plugins, packs and components
// that of their manifests. What is read is not trusted, and throws domain::ManifestError.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/json.hpp"
#include "app/domain/component.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::cli {

// The kinds of items.
inline constexpr std::string_view kComponentItem = "component";
inline constexpr std::string_view kVersionItem = "version";  // that is mirrored
inline constexpr std::string_view kPluginItem = "plugin";
inline constexpr std::string_view kPackItem = "pack";
inline constexpr std::string_view kOverlayItem = "overlay";      // a section
inline constexpr std::string_view kToolchainItem = "toolchain";  // a line
inline constexpr std::string_view kIncludeItem = "include";      // a file of the operator's

// Adds a member, unless it is null or empty.
void add_unless_empty(json::Object& object, std::string_view name, json::Value value);

// Without versions. What read_component() reads.
json::Object told_component(const domain::Component& component);

// Without status and counters, which each host has of its own. `path_of` says where a manifest
// finds the content of a file.
json::Object told_plugin(const domain::Plugin& plugin,
                         const std::function<std::string(const domain::PluginFile&)>& path_of);
// What is compared of a stored plugin: its files need no content.
std::string identity_of(const domain::Plugin& plugin);

// What a bundle tells of a plugin beside its manifest.
struct BundledFindings {
  std::map<domain::Version, domain::VersionOrigin> origins = {};
  // SHA-256 of what db::write_verdicts() writes of a version.
  std::map<domain::Version, std::string> verdicts = {};
  domain::PluginUpstream upstream = {};  // what was found of it, and nothing else
};
void add_findings(json::Object& told, const domain::Plugin& plugin,
                  const std::map<domain::Version, std::string>& verdicts);
// Takes them out of what add_findings() was given, so that it is a manifest.
BundledFindings take_findings(json::Value& told, const std::string& name);

// Likewise without status, counter and time.
json::Object told_pack(const domain::AddonPack& pack);

// A mirrored version.
struct BundledVersion {
  domain::Slug component;
  // Files have their paths and natives, in the order of the paths, and nothing else.
  domain::ComponentVersion version;
  std::string content = {};  // SHA-256 of the depot's file
};
json::Object told_version(const BundledVersion& version);
BundledVersion read_version(const json::Value& object, const std::string& name);

// A section of an overlay; its content is `content` of the bundle.
struct BundledSection {
  domain::OverlaySection section;  // without content
  std::string content = {};
};
json::Object told_section(const BundledSection& section);
BundledSection read_section(const json::Value& object, const std::string& name);

// The files of a toolchain, or an include.
struct BundledFile {
  std::string path = {};
  std::string content = {};  // SHA-256
  bool executable = false;

  friend bool operator==(const BundledFile&, const BundledFile&) = default;
};
json::Object told_files(const std::vector<BundledFile>& files);
std::vector<BundledFile> read_files(const json::Value& object, const std::string& name);

}  // namespace goldsmith::cli
