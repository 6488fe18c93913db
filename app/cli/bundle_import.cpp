#include "app/cli/bundle_import.hpp"

#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/cli/bundle_depot.hpp"
#include "app/cli/bundle_file.hpp"
#include "app/cli/bundle_outcomes.hpp"
#include "app/cli/bundle_plugins.hpp"
#include "app/cli/bundle_records.hpp"
#include "app/cli/bundle_toolchains.hpp"
#include "app/cli/bundle_verdicts.hpp"
#include "app/cli/commands/component.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/domain/manifest.hpp"
#include "app/scan/plugin_checks.hpp"
#include "app/start/selection_query.hpp"
#include "db/bundle_store.hpp"
#include "db/plugin_import.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::uint64_t kMostOfManifest = 1U << 20;
constexpr std::uint64_t kMostOfSection = 1U << 20;
// Of the records and texts, all together, that are in memory at once: all but those of plugins.
constexpr std::uint64_t kMostRecords = 256U << 20;

const std::map<std::string_view, std::string_view> kPartOfKind{
    {kComponentItem, "catalog"}, {kVersionItem, "depot"},    {kPluginItem, "plugins"},
    {kPackItem, "packs"},        {kOverlayItem, "overlays"}, {kToolchainItem, "toolchains"},
    {kIncludeItem, "toolchains"}};

std::string digest_of(const json::Object& record) {
  return base::sha256_hex(json::to_string(record));
}

std::string digest_of(const domain::OverlaySection& section) {
  return base::sha256_hex(std::to_string(section.position) + ':' + section.content);
}

std::string name_of(const domain::OverlaySection& section) {
  return section.path + (section.component ? " for " + *section.component : "");
}

// The digests of what came with goldsmith as told, by slug; nothing where its catalog is not there.
template <typename Read, typename Told>
std::map<std::string, std::string> shipped(std::vector<std::string> (*files)(Context&),
                                           Context& context, Read read, Told told) {
  std::map<std::string, std::string> all;
  try {
    for (const std::string& file : files(context)) {
      for (const auto& each : read(file)) all.emplace(each.slug.str(), digest_of(told(each)));
    }
  } catch (const std::exception&) {
    all.clear();
  }
  return all;
}

// First it is seen what becomes of each item, and what is new lies beside what is there; then
// nothing fails any more but disks and the database.
class Importing {
 public:
  Importing(const BundleReader& bundle, const BundleChoice& choice, Context& context)
      : bundle_(bundle),
        context_(context),
        is_dry_(choice.is_dry),
        judge_(db::BundleStore(context.database()).load(), choice.replaces),
        catalog_(context.components().load_catalog()),
        withdrawn_(context.withdrawals().withdrawn()),
        toolchains_(context.config()) {
    sort_items(choice.parts);
  }

  BundleReport run() {
    take_toolchains();
    take_components();
    BundledVersions versions(context_.config(), catalog_, components_known());
    take_versions(versions);
    std::optional<db::PluginImport> import;
    if (!is_dry_) import.emplace(context_.database(), context_.now());
    take_plugins(import ? &*import : nullptr);
    take_packs();
    take_overlays();
    if (!is_dry_ && report_.is_anything_taken()) publish(*import, versions);
    import.reset();
    if (!is_dry_) verdicts_.take(bundle_, context_, report_);
    return std::move(report_);
  }

 private:
  using Items = std::vector<const BundleItem*>;

  void sort_items(const std::set<std::string, std::less<>>& parts) {
    for (const BundleItem& item : bundle_.list().items) {
      const auto part = kPartOfKind.find(item.kind);
      if (part == kPartOfKind.end()) {
        throw Failure("the bundle has a " + item.kind +
                      ", which this version of goldsmith does not know; a newer one may");
      }
      if (parts.contains(part->second)) items_[item.kind].push_back(&item);
    }
  }

  const Items& items_of(std::string_view kind) { return items_[std::string(kind)]; }

  void count_bytes(std::uint64_t bytes) {
    bytes_ += bytes;
    if (bytes_ <= kMostRecords) return;
    throw Failure("the records of the bundle have more than " + base::readable_size(kMostRecords) +
                  " together");
  }

  json::Value read_record(const BundleItem& item) {
    const std::string text = bundle_.read(item.record, kMostOfManifest);
    count_bytes(text.size());
    try {
      return json::parse(text);
    } catch (const json::ParseError& error) {
      throw Failure(item.kind + ' ' + item.name + ": it is no JSON: " + error.what());
    }
  }

  static void check_name(const BundleItem& item, std::string_view name) {
    if (item.name == name) return;
    throw Failure(fmt::format("{} {}: it is another one, {}", item.kind, item.name, name));
  }

