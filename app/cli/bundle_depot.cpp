#include "app/cli/bundle_depot.hpp"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/command.hpp"
#include "app/mirror/unpacker.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSmall = 64U << 20;  // of which the ratio does not matter

std::string name_of(const BundledVersion& bundled) {
  return bundled.component + " " + bundled.version.version;
}

// Reading all of it takes time for what it unpacks to.
void check_ratio(const fs::path& file, std::uint64_t ratio, const std::string& name) {
  const archive::ZipReader zip(file);
  std::uint64_t unpacked = 0;
  for (const archive::ZipEntry& entry : zip.entries()) {
    unpacked = entry.size > ~unpacked ? ~std::uint64_t{0} : unpacked + entry.size;
  }
  if (unpacked <= kSmall || unpacked / ratio <= fs::file_size(file)) return;
  throw Failure(name + ": it unpacks to more than mirror.ratio allows");
}

// What the bundle tells of the files, added to what they are.
void describe(BundledVersion& bundled, std::vector<domain::ManifestFile> files) {
  domain::ComponentVersion& version = bundled.version;
  const bool has_same = std::ranges::equal(files, version.files, {}, &domain::ManifestFile::path,
                                           &domain::ManifestFile::path);
  if (!has_same) throw Failure(name_of(bundled) + ": its files are not those of the bundle's list");
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i].natives = std::move(version.files[i].natives);
  }
  version.files = std::move(files);
  version.file_count = version.files.size();
}

}  // namespace

std::vector<BundledVersion> load_versions(const domain::Catalog& catalog, bool latest_only,
                                          db::ComponentStore components) {
  std::vector<BundledVersion> all;
  for (const domain::Component& component : catalog.components()) {
    auto notes = components.load_notes(component.slug);
    for (const domain::ComponentVersion& version : component.versions) {
      if (latest_only && &version != component.latest()) continue;
      BundledVersion bundled{component.slug, version};
      bundled.version.files = components.load_files(component.slug, version.version);
      bundled.version.sources = components.load_sources(component.slug, version.version);
      if (!bundled.version.sources.empty()) {
        bundled.version.origins = components.load_origins(component.slug, version.version);
      }
      bundled.version.notes = notes[version.version];
      all.push_back(std::move(bundled));
    }
  }
  return all;
}

std::vector<BundleItem> add_versions(
    std::vector<BundledVersion> versions, const archive::Depot& depot, BundleWriter& bundle,
    const std::function<void(const std::string&)>& report,
    const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<BundleItem> items;
  for (BundledVersion& bundled : versions) {
    base::check_interruption();
    const domain::ComponentVersion& version = bundled.version;
    const auto path = depot.find(bundled.component, version.version, version.digest);
    if (!path) {
      report(name_of(bundled) + " is left out: this host's depot lacks it; goldsmith depot fill");
      continue;
    }
    if (!archive::has_depot_digest(*path, version.digest)) {
      throw Failure(path->string() + ": it is damaged; goldsmith depot verify --repair");
    }
    const base::UniqueFd file = base::open_file(*path, O_RDONLY);
    bundled.content = base::sha256_of_file(*path);
    bundle.add_file(file, *path, bundled.content);
    items.push_back({std::string(kVersionItem), name_of(bundled),
                     bundle.add(json::to_string(told_version(bundled)))});
    progress(items.size(), versions.size());
  }
  return items;
}

BundledVersions::BundledVersions(const base::Config& config, const domain::Catalog& catalog,
                                 std::set<domain::Slug> components)
    : config_(config),
      catalog_(catalog),
      components_(std::move(components)),
      depot_(config.depot) {}

