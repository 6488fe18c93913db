#include "app/cli/bundle_records.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "app/base/digest.hpp"
#include "app/domain/manifest_fields.hpp"
#include "app/domain/record.hpp"

namespace goldsmith::cli {
namespace {

using domain::Fields;
using domain::Location;
using domain::Node;

constexpr std::size_t kMostFiles = 100'000;     // of a version
constexpr std::size_t kMostOfToolchain = 5000;  // files
constexpr std::size_t kMostNames = 100'000;     // of a file
constexpr std::size_t kMostSources = 16;
constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMostNotes = 1U << 20;

std::string read_digest(const Node& node) {
  std::string text = node.text(64);
  if (!base::is_sha256_hex(text)) node.refuse("is not a SHA-256");
  return text;
}

std::string read_notes(const Node& node) { return node.text(kMostNotes); }

std::uint64_t read_size(const Node& node) {
  return static_cast<std::uint64_t>(node.integer(0, kAnyNumber));
}

std::vector<std::string> read_names(const Node& node, std::string_view path) {
  std::vector<std::string> names;
  const bool offers = domain::has_natives(path);
  for (const Node& element : domain::read_elements(node, kMostNames)) {
    names.push_back(element.text(domain::kNameLimit));
    if (!(offers ? domain::is_native_name(names.back()) : domain::is_declared_name(names.back()))) {
      element.refuse("is not the name of a native");
    }
  }
  if (!domain::has_names(path) || !std::ranges::is_sorted(names)) {
    node.location().fail("is no list of names of such a file");
  }
  return names;
}

domain::Source read_source(const Node& node) {
  const Fields fields(node, {"url", "size", "sha256", "stamp"});
  domain::Source source;
  fields.read("url", domain::read_url, source.url);
  fields.read("size", read_size, source.size);
  source.sha256 = read_digest(fields.required("sha256"));
  fields.read("stamp", domain::read_optional_line, source.stamp);
  return source;
}

domain::HoldKind read_hold_kind(const Node& node) {
  const auto kind = domain::parse_hold_kind(node.text(domain::kNameLimit));
  if (!kind || *kind == domain::HoldKind::defect) node.refuse("is not what holds a version");
  return *kind;
}

domain::Hold read_hold(const Node& node) {
  const Fields fields(node, {"reason", "at", "kind"});
  domain::Hold hold;
  hold.reason = fields.required("reason").line(domain::kTextLimit);
  hold.at = domain::read_timestamp(fields.required("at"));
  hold.kind = read_hold_kind(fields.required("kind"));
  return hold;
}

domain::Verification read_verification(const Node& node) {
  const auto verification = domain::parse_verification(node.text(domain::kNameLimit));
  if (!verification) node.refuse("is not how something is verified");
  return *verification;
}

domain::SourceIdentity read_identity(const Node& node) {
  const Fields fields(node, {"repository", "owner", "rewrites"});
  domain::SourceIdentity identity;
  fields.read("repository", domain::read_count, identity.repository);
  fields.read("owner", domain::read_count, identity.owner);
  fields.read("rewrites", domain::read_count, identity.rewrites);
  return identity;
}

std::string read_origin_text(const Node& node) {
  return node.text(domain::kUrlLimit).empty() ? std::string() : node.line(domain::kUrlLimit);
}

domain::VersionOrigin read_origin(const Node& node) {
  const Fields fields(node, {"repository", "commit", "path", "time", "sha256", "source"});
  domain::VersionOrigin origin;
  fields.read("repository", read_origin_text, origin.repository);
  fields.read("commit", read_origin_text, origin.commit);
  fields.read("path", read_origin_text, origin.path);
  fields.read("time", domain::read_timestamp, origin.time);
  fields.read("sha256", read_digest, origin.sha256);
  fields.read("source", read_identity, origin.source);
  return origin;
}

template <typename Value>
auto by_version(Value (*read)(const Node&)) {
  return [=](const Node& node) {
    std::map<domain::Version, Value> all;
    for (const auto& [name, value] : node.members()) {
      all.emplace(domain::read_version_name(name, value), read(value));
    }
    return all;
  };
}

domain::PluginUpstream read_found(const Node& node) {
  const Fields fields(node, {"gone_since", "problem", "problem_since"});
  domain::PluginUpstream found;
  fields.read("gone_since", domain::read_timestamp, found.gone_since);
  fields.read("problem", domain::read_text, found.problem);
  fields.read("problem_since", domain::read_timestamp, found.problem_since);
  return found;
}

void read_version_file(const Node& node, domain::ComponentVersion& version) {
  const Fields fields(node, {"path", "natives", "source", "source_path"});
  domain::ManifestFile file;
  const Node path = fields.required("path");
  file.path = domain::read_relative_path(path);
  if (!version.files.empty() && file.path <= version.files.back().path) {
    path.refuse("does not follow on the path before");
  }
  if (const auto natives = fields.optional("natives")) {
    file.natives = read_names(*natives, file.path);
  }
  if (const auto source = fields.optional("source")) {
    domain::FileOrigin origin;
    origin.source = static_cast<std::size_t>(
        source->integer(0, static_cast<std::int64_t>(version.sources.size()) - 1));
    fields.read("source_path", domain::read_relative_path, origin.path);
    version.origins.push_back(std::move(origin));
  }
  version.files.push_back(std::move(file));
}

}  // namespace

json::Object told_version(const BundledVersion& bundled) {
  const domain::ComponentVersion& version = bundled.version;
  json::Array files;
  files.reserve(version.files.size());
  for (std::size_t i = 0; i < version.files.size(); ++i) {
    const domain::ManifestFile& file = version.files[i];
    json::Object entry{{"path", file.path}};
    if (file.natives) entry.emplace("natives", json::array_of(*file.natives, std::identity()));
    if (!version.origins.empty()) {
      entry.emplace("source", version.origins[i].source);
      add_unless_empty(entry, "source_path", version.origins[i].path);
    }
    files.emplace_back(std::move(entry));
  }
  json::Object object{
      {"component", bundled.component},   {"version", version.version},
      {"size_bytes", version.size_bytes}, {"digest", version.digest},
      {"content", bundled.content},       {"verified", domain::to_string(version.verified)},
      {"files", std::move(files)}};
  add_unless_empty(object, "released_at", domain::to_json(version.released_at));
  add_unless_empty(object, "sources",
                   json::array_of(version.sources, [](const domain::Source& each) {
                     json::Object source{{"size", each.size}, {"sha256", each.sha256}};
                     add_unless_empty(source, "url", each.url);
                     add_unless_empty(source, "stamp", each.stamp);
                     return source;
                   }));
  add_unless_empty(object, "notes", version.notes);
  if (version.held && version.held->kind != domain::HoldKind::defect) {
    object.emplace("held", json::Object{{"reason", version.held->reason},
                                        {"at", domain::format_timestamp(version.held->at)},
                                        {"kind", domain::to_string(version.held->kind)}});
  }
  add_unless_empty(object, "source", domain::told(version.source));
  return object;
}

BundledVersion read_version(const json::Value& object, const std::string& name) {
  const Fields fields(Node(Location(name), object),
                      {"component", "version", "released_at", "size_bytes", "digest", "content",
                       "verified", "files", "sources", "notes", "held", "source"});
  BundledVersion bundled;
  domain::ComponentVersion& version = bundled.version;
  bundled.component = domain::read_slug(fields.required("component"));
  bundled.content = read_digest(fields.required("content"));
  version.version = domain::read_version(fields.required("version"));
  version.digest = read_digest(fields.required("digest"));
  fields.read("released_at", domain::read_timestamp, version.released_at);
  fields.read("size_bytes", read_size, version.size_bytes);
  fields.read("verified", read_verification, version.verified);
  fields.read("sources", domain::each(kMostSources, read_source), version.sources);
  fields.read("notes", read_notes, version.notes);
  fields.read("held", read_hold, version.held);
  fields.read("source", read_identity, version.source);
  const Node files = fields.required("files");
  for (const Node& element : domain::read_elements(files, kMostFiles)) {
    read_version_file(element, version);
  }
  if (!version.origins.empty() && version.origins.size() != version.files.size()) {
    files.location().fail("tells of some files where they come from, and not of others");
  }
  return bundled;
}

BundledFindings take_findings(json::Value& told, const std::string& name) {
  BundledFindings findings;
  if (told.as_object() == nullptr) return findings;  // which the reader of manifests refuses
  json::Object manifest = *told.as_object();
  json::Object taken;
  for (const char* const member : {"origins", "verdicts", "found_upstream"}) {
    const auto found = manifest.find(member);
    if (found == manifest.end()) continue;
    taken.emplace(member, std::move(found->second));
    manifest.erase(found);
  }
  told = json::Value(std::move(manifest));
  const json::Value value(std::move(taken));
  const Fields fields(Node(Location(name), value), {"origins", "verdicts", "found_upstream"});
  fields.read("origins", by_version(read_origin), findings.origins);
  fields.read("verdicts", by_version(read_digest), findings.verdicts);
  fields.read("found_upstream", read_found, findings.upstream);
  return findings;
}

json::Object told_section(const BundledSection& bundled) {
  const domain::OverlaySection& section = bundled.section;
  json::Object object{
      {"path", section.path}, {"position", section.position}, {"content", bundled.content}};
  if (section.component) object.emplace("component", *section.component);
  return object;
}

BundledSection read_section(const json::Value& object, const std::string& name) {
  const Fields fields(Node(Location(name), object), {"path", "position", "content", "component"});
  BundledSection bundled;
  bundled.section.path = domain::read_relative_path(fields.required("path"));
  bundled.section.position = fields.required("position").integer(0, domain::kMaxOverlayPosition);
  bundled.content = read_digest(fields.required("content"));
  fields.read("component", domain::read_slug, bundled.section.component);
  return bundled;
}

json::Object told_files(const std::vector<BundledFile>& files) {
  return {{"files", json::array_of(files, [](const BundledFile& each) {
             return json::Object{
                 {"path", each.path}, {"content", each.content}, {"executable", each.executable}};
           })}};
}

std::vector<BundledFile> read_files(const json::Value& object, const std::string& name) {
  const Fields fields(Node(Location(name), object), {"files"});
  std::vector<BundledFile> files;
  for (const Node& element : domain::read_elements(fields.required("files"), kMostOfToolchain)) {
    const Fields entry(element, {"path", "content", "executable"});
    BundledFile file;
    const Node path = entry.required("path");
    file.path = domain::read_relative_path(path);
    if (!files.empty() && file.path <= files.back().path) {
      path.refuse("does not follow on the path before");
    }
    file.content = read_digest(entry.required("content"));
    entry.read("executable", domain::read_flag, file.executable);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace goldsmith::cli
