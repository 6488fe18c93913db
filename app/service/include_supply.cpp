#include "app/service/include_supply.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/compile/job.hpp"

namespace goldsmith::service {
namespace {

using domain::Component;

constexpr std::size_t kContents = 8U << 20;  // bytes of all that are kept

bool conflicts(const Component& one, const Component& other) {
  return std::any_of(one.rules.begin(), one.rules.end(), [&](const domain::Rule& rule) {
    return rule.kind == domain::RuleKind::conflicts && rule.component == other.slug &&
           rule.versions.contains(one.latest()->version);
  });
}

bool is_platform(const Component& component, const std::string& line) {
  return component.latest() != nullptr && component.loads.toolchain == line;
}

bool goes_with(const Component& component, const std::string& line,
               const domain::Catalog& catalog) {
  if (component.latest() == nullptr) return false;
  if (component.loads.toolchain) return component.loads.toolchain == line;
  const auto all = catalog.components();
  return std::none_of(all.begin(), all.end(), [&](const Component& other) {
    return is_platform(other, line) && (conflicts(component, other) || conflicts(other, component));
  });
}

}  // namespace

std::shared_ptr<const compile::IncludeOffers> IncludeSupply::newest_offers(const std::string& line,
                                                                           std::uint64_t epoch) {
  if (epoch != epoch_) offers_.clear();
  epoch_ = epoch;
  if (const auto known = offers_.find(line); known != offers_.end()) return known->second;

  const auto catalog = catalog_.catalog(epoch);
  std::vector<const Component*> chosen;
  std::vector<db::VersionName> names;
  for (const Component& component : catalog->components()) {
    if (!goes_with(component, line, *catalog)) continue;
    chosen.push_back(&component);
    names.push_back({component.slug, component.latest()->version});
  }
  const auto files = components_.load_files_below(names, domain::kIncludeFolder);
  auto offers = std::make_shared<compile::IncludeOffers>();
  // As in a build, the later of two components counts.
  for (const Component* component : chosen | std::views::reverse) {
    const auto found = files.find(component->slug);
    if (found == files.end()) continue;
    compile::add_offers(*offers, component->slug, *component->latest(), found->second);
  }
  offers_.emplace(line, offers);
  return offers;
}

compile::ComponentIncludes IncludeSupply::newest(const std::string& line, std::uint64_t epoch) {
  return with(newest_offers(line, epoch));
}

compile::ComponentIncludes IncludeSupply::of(const creator::Selection& selection) {
  auto offers = std::make_shared<compile::IncludeOffers>();
  for (const creator::Selected& selected : selection.components | std::views::reverse) {
    compile::add_offers(*offers, selected.component->slug, *selected.version,
                        selected.version->files);
  }
  return with(std::move(offers));
}

compile::ComponentIncludes IncludeSupply::with(
    std::shared_ptr<const compile::IncludeOffers> offers) {
  return {std::move(offers),
          [this](const compile::OfferedInclude& include) { return read(include); }};
}

std::string IncludeSupply::read(const compile::OfferedInclude& include) {
  const std::string key = include.digest + " " + include.path;
  if (const std::string* known = contents_.find(key)) return *known;
  const archive::ZipReader reader(
      depot_.require(include.component, include.version, include.digest));
  std::string content = reader.read(reader.entry(include.path), compile::kLargestSource);
  contents_.put(key, content, content.size(), kContents);
  return content;
}

}  // namespace goldsmith::service
