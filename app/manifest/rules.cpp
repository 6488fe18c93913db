#include "app/manifest/rules.hpp"

#include <algorithm>

#include "app/domain/names.hpp"
#include "app/manifest/manifest.hpp"
#include "app/sys/held_folder.hpp"
#include "app/sys/suggestion.hpp"

namespace goldsmith::manifest {
namespace {

constexpr std::uint64_t kCatalogLimit = 16U << 20;  // bytes of addon.json or component.json

}  // namespace

domain::Slug read_slug(const Node& node) {
  const auto slug = domain::Slug::parse(node.text(kPathLimit));
  if (!slug) {
    node.refuse(
        "is not a valid slug; allowed are lower-case letters and digits in groups joined by single "
        "hyphens, at most 64 characters");
  }
  return *slug;
}

domain::Version read_version(const Node& node) {
  const auto version = domain::Version::parse(node.text(kPathLimit));
  if (!version) {
    node.refuse(
        "is not a valid version; allowed are letters, digits and . _ + ~ - after a first letter or "
        "digit, at most 64 characters");
  }
  return *version;
}

domain::Version read_version_name(std::string_view name, const Node& value) {
  const auto version = domain::Version::parse(name);
  if (!version) {
    value.location().fail(
        "the name is not a valid version; allowed are letters, digits and . _ + ~ -");
  }
  return *version;
}

std::string read_name(const Node& node) { return node.line(kNameLimit); }

std::string read_optional_line(const Node& node) {
  return node.text(kNameLimit).empty() ? std::string() : node.line(kNameLimit);
}

std::string read_text(const Node& node) { return node.text(kTextLimit); }

std::string read_url(const Node& node) {
  std::string url = node.text(kUrlLimit);
  const bool web = url.starts_with("https://") || url.starts_with("http://");
  if (!url.empty() && (!web || url.ends_with("//") || url.find_first_of(" \t\n\"<>") != url.npos)) {
    node.refuse(
        "is not a valid address; allowed are addresses that begin with https:// or http://");
  }
  return url;
}

std::string read_toolchain(const Node& node) {
  const std::vector<std::string>& lines = domain::toolchain_lines();
  std::string toolchain = node.text(kNameLimit);
  if (std::find(lines.begin(), lines.end(), toolchain) == lines.end()) {
    node.refuse("is not a valid toolchain; allowed are " +
                sys::alternatives({lines.begin(), lines.end()}));
  }
  return toolchain;
}

std::string read_relative_path(const Node& node) {
  std::string path = node.text(kPathLimit);
  if (path.empty() || !domain::is_relative_path(path)) {
    node.refuse(
        "is not a valid file path; allowed are relative paths with / between the names, without "
        "\".\" and \"..\"");
  }
  return path;
}

std::string read_relative_folder(const Node& node) {
  std::string folder = node.text(kPathLimit);
  if (!domain::is_relative_path(folder)) {
    node.refuse(
        "is not a valid folder; allowed are relative paths with / between the names, without "
        "\".\", \"..\" and a / at either end");
  }
  return folder;
}

domain::Status read_status(const Node& node) {
  const std::string status = node.text(kNameLimit);
  if (status == "published") return domain::Status::published;
  if (status == "draft") return domain::Status::draft;
  node.refuse("is not a valid status; allowed are draft or published");
}

domain::Timestamp read_timestamp(const Node& node) {
  const std::string text = node.text(kNameLimit);
  const auto time = domain::parse_timestamp(text);
  if (!time) {
    node.refuse(
        "is not a valid time; allowed are YYYY-MM-DD HH:MM:SS or ISO 8601, of a day that exists");
  }
  return *time;
}

std::vector<Node> read_elements(const Node& node, std::size_t limit) {
  std::vector<Node> elements = node.elements();
  if (elements.size() > limit) {
    node.location().fail("has " + std::to_string(elements.size()) + " entries; at most " +
                         std::to_string(limit) + " are allowed");
  }
  return elements;
}

std::optional<std::string> optional_text(const Fields& fields, std::string_view name,
                                         std::string (*read)(const Node&)) {
  const std::optional<Node> node = fields.optional(name);
  return node ? std::optional(read(*node)) : std::nullopt;
}

std::string text_or_empty(const Fields& fields, std::string_view name,
                          std::string (*read)(const Node&)) {
  return value_or(fields, name, read, std::string());
}

void read_objects(const std::filesystem::path& file, const std::function<void(const Node&)>& read) {
  const Location location(file.string());
  std::error_code error;
  if (!std::filesystem::exists(file, error)) location.fail("does not exist");
  const json::Value value = parse_manifest(sys::read_named(file, kCatalogLimit), location);
  const Node document(location, value);
  if (!document.is_array()) return read(document);
  for (const Node& element : document.elements()) read(element);
}

json::Value parse_manifest(const std::string& text, const Location& location) {
  try {
    return json::parse(text);
  } catch (const json::ParseError& error) {
    location.fail(std::string("is not valid JSON: ") + error.what());
  }
}

}  // namespace goldsmith::manifest
