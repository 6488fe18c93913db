#include "app/cli/bundle_plugins.hpp"

#include <algorithm>
#include <utility>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/command.hpp"
#include "app/compile/content.hpp"
#include "app/compile/sandboxed_texts.hpp"
#include "app/domain/manifest.hpp"
#include "app/domain/manifest_fields.hpp"
#include "app/scan/plugin_checks.hpp"
#include "app/scan/plugin_tools.hpp"

namespace goldsmith::cli {
namespace {

using domain::Status;

constexpr std::uint64_t kMostOfPlugin = 256U << 20;  // bytes of all files of its versions
// Contents may be used several times.
constexpr std::uint64_t kMostUses = 16;

// The manifest's paths are digests of contents. `bytes`: that were read so far of all plugins.
class BundleSource final : public domain::ManifestSource {
 public:
  BundleSource(const BundleReader& bundle, const BundleItem& item, std::uint64_t& bytes)
      : bundle_(bundle),
        item_(item),
        bytes_(bytes),
        before_(bytes),
        manifest_(domain::parse_manifest(bundle.read(item.record, domain::kSourceLimit),
                                         domain::Location(name()))),
        findings_(take_findings(manifest_, name())) {}

  const BundledFindings& findings() const { return findings_; }

  std::string manifest_name() const override { return name(); }
  json::Value manifest() const override { return manifest_; }
  std::string read(const std::string& path, const domain::Node&) const override {
    return read(path);
  }
  // That they can be read when the rest is imported.
  void check_verdicts() const {
    for (const auto& [version, sha256] : findings_.verdicts) read(sha256);
  }

 private:
  std::string read(const std::string& path) const {
    std::string content = bundle_.read(path, domain::kSourceLimit);
    bytes_ += content.size();
    if (bytes_ - before_ > kMostOfPlugin || bytes_ / kMostUses > bundle_.bytes()) {
      throw Failure(manifest_name() + ": its files have too many bytes together");
    }
    return content;
  }

  std::string name() const { return item_.kind + ' ' + item_.name; }