  void take_toolchains() {
    for (const BundleItem* item : items_of(kToolchainItem)) {
      context_.progress("toolchain " + item->name);
      toolchains_.take_toolchain(bundle_, *item, judge_, is_dry_, report_);
    }
    for (const BundleItem* item : items_of(kIncludeItem)) {
      toolchains_.take_include(bundle_, *item, judge_, report_);
    }
  }

  void take_components() {
    const auto own =
        shipped(default_component_files, context_, domain::read_components, told_component);
    for (const BundleItem* item : items_of(kComponentItem)) {
      domain::Component component =
          domain::read_component(read_record(*item), item->kind + ' ' + item->name);
      check_name(*item, component.slug);
      const domain::Component* const known = catalog_.find(component.slug);
      std::optional<std::string> stored;
      if (known) stored = digest_of(told_component(*known));
      const auto shipped_one = own.find(item->name);
      const bool is_shipped = stored && shipped_one != own.end() && shipped_one->second == *stored;
      std::string wanted = digest_of(told_component(component));
      const BundleOutcome outcome =
          judge_.judge(item->kind, item->name, stored, wanted, is_shipped);
      report_.add(item->kind, item->name, outcome);
      if (!is_taken(outcome)) continue;
      taken_.emplace(std::pair(item->kind, item->name), std::move(wanted));
      components_.push_back(std::move(component));
    }
    check_rules();
  }

  // As an import of manifests does; those that are kept may lack what the bundle's rules name.
  void check_rules() const {
    const std::set<domain::Slug> known = components_known();
    for (const domain::Component& component : components_) {
      for (const domain::Rule& rule : component.rules) {
        if (known.contains(rule.component)) continue;
        throw Failure("component " + component.slug + ": a rule names " + rule.component +
                      ", which is neither known nor in the bundle");
      }
    }
  }

  std::set<domain::Slug> components_known() const {
    std::set<domain::Slug> known;
    for (const domain::Component& each : catalog_.components()) known.insert(each.slug);
    for (const domain::Component& each : components_) known.insert(each.slug);
    return known;
  }

  void take_versions(BundledVersions& versions) {
    const Items& items = items_of(kVersionItem);
    ProgressLine line(context_.err(), context_.shows_progress());
    for (std::size_t i = 0; i < items.size(); ++i) {
      count_bytes(bundle_.size_of(items[i]->record));
      versions.take(bundle_, *items[i], judge_, withdrawn_, is_dry_, report_);
      line.show_count("versions checked", i + 1, items.size());
    }
  }

  void take_plugins(db::PluginImport* import) {
    const Items& items = items_of(kPluginItem);
    const domain::FileOwners owners = scan::file_owners(context_.database());
    BundledPlugins plugins(context_.config(), context_.plugins(), owners, withdrawn_);
    ProgressLine line(context_.err(), context_.shows_progress());
    for (std::size_t i = 0; i < items.size(); ++i) {
      plugins.take(bundle_, *items[i], judge_, import, report_);
      line.show_count("plugins read", i + 1, items.size());
    }
    plugins_ = plugins.slugs();
    verdicts_ = plugins.verdicts();
    taken_.insert(plugins.taken().begin(), plugins.taken().end());
  }

  static void check_server(const domain::AddonPack& pack) {
    if (start::unknown_parameters(pack.server).empty() &&
        start::request_of(pack.server).plugins.empty()) {
      return;
    }
    throw Failure("pack " + pack.slug + ": its server is no query of the server creator");
  }

  std::string missing_plugins(const domain::AddonPack& pack) const {
    std::vector<std::string> missing;
    for (const domain::Slug& slug : pack.plugins) {
      if (!plugins_.contains(slug)) missing.push_back(slug.str());
    }
    return base::join(missing, ", ");
  }

  void take_packs() {
    std::map<domain::Slug, domain::AddonPack> stored;
    for (domain::AddonPack& pack : context_.addons().list_all()) {
      stored.emplace(pack.slug, std::move(pack));
    }
    const auto own = shipped(
        default_preset_files, context_,
        [](const std::string& file) { return domain::read_addons(file); }, told_pack);
    for (const BundleItem* item : items_of(kPackItem)) {
      domain::AddonPack pack =
          domain::read_addon(read_record(*item), item->kind + ' ' + item->name);
      check_name(*item, pack.slug);
      check_server(pack);
      const auto known = stored.find(pack.slug);
      take_pack(*item, std::move(pack), known == stored.end() ? nullptr : &known->second, own);
    }
  }

