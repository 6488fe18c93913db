// plugin.json, addon.json, component.json and overlays.json: read strictly, so that a typo is an
// error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/domain/addon.hpp"
#include "app/domain/component.hpp"
#include "app/domain/overlay.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::manifest {

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

// `path`: a folder that holds plugin.json, the plugin.json itself, or a .zip of such a folder (at
// its root or inside its only top folder). Links and sources over 1 MB are refused (decision P12).
// Files come with content, digest and size. A version's `created_at` may be absent: a store knows
// when the version was first imported.
domain::Plugin read_plugin(const std::filesystem::path& path, const StoredPlugin& stored = {});

// A file holds one object or an array of them. `created_at` as above.
std::vector<domain::AddonPack> read_addons(const std::filesystem::path& path,
                                           const StoredPackStatus& stored = {});
std::vector<domain::Component> read_components(const std::filesystem::path& path);

inline constexpr std::int64_t kMaxOverlayPosition = 1'000'000;

// A file holds one section or an array of them; the text of each is a file beside the manifest.
std::vector<domain::OverlaySection> read_overlays(const std::filesystem::path& path);
// The text of a section, at most 1 MB; throws ManifestError or sys::FileError.
std::string read_overlay_text(const std::filesystem::path& file);

}  // namespace goldsmith::manifest
