#include <set>
#include <utility>

#include "app/manifest/manifest.hpp"
#include "app/manifest/rules.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::manifest {
namespace {

// Reads what a file of the manifest's folder holds.
std::string read_content(const Node& node) {
  const std::filesystem::path folder = std::filesystem::path(node.location().file()).parent_path();
  const std::filesystem::path file = folder / read_relative_path(node);
  try {
    return read_overlay_text(file);
  } catch (const std::exception& error) {
    node.location().fail(error.what());
  }
}

domain::OverlaySection read_section(const Node& node) {
  const Fields fields(node, {"path", "component", "position", "file"});
  domain::OverlaySection section;
  section.path = read_relative_path(fields.required("path"));
  if (const auto component = fields.optional("component")) {
    section.component = read_slug(*component);
  }
  section.position = value_or(
      fields, "position",
      [](const Node& position) { return position.integer(0, kMaxOverlayPosition); },
      std::int64_t{0});
  section.content = read_content(fields.required("file"));
  return section;
}

}  // namespace

std::vector<domain::OverlaySection> read_overlays(const std::filesystem::path& path) {
  std::vector<domain::OverlaySection> sections;
  std::set<std::pair<std::string, std::optional<domain::Slug>>> names;
  read_objects(path, [&](const Node& node) {
    domain::OverlaySection section = read_section(node);
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
  constexpr std::uint64_t kTextBytes = 1U << 20;
  std::string text = sys::read_file(file, kTextBytes);
  if (text.find('\0') != std::string::npos) {
    throw ManifestError(file.string() + ": holds a NUL byte; a section is text");
  }
  return text;
}

}  // namespace goldsmith::manifest