  void take_pack(const BundleItem& item, domain::AddonPack pack, const domain::AddonPack* known,
                 const std::map<std::string, std::string>& own) {
    if (const std::string missing = missing_plugins(pack); !missing.empty()) {
      return report_.add(item.kind, item.name, BundleOutcome::passed_over,
                         "the directory does not have " + missing);
    }
    std::optional<std::string> stored;
    if (known) stored = digest_of(told_pack(*known));
    const auto shipped_one = own.find(item.name);
    const bool is_shipped = stored && shipped_one != own.end() && shipped_one->second == *stored;
    std::string wanted = digest_of(told_pack(pack));
    const BundleOutcome outcome = judge_.judge(item.kind, item.name, stored, wanted, is_shipped);
    report_.add(item.kind, item.name, outcome);
    if (!is_taken(outcome)) return;
    const bool is_withdrawn = withdrawn_.contains("pack " + pack.slug);
    pack.status = known          ? known->status
                  : is_withdrawn ? domain::Status::draft
                                 : domain::Status::published;
    if (!known && is_withdrawn) {
      report_.remark("draft: pack " + pack.slug + ", which was withdrawn here");
    }
    pack.created_at = known ? known->created_at : context_.now();
    pack.downloads = 0;
    taken_.emplace(std::pair(item.kind, item.name), std::move(wanted));
    packs_.push_back(std::move(pack));
  }

  void take_overlays() {
    std::map<std::string, db::ListedSection> stored;
    for (db::ListedSection& each : context_.overlays().list()) {
      stored.emplace(name_of(each.section), std::move(each));
    }
    const std::set<domain::Slug> known_components = components_known();
    for (const BundleItem* item : items_of(kOverlayItem)) {
      BundledSection bundled = read_section(read_record(*item), item->kind + ' ' + item->name);
      domain::OverlaySection& section = bundled.section;
      check_name(*item, name_of(section));
      section.content = bundle_.read(bundled.content, kMostOfSection);
      count_bytes(section.content.size());
      if (section.content.find('\0') != section.content.npos) {
        throw Failure("overlay " + item->name + ": holds a NUL byte; a section is text");
      }
      if (section.component && !known_components.contains(*section.component)) {
        report_.add(item->kind, item->name, BundleOutcome::passed_over,
                    "there is no such component");
        continue;
      }
      const auto known = stored.find(item->name);
      std::optional<std::string> before;
      if (known != stored.end()) before = digest_of(known->second.section);
      const bool is_shipped = before && known->second.source == "default";
      std::string wanted = digest_of(section);
      const BundleOutcome outcome =
          judge_.judge(item->kind, item->name, before, wanted, is_shipped);
      report_.add(item->kind, item->name, outcome);
      if (!is_taken(outcome)) continue;
      taken_.emplace(std::pair(item->kind, item->name), std::move(wanted));
      sections_.push_back(std::move(section));
    }
  }

  // Files first, which nothing names yet or each of which is good by itself; then the database, in
  // one transaction.
  void publish(db::PluginImport& import, BundledVersions& versions) {
    context_.progress("publishing");
    db::BundleStore(context_.database()).record(toolchains_.recorded_first());
    toolchains_.publish();
    const db::BundledItems& toolchains = toolchains_.recorded_then();
    taken_.insert(toolchains.begin(), toolchains.end());
    versions.publish();
    try {
      import.finish([&] {
        if (!components_.empty()) context_.components().import(components_);
        taken_.merge(versions.record(context_.components()));
        for (const domain::AddonPack& pack : packs_) context_.addons().import(pack);
        if (!sections_.empty()) context_.overlays().import(sections_);
        db::BundleStore(context_.database()).record(taken_);
      });
    } catch (const Failure&) {
      versions.withdraw();
      throw;
    } catch (const db::Error& error) {
      // Whether a lost connection has committed is not known: then the files stay.
      const bool is_decided =
          error.kind() != db::Error::Kind::unavailable && error.kind() != db::Error::Kind::timeout;
      if (is_decided) versions.withdraw();
      throw;
    }
    for (const std::string& remark : import.remarks()) context_.report(remark);
    if (!components_.empty() || !versions.is_empty()) forget_outdated_verdicts(context_);
  }

  const BundleReader& bundle_;
  Context& context_;
  bool is_dry_;
  BundleJudge judge_;
  domain::Catalog catalog_;
  Withdrawals::Names withdrawn_;
  BundledToolchains toolchains_;
  std::map<std::string, Items> items_;
  std::uint64_t bytes_ = 0;
  std::set<domain::Slug> plugins_;
  BundledVerdicts verdicts_;
  std::vector<domain::Component> components_;
  std::vector<domain::AddonPack> packs_;
  std::vector<domain::OverlaySection> sections_;
  db::BundledItems taken_;
  BundleReport report_;
};

}  // namespace

BundleReport import_bundle(const BundleReader& bundle, const BundleChoice& choice,
                           Context& context) {
  return Importing(bundle, choice, context).run();
}

}  // namespace goldsmith::cli
