#include "handlers/documents/known_files.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "app/base/text.hpp"
#include "app/creator/plan.hpp"

namespace goldsmith::handlers::documents {
namespace {

// 96 bits: nobody finds another file with one of a million of them.
constexpr std::size_t kPrefix = 24;

// A line of words with a blank between two; the last may have blanks itself.
class Lines {
 public:
  template <typename... Words>
  void add(std::string_view first, const Words&... words) {
    text_.append(first);
    ((text_.append(" ").append(words)), ...);
    text_ += '\n';
  }
  // Of a file with content.
  void add_file(std::string_view sha256, std::string_view role, std::string_view path,
                std::uint64_t size) {
    if (sha256.size() < kPrefix || size == 0) return;
    largest_ = std::max(largest_, size);
    add(sha256.substr(0, kPrefix), role, path);
  }

  std::uint64_t largest() const { return largest_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::uint64_t largest_ = 0;
};

// c: configuration, or what a build writes anew; m: main file; -: any other.
std::string_view role_of(const domain::Component& component, const std::string& path,
                         const std::set<std::string_view>& main) {
  if (main.contains(path)) return "m";
  const bool is_written = path == creator::kLiblistPath || path == creator::kMetamodListPath ||
                          path == creator::kPluginListPath;
  return is_written || domain::is_configuration(component, path) ? "c" : "-";
}

// A word: "-" for every version, and otherwise the comparisons with commas between them.
std::string word_of(const domain::VersionRange& versions) {
  std::string text = versions.is_every() ? "-" : versions.str();
  std::ranges::replace(text, ' ', ',');
  return text;
}

// What decides whether a selection is valid.
void add_rules(const domain::Component& component, const domain::Catalog& catalog, Lines& lines) {
  for (const domain::Rule& rule : component.rules) {
    if (rule.kind == domain::RuleKind::recommends) continue;
    const domain::Component* const other = catalog.find(rule.component);
    lines.add("rule", domain::to_string(rule.kind), rule.component.str(),
              other == nullptr ? "-" : domain::to_string(other->layer), word_of(rule.versions),
              word_of(rule.with));
  }
}

// Where it looks for its configuration, and what there decides who a player is.
void add_places(const domain::Component& component, Lines& lines) {
  for (const domain::Places& places : component.places) {
    lines.add("reads", places.file, base::join(places.looked_for, " "));
    for (const std::string& setting : places.identity) {
      lines.add("identity", places.file, setting);
    }
  }
}

std::string exclusive_layers() {
  std::string names;
  for (const domain::LayerInfo& layer : domain::layers()) {
    if (layer.exclusive) names.append(names.empty() ? "" : " ").append(layer.key);
  }
  return names;
}

void add_component(const domain::Component& component, const domain::Catalog& catalog,
                   const domain::VersionFiles& files, Lines& lines) {
  if (component.versions.empty()) return;
  lines.add("component", component.slug.str(), domain::to_string(component.layer),
            component.selectable ? "selectable" : "bundled", component.title());
  if (!component.upstream.github.empty()) lines.add("upstream", component.upstream.github);
  add_rules(component, catalog, lines);
  add_places(component, lines);
  const domain::ComponentVersion* const latest = component.latest();
  for (const domain::ComponentVersion& version : component.versions) {
    const std::string& name = version.version.str();
    if (version.held) {
      lines.add("version", name, "held", version.held->reason);
    } else {
      lines.add("version", name, &version == latest ? "latest" : "older");
    }
    for (const domain::Defect* defect : component.told_defects(version)) {
      lines.add("defect", domain::told(*defect).english());
    }
    const auto found = files.find({component.slug, version.version});
    if (found == files.end()) continue;
    const auto main = domain::main_files(component, found->second);
    for (const domain::ManifestFile& file : found->second) {
      lines.add_file(file.sha256, role_of(component, file.path, main), file.path, file.size);
    }
  }
}

// s: the source that is compiled; c: configuration; -: any other.
std::string_view role_of(const domain::PluginFile& file, const domain::PluginFile* entry) {
  if (&file == entry) return "s";
  return domain::is_named_as_configuration(domain::path_on_server(file)) ? "c" : "-";
}

void add_faults(const domain::PluginVersion& version, const views::Fingerprints& fingerprints,
                Lines& lines) {
  for (const std::string& line : domain::toolchain_lines()) {
    if (views::runs_with(version, line, fingerprints) != "faulty") continue;
    const domain::StartVerdict* const start = views::start_of(version, line, fingerprints);
    lines.add("fault", line, start->messages.empty() ? "" : start->messages.front());
  }
}

void add_plugin(const KnownPlugin& plugin, const views::Fingerprints& fingerprints, Lines& lines) {
  lines.add("plugin", plugin.name.slug.str(), plugin.name.name);
  lines.add("author", plugin.name.author);
  bool is_latest = true;
  for (const domain::PluginVersion& version : plugin.versions) {
    const domain::PluginFile* const entry = domain::entry_point(version);
    lines.add("version", version.version.str(), is_latest ? "latest" : "older",
              entry == nullptr ? "" : domain::binary_name(*entry));
    is_latest = false;
    add_faults(version, fingerprints, lines);
    for (const domain::PluginFile& file : version.files) {
      lines.add_file(file.sha256, role_of(file, entry), domain::path_on_server(file),
                     static_cast<std::uint64_t>(file.size_bytes));
    }
  }
}

}  // namespace

std::string known_files(const std::string& service, const domain::Catalog& catalog,
                        const domain::VersionFiles& files, const std::vector<KnownPlugin>& plugins,
                        const views::Fingerprints& fingerprints) {
  Lines body;
  for (const domain::Component& component : catalog.components()) {
    add_component(component, catalog, files, body);
  }
  for (const KnownPlugin& plugin : plugins) add_plugin(plugin, fingerprints, body);
  Lines document;
  document.add("goldsmith-known-files 1");
  document.add("service", service);
  document.add("largest", std::to_string(body.largest()));
  document.add("exclusive", exclusive_layers());
  return document.text() + body.text() + "end\n";
}

}  // namespace goldsmith::handlers::documents