  const BundleReader& bundle_;
  const BundleItem& item_;
  std::uint64_t& bytes_;
  std::uint64_t before_;
  json::Value manifest_;
  BundledFindings findings_;
};

// What others found out, which a manifest does not say.
void add(const BundledFindings& findings, domain::Plugin& plugin) {
  for (domain::PluginVersion& version : plugin.versions) {
    const auto origin = findings.origins.find(version.version);
    version.origin = origin == findings.origins.end() ? domain::VersionOrigin() : origin->second;
  }
  if (plugin.upstream.empty()) return;
  plugin.upstream.gone_since = findings.upstream.gone_since;
  plugin.upstream.problem = findings.upstream.problem;
  plugin.upstream.problem_since = findings.upstream.problem_since;
}

const domain::PluginVersion* find_version(const domain::Plugin* plugin,
                                          const domain::Version& version) {
  if (plugin == nullptr) return nullptr;
  const auto found = std::ranges::find(plugin->versions, version, &domain::PluginVersion::version);
  return found == plugin->versions.end() ? nullptr : &*found;
}

bool has_same_files(const domain::PluginVersion& one, const domain::PluginVersion& other) {
  const auto digests = [](const domain::PluginVersion& version) {
    std::vector<std::string> all;
    for (const domain::PluginFile& file : version.files) {
      all.push_back(domain::installed_path(file) + ' ' + file.sha1);
    }
    std::ranges::sort(all);
    return all;
  };
  return digests(one) == digests(other);
}

}  // namespace

std::vector<BundleItem> add_plugins(
    db::PluginStore plugins, BundleWriter& bundle,
    const std::function<void(std::size_t done, std::size_t total)>& progress) {
  std::vector<domain::Slug> slugs;
  for (const db::PluginOverview& each : plugins.list_all()) {
    if (each.status == Status::published) slugs.push_back(each.slug);
  }
  std::vector<BundleItem> items;
  for (const domain::Slug& slug : slugs) {
    base::check_interruption();
    std::optional<domain::Plugin> plugin = plugins.find_whole(slug);
    if (!plugin) continue;
    std::erase_if(plugin->versions, [](const domain::PluginVersion& version) {
      return version.status != Status::published;
    });
    json::Object record = told_plugin(
        *plugin, [&](const domain::PluginFile& file) { return bundle.add(file.content); });
    add_findings(record, *plugin, add_verdicts(*plugin, bundle));
    items.push_back({std::string(kPluginItem), slug.str(), bundle.add(json::to_string(record))});
    progress(items.size(), slugs.size());
  }
  return items;
}

BundledPlugins::BundledPlugins(const base::Config& config, db::PluginStore plugins,
                               const domain::FileOwners& owners,
                               const std::set<std::string>& withdrawn)
    : plugins_(plugins),
      owners_(owners),
      withdrawn_(withdrawn),
      texts_(compile::text_reader()),
      tools_(scan::plugin_tools(config.mirror, texts_)) {
  for (const db::PluginOverview& each : plugins_.list_all()) slugs_.insert(each.slug);
}

void BundledPlugins::take(const BundleReader& bundle, const BundleItem& item,
                          const BundleJudge& judge, db::PluginImport* import,
                          BundleReport& report) {
  base::check_interruption();
  std::optional<domain::Plugin> known;
  const auto stored = [&](const domain::Slug& slug) { return known = plugins_.find_any(slug); };
  const BundleSource source(bundle, item, bytes_);
  domain::Plugin plugin = domain::read_plugin(source, stored, tools_);
  add(source.findings(), plugin);
  if (plugin.slug != item.name) {
    throw Failure("plugin " + item.name + ": it is another one, " + plugin.slug);
  }
  const std::string identity = identity_of(plugin);
  const BundleOutcome outcome = judge.judge(
      item.kind, item.name, known ? std::optional(identity_of(*known)) : std::nullopt, identity);
  report.add(item.kind, item.name, outcome);
  if (is_taken(outcome) || outcome == BundleOutcome::unchanged) {
    source.check_verdicts();
    if (import != nullptr) verdicts_.note(plugin, source.findings().verdicts);
  }
  if (!is_taken(outcome)) return;
  slugs_.insert(plugin.slug);
  settle(plugin, known ? &*known : nullptr, report);
  taken_.emplace(std::pair(item.kind, item.name), identity);
  if (import == nullptr) return;
  compile::describe(plugin, [&](std::string_view text) { return texts_.named_files(text); });
  import->add(std::move(plugin));
}

void BundledPlugins::settle(domain::Plugin& plugin, const domain::Plugin* known,
                            BundleReport& report) const {
  const bool is_withdrawn = withdrawn_.contains("plugin " + plugin.slug);
  plugin.status = known ? known->status : is_withdrawn ? Status::draft : Status::published;
  plugin.rating = {};
  plugin.downloads = 0;
  if (!known && is_withdrawn) {
    report.remark("draft: plugin " + plugin.slug + ", which was withdrawn here");
  }
  for (domain::PluginVersion& version : plugin.versions) {
    const std::string name = plugin.slug + " " + version.version;
    const domain::PluginVersion* const before = find_version(known, version.version);
    version.status = before ? before->status : Status::published;
    if (!before && withdrawn_.contains("plugin " + name)) {
      version.status = Status::draft;
      report.remark("draft: plugin " + name + ", which was withdrawn here");
    }
    if (version.status == Status::draft) continue;
    if (before && has_same_files(*before, version)) continue;
    const std::string objection = this->objection(version);
    if (objection.empty()) continue;
    version.status = Status::draft;
    report.remark("draft: plugin " + name + ": " + objection);
  }
}

std::string BundledPlugins::objection(const domain::PluginVersion& version) const {
  std::vector<std::string> found = scan::foreign_files(version, owners_);
  if (!found.empty()) return base::join(found, "; ");
  found = scan::secrets_of(version, texts_);
  if (found.empty()) return "";
  return "everybody could read what may be private: " + base::join(found, "; ");
}

}  // namespace goldsmith::cli
