// plugin.json, addon.json, component.json and overlays.json: read strictly, so that a typo is an
// error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "app/domain/component.hpp"
#include "app/domain/manifest_fields.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::domain {

// what() = "FILE: FIELD: what is wrong with VALUE, and what is allowed".
class ManifestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What is stored under a slug, if anything. A status that the manifest omits keeps its stored
// value, so that importing again does not undo a `publish` or `unpublish`; without a stored value
// a plugin or pack is a draft, and a version is published (decision P12).
using StoredPlugin = std::function<std::optional<domain::Plugin>(const domain::Slug& slug)>;
using StoredPackStatus = std::function<std::optional<domain::Status>(const domain::Slug& slug)>;

// What reads the bytes of strangers for read_plugin(): without rights, if this process has any
// (decision O19). `unzip` gives the files of an archive by their paths, which are safe; one that is
// too large for a plugin is std::nullopt. `path` is for messages. What it throws passes.
struct PluginTools {
  using Files = std::map<std::string, std::optional<std::string>, std::less<>>;

  std::function<Files(const base::UniqueFd& archive, const std::filesystem::path& path)> unzip;
  // The code page of a text that is not UTF-8; absent = detect_code_page().
  std::function<std::string(std::string_view text)> code_page;
};

// `path`: a folder that holds plugin.json, the plugin.json itself, or a .zip of such a folder (at
// its root or inside its only top folder), which needs tools. Links in the folder, whenever they
// appear, and sources over 1 MB are refused (decision P12); links on the way to it are followed as
// base::open_named() follows them.
// Files come with content, digest and size. A version's `created_at` may be absent: a store knows
// when the version was first imported.
Plugin read_plugin(const std::filesystem::path& path, const StoredPlugin& stored = {},
                   const PluginTools& tools = {});

// A file holds one object or an array of them. `created_at` as above.
std::vector<AddonPack> read_addons(const std::filesystem::path& path,
                                   const StoredPackStatus& stored = {});
std::vector<Component> read_components(const std::filesystem::path& path);
// The object of one of them; `name` is for messages.
AddonPack read_addon(const json::Value& object, const std::string& name,
                     const StoredPackStatus& stored = {});
Component read_component(const json::Value& object, const std::string& name);

inline constexpr std::int64_t kMaxOverlayPosition = 1'000'000;

// A file holds one section or an array of them; the text of each is a file beside the manifest.
std::vector<OverlaySection> read_overlays(const std::filesystem::path& path);
// The text of a section, at most 1 MB; throws ManifestError or base::FileError.
std::string read_overlay_text(const std::filesystem::path& file);

// Where a plugin's files come from: a folder or a .zip of one.

// Larger plugin files are refused (decision P12).
inline constexpr std::uint64_t kSourceLimit = 1U << 20;
// The name of a plugin's manifest.
inline constexpr const char* kPluginManifest = "plugin.json";

class ManifestSource {
 public:
  virtual ~ManifestSource() = default;
  // Where the manifest is, for messages.
  virtual std::string manifest_name() const = 0;
  // Throws ManifestError.
  virtual json::Value manifest() const = 0;
  // The file at `path`, relative to the manifest: names joined by `/`, none of them `.` or `..`.
  // Refused at `node`, which holds the path: a missing file, a link, a folder, a file that is too
  // large.
  virtual std::string read(const std::string& path, const Node& node) const = 0;
};

// As above, from a source that somebody else opened.
Plugin read_plugin(const ManifestSource& source, const StoredPlugin& stored,
                   const PluginTools& tools);

// Throws ManifestError if `path` is not a folder, a .json or a .zip file.
std::unique_ptr<ManifestSource> open_source(const std::filesystem::path& path,
                                            const PluginTools& tools);

// That of the files of a .zip; open_source() chooses.
std::unique_ptr<ManifestSource> zip_source(const std::filesystem::path& file,
                                           PluginTools::Files files);

}  // namespace goldsmith::domain
