#include "app/scan/stored_upstreams.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace goldsmith::scan {

std::vector<std::string> edit_upstreams(const Host& host, const EditUpstream& edit) {
  db::PluginStore store = host.plugins();
  std::vector<std::string> edited;
  for (auto& [slug, upstream] : store.upstreams()) {
    if (!edit(slug.str(), upstream)) continue;
    store.set_upstream(slug, upstream, host.now());
    edited.push_back(slug.str());
  }
  if (!edited.empty()) host.announce_change();
  return edited;
}

void rename_upstreams(const Host& host, const std::string& from, const std::string& to) {
  edit_upstreams(host, [&](const std::string&, domain::PluginUpstream& upstream) {
    if (!domain::is_same_repository(upstream.repository, from)) return false;
    upstream.repository = to;
    return true;
  });
}

std::vector<std::string> mark_all_gone(const Host& host, const domain::PluginUpstream& place) {
  return edit_upstreams(host, [&](const std::string&, domain::PluginUpstream& upstream) {
    if (upstream.gone_since || !domain::is_same_place(upstream, place)) return false;
    upstream.gone_since = host.now();
    return true;
  });
}

void mark_broken(const Host& host, const ScannedPlugins& plugins,
                 const domain::PluginUpstream& place, const ScanRecord& record) {
  std::map<std::string, std::string> broken;  // why, by slug
  for (const ScannedPlugin& each : plugins) {
    const bool is_broken = record.is_imported(each.slug.str()) && !each.is_written() &&
                           each.toolchain.empty() && each.part_of.empty() && !each.why.empty();
    if (is_broken) broken.emplace(each.slug.str(), base::one_line(each.why));
  }
  if (broken.empty()) return;
  edit_upstreams(host, [&](const std::string& slug, domain::PluginUpstream& upstream) {
    const auto why = broken.find(slug);
    if (why == broken.end() || upstream.problem == why->second ||
        !domain::is_same_repository(upstream.repository, place.repository)) {
      return false;
    }
    upstream.problem = why->second;
    if (!upstream.problem_since) upstream.problem_since = host.now();
    return true;
  });
}

// Asks for those alone that are not there, which are few, or none.
std::vector<std::string> mark_unfound_gone(const Host& host, const ScannedPlugins& plugins,
                                           const domain::PluginUpstream& place,
                                           const ScanRecord& record) {
  std::set<std::string> found;
  std::set<std::string> paths;
  for (const ScannedPlugin& each : plugins) {
    found.insert(each.slug.str());
    found.insert(each.part_of);
    paths.insert(each.path);
  }
  std::vector<std::string> gone;
  db::PluginStore store = host.plugins();
  for (const auto& [slug, recorded] : record.plugins()) {
    if (!recorded.is_imported || found.contains(slug) || paths.contains(recorded.source)) continue;
    const std::optional<domain::Plugin> plugin = store.find_any(domain::Slug::parse(slug).value());
    if (!plugin || plugin->upstream.gone_since ||
        !domain::is_same_repository(plugin->upstream.repository, place.repository)) {
      continue;
    }
    domain::PluginUpstream upstream = plugin->upstream;
    upstream.forget_findings();
    upstream.gone_since = host.now();
    store.set_upstream(plugin->slug, upstream, host.now());
    gone.push_back(slug);
  }
  return gone;
}

std::vector<RefusedFile> refused_files(const ScannedPlugins& plugins, const MirroredFrom& from,
                                       const ScanRecord& record) {
  std::vector<RefusedFile> refused;
  for (const ScannedPlugin& scanned : plugins) {
    if (scanned.refused.empty()) continue;
    const auto known = std::ranges::find_if(record.plugins(), [&](const auto& each) {
      return each.second.is_imported && each.second.source == scanned.path;
    });
    refused.push_back({from.path_of(scanned) + ' ' + scanned.refused,
                       known == record.plugins().end() ? std::string() : known->first});
  }
  return refused;
}

}  // namespace goldsmith::scan
