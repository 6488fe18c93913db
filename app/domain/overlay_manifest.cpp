// What an operator puts before or behind the text of generated files.
#include <optional>
#include <set>
#include <utility>

#include "app/base/held_folder.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/manifest_fields.hpp"

namespace goldsmith::domain {

namespace {

constexpr std::uint64_t kTextBytes = 1U << 20;

std::string checked(std::string text, const std::filesystem::path& file) {
  if (text.find('\0') != std::string::npos) {
    throw ManifestError(file.string() + ": holds a NUL byte; a section is text");
  }
  return text;
}

// Reads what a file of the manifest's folder holds.
std::string read_content(const Node& node, const base::HeldFolder& folder) {
  const std::string path = read_relative_path(node);
  try {
    return checked(folder.read(path, kTextBytes), folder.path() / path);
  } catch (const std::exception& error) {
    node.location().fail(error.what());
  }
}

std::int64_t read_position(const Node& node) { return node.integer(0, kMaxOverlayPosition); }

OverlaySection read_section(const Node& node, const base::HeldFolder& folder) {
  const Fields fields(node, {"path", "component", "position", "file"});
  OverlaySection section;
  section.path = read_relative_path(fields.required("path"));
  fields.read("component", read_slug, section.component);
  fields.read("position", read_position, section.position);
  section.content = read_content(fields.required("file"), folder);
  return section;
}

}  // namespace

std::vector<OverlaySection> read_overlays(const std::filesystem::path& path) {
  std::vector<OverlaySection> sections;
  std::set<std::pair<std::string, std::optional<Slug>>> names;
  std::optional<base::HeldFolder> folder;
  read_objects(path, [&](const Node& node) {
    if (!folder) folder.emplace(path.has_parent_path() ? path.parent_path() : ".");
    OverlaySection section = read_section(node, *folder);
    if (!names.emplace(section.path, section.component).second) {
      node.location().member("path").fail("\"" + section.path +
                                          "\" has a section for this component already; a path has "
                                          "one section for each component and one for none");
    }
    sections.push_back(std::move(section));
  });
  return sections;
}

std::string read_overlay_text(const std::filesystem::path& file) {
  return checked(base::read_named(file, kTextBytes), file);
}

}  // namespace goldsmith::domain
