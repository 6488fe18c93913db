#include "app/domain/manifest_fields.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "app/base/held_folder.hpp"
#include "app/base/text.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::domain {

namespace {

constexpr std::int64_t kMaxCount = 1'000'000'000'000;
constexpr std::size_t kDisplayLimit = 80;

// Names that can stand in a field path as they are; others are quoted in brackets.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), [](char c) {
    return is_alphanumeric(c) || c == '_';
  });
}

std::string_view type_name(const json::Value& value) {
  if (value.as_bool()) return "a boolean";
  if (value.as_integer() || value.as_double()) return "a number";
  if (value.as_string()) return "a string";
  if (value.as_array()) return "an array";
  if (value.as_object()) return "an object";
  return "not allowed";
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\n") == std::string_view::npos;
}

constexpr std::uint64_t kCatalogLimit = 16U << 20;  // bytes of addon.json or component.json

}  // namespace

Location Location::member(std::string_view name) const {
  if (!is_plain_name(name)) return Location(file_, field_ + '[' + display(std::string(name)) + ']');
  return Location(file_, field_.empty() ? std::string(name) : field_ + '.' + std::string(name));
}

Location Location::element(std::size_t index) const {
  return Location(file_, fmt::format("{}[{}]", field_, index));
}

void Location::fail(const std::string& problem) const {
  throw ManifestError(field_.empty() ? file_ + ": " + problem
                                     : file_ + ": " + field_ + ": " + problem);
}

std::string Node::text(std::size_t limit) const {
  const std::string* text = value_->as_string();
  if (!text) wrong_type("a string");
  if (text->size() > limit) {
    refuse(fmt::format("has {} bytes; at most {} are allowed", text->size(), limit));
  }
  if (!base::is_printable(*text, "\n\t")) {
    refuse("holds a character that is not printable; only line feeds and tabs are allowed");
  }
  return *text;
}

std::string Node::line(std::size_t limit) const {
  std::string line = text(limit);
  if (is_blank(line)) refuse("is blank; it needs some text");
  if (line.find_first_of("\n\t") != std::string::npos) {
    refuse("holds a line feed or tab; it must be one line of text");
  }
  return line;
}

bool Node::boolean() const {
  const bool* value = value_->as_bool();
  if (!value) wrong_type("true or false");
  return *value;
}

std::int64_t Node::integer(std::int64_t min, std::int64_t max) const {
  const std::int64_t* value = value_->as_integer();
  if (!value) wrong_type("an integer");
  if (*value < min || *value > max) {
    refuse(fmt::format("is out of bounds; allowed are {} to {}", min, max));
  }
  return *value;
}

std::vector<Node> Node::elements() const {
  const json::Array* array = value_->as_array();
  if (!array) wrong_type("an array");
  std::vector<Node> elements;
  for (std::size_t i = 0; i < array->size(); ++i) {
    elements.emplace_back(location_.element(i), (*array)[i]);
  }
  return elements;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  const json::Object* object = value_->as_object();
  if (!object) wrong_type("an object");
  std::vector<std::pair<std::string, Node>> members;
  for (const auto& [name, value] : *object) {
    members.emplace_back(name, Node(location_.member(name), value));
  }
  return members;
}

void Node::refuse(const std::string& problem) const {
  location_.fail(display(*value_) + ' ' + problem);
}

void Node::wrong_type(std::string_view wanted) const {
  location_.fail(
      fmt::format("{} is {}; it must be {}", display(*value_), type_name(*value_), wanted));
}

Fields::Fields(const Node& node, std::initializer_list<std::string_view> known)
    : location_(node.location()), object_(node.value_->as_object()) {
  if (!object_) node.wrong_type("an object");
  for (const auto& [name, value] : *object_) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view meant = base::nearest(name, known);
    const Location location = location_.member(name);
    if (!meant.empty()) {
      location.fail("unknown field; did you mean \"" + std::string(meant) + "\"?");
    }
    location.fail("unknown field; allowed are " + base::alternatives(known));
  }
}

Node Fields::required(std::string_view name) const {
  std::optional<Node> node = optional(name);
  if (!node) location_.member(name).fail("missing; this field is mandatory");
  return *std::move(node);
}

std::optional<Node> Fields::optional(std::string_view name) const {
  const auto found = object_->find(name);
  if (found == object_->end()) return std::nullopt;
  return Node(location_.member(name), found->second);
}

std::int64_t read_count(const Node& node) { return node.integer(0, kMaxCount); }

std::string display(const json::Value& value) {
  std::string text = json::to_string(value);
  if (text.size() <= kDisplayLimit) return text;
  return std::string(base::first_bytes(text, kDisplayLimit)) + "…";
}

Slug read_slug(const Node& node) {
  const auto slug = Slug::parse(node.text(kPathLimit));
  if (!slug) {
    node.refuse(
        "is not a valid slug; allowed are lower-case letters and digits in groups joined by single "
        "hyphens, at most 64 characters");
  }
  return *slug;
}

Version read_version(const Node& node) {
  const auto version = Version::parse(node.text(kPathLimit));
  if (!version) {
    node.refuse(
        "is not a valid version; allowed are letters, digits and . _ + ~ - after a first letter or "
        "digit, at most 64 characters");
  }
  return *version;
}

Version read_version_name(std::string_view name, const Node& value) {
  const auto version = Version::parse(name);
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
  const std::vector<std::string>& lines = toolchain_lines();
  std::string toolchain = node.text(kNameLimit);
  if (std::find(lines.begin(), lines.end(), toolchain) == lines.end()) {
    node.refuse("is not a valid toolchain; allowed are " +
                base::alternatives({lines.begin(), lines.end()}));
  }
  return toolchain;
}

std::string read_relative_path(const Node& node) {
  std::string path = node.text(kPathLimit);
  if (path.empty() || !is_relative_path(path)) {
    node.refuse(
        "is not a valid file path; allowed are relative paths with / between the names, without "
        "\".\" and \"..\"");
  }
  return path;
}

std::string read_relative_folder(const Node& node) {
  std::string folder = node.text(kPathLimit);
  if (!is_relative_path(folder)) {
    node.refuse(
        "is not a valid folder; allowed are relative paths with / between the names, without "
        "\".\", \"..\" and a / at either end");
  }
  return folder;
}

Status read_status(const Node& node) {
  const std::string status = node.text(kNameLimit);
  if (status == "published") return Status::published;
  if (status == "draft") return Status::draft;
  node.refuse("is not a valid status; allowed are draft or published");
}

bool read_flag(const Node& node) { return node.boolean(); }

Timestamp read_timestamp(const Node& node) {
  const std::string text = node.text(kNameLimit);
  const auto time = parse_timestamp(text);
  if (!time) {
    node.refuse(
        "is not a valid time; allowed are YYYY-MM-DD HH:MM:SS or ISO 8601, of a day that exists");
  }
  return *time;
}

std::vector<Node> read_elements(const Node& node, std::size_t limit) {
  std::vector<Node> elements = node.elements();
  if (elements.size() > limit) {
    node.location().fail(
        fmt::format("has {} entries; at most {} are allowed", elements.size(), limit));
  }
  return elements;
}

void read_objects(const std::filesystem::path& file, const std::function<void(const Node&)>& read) {
  const Location location(file.string());
  std::error_code error;
  if (!std::filesystem::exists(file, error)) location.fail("does not exist");
  const json::Value value = parse_manifest(base::read_named(file, kCatalogLimit), location);
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

}  // namespace goldsmith::domain
