#include "app/domain/plugin_manifest.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/manifest_fields.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::domain {

namespace {

constexpr std::size_t kMaxTags = 32;
constexpr std::size_t kMaxVersions = 1000;

std::string read_file_name(const Node& node) {
  std::string name = node.text(kPathLimit);
  if (!is_file_name(name)) {
    node.refuse(
        "is not a valid file name; allowed are 1 to 255 bytes without / and \\, and not \".\" or "
        "\"..\"");
  }
  return name;
}

// It is a key of the API's `downloads` object.
std::string check_kind(std::string kind, const Node& node) {
  const bool plain = std::all_of(kind.begin(), kind.end(), [](char c) {
    return is_lower(c) || is_digit(c) || c == '_' || c == '-';
  });
  if (kind.empty() || kind.size() > 32 || !plain) {
    node.refuse(
        "gives no kind; allowed are 1 to 32 lower-case letters, digits, _ and -, as in \"kind\": "
        "\"sma\"");
  }
  return kind;
}

// The extension in lower case. `node` is what the file's name was taken from.
std::string kind_of(const std::string& filename, const Node& node) {
  const std::size_t dot = filename.rfind('.');
  std::string kind = dot == std::string::npos
                         ? ""
                         : base::to_lower_ascii(std::string_view(filename).substr(dot + 1));
  return check_kind(std::move(kind), node);
}

std::string charset_of(std::string_view content, const PluginTools& tools) {
  if (!base::is_text(content)) return "";
  if (is_utf8(content)) return "UTF-8";
  return tools.code_page ? tools.code_page(content) : base::detect_code_page(content);
}

// Where the files of the manifest are, and what reads them.
struct Origin {
  const ManifestSource& source;
  const PluginTools& tools;
};

PluginFile read_file_entry(const Node& node, const Origin& origin) {
  const Fields fields(node, {"path", "filename", "install_dir", "kind", "primary"});
  const Node path_node = fields.required("path");
  const std::string path = read_relative_path(path_node);
  const std::optional<Node> name_node = fields.optional("filename");
  const std::optional<Node> kind_node = fields.optional("kind");

  PluginFile file;
  file.filename = name_node ? read_file_name(*name_node) : path.substr(path.rfind('/') + 1);
  fields.read("install_dir", read_relative_folder, file.install_dir);
  file.kind = kind_node ? check_kind(kind_node->text(kNameLimit), *kind_node)
                        : kind_of(file.filename, name_node ? *name_node : path_node);
  fields.read("primary", read_flag, file.is_primary);
  file.content = origin.source.read(path, path_node);
  file.size_bytes = static_cast<std::int64_t>(file.content.size());
  file.sha1 = base::sha1_hex(file.content);
  file.charset = charset_of(file.content, origin.tools);
  return file;
}

// `owner`: the version and its plugin, for messages.
std::vector<PluginFile> read_files(const Node& node, const Origin& origin,
                                   const std::string& owner) {
  std::vector<PluginFile> files;
  std::set<std::string> places;
  bool has_primary = false;
  std::uint64_t bytes = 0;
  std::uint64_t paths = 0;
  const std::vector<Node> elements = node.elements();
  if (elements.size() > kMostVersionFiles) {
    node.location().fail(fmt::format("{} has {} files; at most {} are allowed", owner,
                                     elements.size(), kMostVersionFiles));
  }
  for (const Node& element : elements) {
    PluginFile file = read_file_entry(element, origin);
    const std::string place =
        file.install_dir.empty() ? file.filename : file.install_dir + '/' + file.filename;
    if (!places.insert(place).second) {
      element.location().fail("\"" + place +
                              "\" is the place of two files; each file of a version needs a "
                              "\"filename\" or \"install_dir\" of its own");
    }
    if (file.is_primary && has_primary) {
      element.location().member("primary").fail(
          "a second file is primary; at most one file of a version may be");
    }
    has_primary = has_primary || file.is_primary;
    bytes += file.content.size();
    paths += path_bytes(file);
    if (bytes > kMostVersionBytes) file.content.clear();  // it is only counted
    files.push_back(std::move(file));
  }
  const auto check = [&](std::string_view what, std::uint64_t count, std::uint64_t most) {
    if (count <= most) return;
    node.location().fail(fmt::format("the {} of {} have {} bytes together; at most {} are allowed",
                                     what, owner, count, most));
  };
  check("files", bytes, kMostVersionBytes);
  check("paths of the files", paths, kMostVersionPathBytes);
  std::sort(files.begin(), files.end(), [](const auto& left, const auto& right) {
    return std::tie(left.filename, left.install_dir) < std::tie(right.filename, right.install_dir);
  });
  return files;
}

// Null if it is not stored.
const PluginVersion* find_version(const Plugin* stored, const Version& version) {
  if (stored == nullptr) return nullptr;
  const auto found = std::find_if(stored->versions.begin(), stored->versions.end(),
                                  [&](const auto& each) { return each.version == version; });
  return found == stored->versions.end() ? nullptr : &*found;
}

// Without the content, which a store may have left out.
bool same_files(const PluginVersion& left, const PluginVersion& right) {
  const auto fields = [](const PluginFile& file) {
    return std::tie(file.filename, file.install_dir, file.kind, file.is_primary, file.sha1,
                    file.size_bytes);
  };
  return std::equal(left.files.begin(), left.files.end(), right.files.begin(), right.files.end(),
                    [&](const auto& a, const auto& b) { return fields(a) == fields(b); });
}

// What was found about files counts for the same ones alone, and why they were not published no
// more when they are.
void keep_origin(PluginVersion& version, const PluginVersion& known) {
  if (!same_files(version, known)) return;
  version.origin = known.origin;
  if (version.status == Status::draft) version.held = known.held;
}

PluginVersion read_plugin_version(const Node& node, const Origin& origin, const Slug& plugin,
                                  const Plugin* stored) {
  const Fields fields(node, {"version", "created_at", "status", "files", "changes"});
  PluginVersion version;
  version.version = read_version(fields.required("version"));
  fields.read("created_at", read_timestamp, version.created_at);
  const PluginVersion* known = find_version(stored, version.version);
  if (known) version.status = known->status;
  fields.read("status", read_status, version.status);
  if (const std::optional<Node> files = fields.optional("files")) {
    version.files =
        read_files(*files, origin, "version \"" + version.version + "\" of \"" + plugin + "\"");
  }
  fields.read("changes", read_version_changes, version.changes);
  if (known) keep_origin(version, *known);
  return version;
}

// `stored`: null if the plugin is new.
std::vector<PluginVersion> read_versions(const Node& node, const Origin& origin, const Slug& plugin,
                                         const Plugin* stored) {
  std::vector<PluginVersion> versions;
  std::set<Version> names;
  for (const Node& element : read_elements(node, kMaxVersions)) {
    versions.push_back(read_plugin_version(element, origin, plugin, stored));
    if (!names.insert(versions.back().version).second) {
      element.location().member("version").fail("\"" + versions.back().version +
                                                "\" is listed twice; each version is listed once");
    }
  }
  std::sort(
      versions.begin(), versions.end(),
      [](const PluginVersion& left, const PluginVersion& right) { return is_newer(left, right); });
  return versions;
}

std::vector<std::string> read_tags(const Node& node) {
  std::vector<std::string> tags;
  for (const Node& element : read_elements(node, kMaxTags)) {
    const std::string text = element.line(64);
    if (text.find(',') != std::string::npos) {
      element.refuse("holds a comma; write each tag as an entry of its own");
    }
    std::string tag(base::trim(text));
    if (std::find(tags.begin(), tags.end(), tag) != tags.end()) {
      element.refuse("is listed twice; each tag is listed once");
    }
    tags.push_back(std::move(tag));
  }
  return tags;
}

Rating read_rating(const Node& node) {
  const Fields fields(node, {"sum", "count"});
  const std::int64_t count = read_count(fields.required("count"));
  return {fields.required("sum").integer(count, 5 * count), count};  // one to five stars each
}

Plugin read_document(const Node& node, const Origin& origin, const StoredPlugin& find_stored) {
  const Fields fields(
      node, {"slug", "name", "category", "author", "license", "tags", "original_url", "toolchain",
             "status", "rating", "downloads", "versions", "summary", "description", "links",
             "cvars", "commands", "game_modes", "upstream"});
  Plugin plugin;
  plugin.slug = read_slug(fields.required("slug"));
  const std::optional<Plugin> stored = find_stored ? find_stored(plugin.slug) : std::nullopt;
  plugin.name = read_name(fields.required("name"));
  plugin.category = read_slug(fields.required("category"));
  fields.read("author", read_optional_line, plugin.author);
  fields.read("license", read_optional_line, plugin.license);
  fields.read("tags", read_tags, plugin.tags);
  fields.read("original_url", read_url, plugin.original_url);
  plugin.toolchain = toolchain_lines().back();
  fields.read("toolchain", read_toolchain, plugin.toolchain);
  if (stored) plugin.status = stored->status;
  fields.read("status", read_status, plugin.status);
  fields.read("rating", read_rating, plugin.rating);
  fields.read("downloads", read_count, plugin.downloads);
  fields.read("summary", read_plugin_summary, plugin.summary);
  plugin.about = read_plugin_about(fields);
  if (stored) plugin.upstream = stored->upstream;
  if (const std::optional<Node> upstream = fields.optional("upstream")) {
    plugin.upstream = read_plugin_upstream(*upstream, plugin.upstream);
  }
  plugin.versions =
      read_versions(fields.required("versions"), origin, plugin.slug, stored ? &*stored : nullptr);
  return plugin;
}

}  // namespace

Plugin read_plugin(const std::filesystem::path& path, const StoredPlugin& stored,
                   const PluginTools& tools) {
  return read_plugin(*open_source(path, tools), stored, tools);
}

Plugin read_plugin(const ManifestSource& source, const StoredPlugin& stored,
                   const PluginTools& tools) {
  const Location location(source.manifest_name());
  const json::Value document = source.manifest();
  return read_document(Node(location, document), {source, tools}, stored);
}

}  // namespace goldsmith::domain