void BundledVersions::take(const BundleReader& bundle, const BundleItem& item,
                           const BundleJudge& judge, const std::set<std::string>& withdrawn,
                           bool is_dry, BundleReport& report) {
  base::check_interruption();
  BundledVersion bundled = read_version(json::parse(bundle.read(item.record, kMostBundleRecord)),
                                        item.kind + ' ' + item.name);
  if (name_of(bundled) != item.name) {
    throw Failure(item.kind + ' ' + item.name + ": it is another one, " + name_of(bundled));
  }
  const domain::Component* const component = catalog_.find(bundled.component);
  const domain::ComponentVersion* const known =
      component ? component->find_version(bundled.version.version) : nullptr;
  if (!components_.contains(bundled.component)) {
    return report.add(item.kind, item.name, BundleOutcome::passed_over,
                      "there is no such component");
  }
  if (!known && withdrawn.contains("component " + item.name)) {
    return report.add(item.kind, item.name, BundleOutcome::passed_over, "it was withdrawn here");
  }
  BundleOutcome outcome =
      judge.judge(item.kind, item.name, known ? std::optional(known->digest) : std::nullopt,
                  bundled.version.digest);
  const bool is_known = outcome == BundleOutcome::unchanged;
  if (is_known && !depot_.find(bundled.component, known->version, known->digest)) {
    outcome = BundleOutcome::filled;
  }
  report.add(item.kind, item.name, outcome);
  if (!is_taken(outcome) || is_dry) return;
  if (known) {  // what is held here stays so
    bundled.version.held = known->held;
    bundled.version.is_released = known->is_released;
  }
  stage(bundle, std::move(bundled), is_known);
}

void BundledVersions::check_room(std::uint64_t bytes) {
  staged_ += bytes;
  const std::uint64_t room = base::available_bytes(depot_.root());
  // Twice: a file is copied once more while it is checked.
  if (bytes <= room / 2 && room - 2 * bytes >= kSparedOfDisk) return;
  throw Failure(fmt::format(
      "{} has no room for the files of the bundle, {} so far, and {} for others",
      depot_.root().string(), base::readable_size(staged_), base::readable_size(kSparedOfDisk)));
}

void BundledVersions::stage(const BundleReader& bundle, BundledVersion bundled, bool is_known) {
  if (!workspace_) {
    lock_.emplace(depot_.root());
    workspace_.emplace(depot_.root(), *lock_);
  }
  check_room(bundle.size_of(bundled.content));
  const std::string name = name_of(bundled);
  const fs::path part = workspace_->path() / "part";
  const fs::path file = workspace_->path() / (std::to_string(taken_.size()) + ".zip");
  {
    const base::UniqueFd fd = base::open_file(part, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bundle.copy(bundled.content, fd, part);
  }
  try {
    check_ratio(part, config_.mirror.ratio, name);
    archive::VerifiedDepotFile copy =
        mirror::copy_to_depot_file(base::open_file(part, O_RDONLY), config_.mirror, file);
    if (copy.digest != bundled.version.digest) throw Failure(name + ": its file is another one");
    describe(bundled, std::move(copy.files));
  } catch (const mirror::InvalidOutput& error) {
    throw Failure(name + ": its file is none of a depot: " + error.what());
  } catch (const archive::ZipError& error) {
    throw Failure(name + ": its file is none of a depot: " + error.what());
  }
  fs::remove(part);
  taken_.push_back({std::move(bundled), file, is_known});
}

void BundledVersions::publish() {
  for (const Taken& each : taken_) {
    const domain::ComponentVersion& version = each.bundled.version;
    const bool is_there =
        depot_.find(each.bundled.component, version.version, version.digest).has_value();
    depot_.publish(each.file, each.bundled.component, version.version, version.digest);
    if (!is_there && !each.is_known) published_.push_back(&each);
  }
}

db::BundledItems BundledVersions::record(db::ComponentStore components) const {
  db::BundledItems taken;
  for (const Taken& each : taken_) {
    if (each.is_known) continue;
    if (!components.put_version(each.bundled.component, each.bundled.version)) {
      throw Failure("the component " + each.bundled.component + " was removed meanwhile");
    }
    taken.emplace(std::pair(std::string(kVersionItem), name_of(each.bundled)),
                  each.bundled.version.digest);
  }
  return taken;
}

void BundledVersions::withdraw() noexcept {
  for (const Taken* each : published_) {
    try {
      const domain::ComponentVersion& version = each->bundled.version;
      depot_.remove(each->bundled.component, version.version, version.digest);
    } catch (const std::exception&) {
      // It does no harm; `depot verify` names it.
    }
  }
  published_.clear();
}

}  // namespace goldsmith::cli
