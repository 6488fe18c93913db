#include "app/creator/providers.hpp"

#include <algorithm>
#include <set>

#include "app/base/text.hpp"
#include "app/creator/catalog.hpp"

namespace goldsmith::creator {

Provider Provider::of(const domain::Component& component) {
  const bool is_platform = component.layer == domain::Layer::amxmodx;
  return {is_platform ? Kind::platform : Kind::component, component.slug.str(), component.title(),
          component.latest()->version.str()};
}

Provider Provider::of(const db::LibraryPlugin& plugin) {
  return {Kind::plugin, plugin.slug.str(), plugin.name.empty() ? plugin.slug.str() : plugin.name,
          plugin.version.str()};
}

void ComponentOffers::put(Owners& owners, std::string_view name,
                          const domain::Component& component) {
  const domain::Component*& owner = owners[std::string(name)];
  if (owner == nullptr || (component.is_default && !owner->is_default)) owner = &component;
}

const domain::Component* ComponentOffers::find(const Owners& owners, const std::string& name) {
  const auto found = owners.find(name);
  return found == owners.end() ? nullptr : found->second;
}

void ComponentOffers::add(const domain::Component& component, const domain::ManifestFiles& files) {
  for (const domain::ManifestFile& file : files) {
    const std::string_view module = domain::module_of(file.path);
    if (module.empty()) continue;
    put(modules_, module, component);
    put(folded_modules_, base::to_lower_ascii(module), component);
    if (component.layer == domain::Layer::amxmodx) continue;
    for (const std::string_view native : domain::natives_of(file, files)) {
      put(natives_, native, component);
    }
  }
}

const domain::Component* ComponentOffers::of(const domain::PluginNeed& need) const {
  return need.module.empty() ? find(folded_modules_, base::to_lower_ascii(need.name))
                             : find(modules_, need.module);
}

const domain::Component* ComponentOffers::of_native(const std::string& native) const {
  return find(natives_, native);
}

bool operator==(const ComponentOffers& one, const ComponentOffers& other) {
  const auto are_same = [](const ComponentOffers::Owners& left,
                           const ComponentOffers::Owners& right) {
    return left.size() == right.size() && std::ranges::all_of(left, [&](const auto& each) {
             const domain::Component* const owner = ComponentOffers::find(right, each.first);
             return owner != nullptr && Provider::of(*owner) == Provider::of(*each.second);
           });
  };
  return are_same(one.modules_, other.modules_) &&
         are_same(one.folded_modules_, other.folded_modules_) &&
         are_same(one.natives_, other.natives_);
}

const domain::PluginNeeds* Providers::needs_of(const db::LibraryPlugin& plugin,
                                               const std::string& line) const {
  const auto fingerprint = fingerprints_.find(line);
  if (fingerprint == fingerprints_.end()) return nullptr;
  const auto* verdict = domain::find_verdict(plugin.verdicts, line, fingerprint->second);
  if (verdict == nullptr || !verdict->findings || !verdict->findings->needs) return nullptr;
  return &*verdict->findings->needs;
}

template <typename Has>
Providers::Plugins Providers::plugins_that(const std::string& line, std::size_t most,
                                           Has has) const {
  Plugins found;
  for (const db::LibraryPlugin& plugin : plugins_) {
    if (found.size() == most) break;
    const domain::PluginNeeds* const needs = needs_of(plugin, line);
    if (needs != nullptr && has(*needs)) found.push_back(&plugin);
  }
  return found;
}

Providers::Plugins Providers::plugins_with(const domain::PluginNeed& need, const std::string& line,
                                           std::size_t most) const {
  if (need.is_class) return {};
  return plugins_that(line, most, [&](const domain::PluginNeeds& needs) {
    return std::find(needs.registers.begin(), needs.registers.end(), need.name) !=
           needs.registers.end();
  });
}

Providers::Plugins Providers::plugins_with_native(const std::string& native,
                                                  const std::string& line, std::size_t most) const {
  return plugins_that(line, most, [&](const domain::PluginNeeds& needs) {
    return needs.natives &&
           std::binary_search(needs.natives->offers.begin(), needs.natives->offers.end(), native);
  });
}

Provider Providers::of(const domain::PluginNeed& need, const std::string& line) const {
  if (const auto* component = offers_.of(need)) return Provider::of(*component);
  const Plugins plugins = plugins_with(need, line, 1);
  return plugins.empty() ? Provider() : Provider::of(*plugins.front());
}

Provider Providers::of_native(const std::string& native, const std::string& line) const {
  if (const auto* component = offers_.of_native(native)) return Provider::of(*component);
  const Plugins plugins = plugins_with_native(native, line, 1);
  return plugins.empty() ? Provider() : Provider::of(*plugins.front());
}

std::string Providers::named_for(const domain::PluginNeeds& needs, const std::string& line) const {
  std::set<std::string> lines;
  std::set<std::string> seen;  // plugins
  std::vector<const domain::PluginNeeds*> open{&needs};
  const auto add = [&](const std::string& name, const Provider& provider) {
    if (provider.kind == Provider::Kind::platform) return;
    lines.insert(name + "=" + provider.token() + "@" + provider.version + "\n");
    if (provider.kind != Provider::Kind::plugin || !seen.insert(provider.slug).second) return;
    const auto plugin = std::ranges::find(plugins_, provider.slug,
                                          [](const auto& each) { return each.slug.view(); });
    if (const domain::PluginNeeds* more = needs_of(*plugin, line)) open.push_back(more);
  };
  while (!open.empty()) {
    const domain::PluginNeeds& each = *open.back();
    open.pop_back();
    for (const domain::PluginNeed& need : each.required) add(need.name, of(need, line));
    if (!each.natives) continue;
    for (const std::string& native : each.natives->imports) add(native, of_native(native, line));
  }
  return base::join(lines, "");
}

std::shared_ptr<const Providers> ProviderCache::at(std::uint64_t epoch) {
  Basis basis{epoch, verdicts_(), toolchains_.fingerprints()};
  if (known_ == nullptr || basis_ != basis) {
    auto [catalog, offers] = catalog_.offers(epoch);
    auto now = std::make_shared<const Providers>(std::move(catalog), std::move(offers),
                                                 plugins_.library_plugins(), basis.fingerprints);
    // A new epoch is mostly about something else.
    const bool is_same = known_ != nullptr && basis_.verdicts == basis.verdicts && *now == *known_;
    if (!is_same) known_ = std::move(now);
    basis_ = std::move(basis);
  }
  return known_;
}

}  // namespace goldsmith::creator
