#include "app/creator/agreed_files.hpp"

#include <algorithm>
#include <utility>

#include "app/creator/resources.hpp"

namespace goldsmith::creator {
namespace {

constexpr std::string_view kPluginOwner = "plugin:";

// std::nullopt if it is not public any more.
std::optional<VersionResources> resources_of(Stock& stock, const domain::Catalog& catalog,
                                             const NamedVersion& named) {
  VersionResources resources;
  if (named.owner.starts_with(kPluginOwner)) {
    const auto slug = domain::Slug::parse(named.owner.substr(kPluginOwner.size()));
    const auto version = domain::Version::parse(named.version);
    if (!slug || !version) return std::nullopt;
    const auto found = stock.plugins.find_version(*slug, *version);
    if (!found) return std::nullopt;
    for (const domain::PluginFile& file : found->version.files) {
      add_resource(resources, domain::path_on_server(file), file.sha256);
    }
    return resources;
  }
  const domain::Component* component = catalog.find(named.owner);
  const auto* version = component == nullptr ? nullptr : component->find_version(named.version);
  if (version == nullptr) return std::nullopt;
  for (const auto& file : stock.catalog.with_files(component->slug, *version)->files) {
    add_resource(resources, file.path, file.sha256);
  }
  return resources;
}

}  // namespace

void add_resource(VersionResources& resources, std::string_view path, std::string_view sha256) {
  for (const std::string_view folder : {"cstrike/", "valve/"}) {
    if (path.starts_with(folder) && is_resource(path.substr(folder.size()))) {
      resources.emplace(path.substr(folder.size()), sha256);
    }
  }
}

std::vector<NamedVersion> pinned_versions(const SelectionRequest& request) {
  std::vector<NamedVersion> versions;
  for (const Token& token : request.components.value_or(std::vector<Token>{})) {
    versions.push_back({token.slug, token.version});
  }
  for (const Token& token : request.plugins) {
    versions.push_back({std::string(kPluginOwner) + token.slug, token.version});
  }
  return versions;
}

std::optional<std::size_t> AgreedFiles::find(std::string_view path) const {
  for (std::size_t build = 0; build < builds_.size(); ++build) {
    if (contents(build, path).empty()) continue;
    for (std::size_t other = 0; other < builds_.size(); ++other) {
      if (other != build && may_differ(build, other, path)) return std::nullopt;
    }
    return build;
  }
  return std::nullopt;
}

// A content that is not known is that of its version alone.
std::set<std::string> AgreedFiles::contents(std::size_t build, std::string_view path) const {
  std::set<std::string> found;
  for (const NamedVersion& each : builds_[build]) {
    const auto version = versions_.find(each);
    if (version == versions_.end()) continue;
    const auto [begin, end] = version->second.equal_range(path);
    for (auto file = begin; file != end; ++file) {
      found.insert(file->second.empty() ? each.owner + "@" + each.version : file->second);
    }
  }
  return found;
}

bool AgreedFiles::may_differ(std::size_t build, std::size_t other, std::string_view path) const {
  const std::set<std::string> theirs = contents(other, path);
  if (!theirs.empty()) return theirs != contents(build, path);
  return std::ranges::any_of(builds_[build], [&](const NamedVersion& each) {
    const auto version = versions_.find(each);
    if (version == versions_.end() || !version->second.contains(path)) return false;
    return std::ranges::any_of(builds_[other], [&](const NamedVersion& withdrawn) {
      return withdrawn.owner == each.owner && !versions_.contains(withdrawn);
    });
  });
}

AgreedFiles agreed_files(Stock& stock, const std::vector<SelectionRequest>& builds,
                         std::uint64_t epoch) {
  const auto catalog = stock.catalog.catalog(epoch);
  std::vector<std::vector<NamedVersion>> named;
  std::map<NamedVersion, VersionResources> known;
  std::set<NamedVersion> asked;
  for (const SelectionRequest& build : builds) {
    named.push_back(pinned_versions(build));
    for (const NamedVersion& version : named.back()) {
      if (!asked.insert(version).second) continue;
      auto resources = resources_of(stock, *catalog, version);
      if (resources) known.emplace(version, *std::move(resources));
    }
  }
  return {std::move(named), std::move(known)};
}

}  // namespace goldsmith::creator
