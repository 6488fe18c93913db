#include "app/scan/stored_upstreams.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::scan {
namespace {

// Nothing of it is known but what public versions tell.
void trust_what_is_public(const FollowedRepository& repository, const mirror::Snapshot& snapshot,
                          const StoredSources& stored, mirror::Repositories& repositories,
                          domain::SourceCheck& check) {
  if (const auto most = stored.rewrites.find(check.now.repository); most != stored.rewrites.end()) {
    check.now.rewrites = most->second;
  }
  check.trusted = check.now;
  if (check.now.repository == 0) return;
  for (const auto* origin : stored.origins_of(stored.slugs_of(repository.upstream.repository))) {
    const domain::SourceIdentity& before = origin->source;
    if (before.repository == check.now.repository && before.owner == check.now.owner) continue;
    check.trusted.repository = before.repository;
    check.trusted.owner = before.owner;
    break;
  }
  for (const auto* origin : stored.origins_of(stored.slugs_of(repository.upstream))) {
    if (!origin->is_of_commit() || origin->source.repository != check.now.repository) continue;
    if (!repositories.continues(repository.upstream, snapshot, origin->commit)) {
      ++check.now.rewrites;
    }
    return;
  }
}

}  // namespace

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

StoredSources::StoredSources(const Host& host) {
  db::PluginStore store = host.plugins();
  for (auto& [slug, upstream] : store.upstreams()) {
    upstreams.emplace(slug.str(), std::move(upstream));
  }
  std::map<std::string, domain::PluginVersion> newest;
  for (db::TakenVersion& taken : store.taken_versions()) {
    const domain::SourceIdentity& source = taken.origin.source;
    const bool is_public = taken.status == domain::Status::published;
    if (is_public && domain::is_final(taken.version, taken.origin)) {
      finals.insert(taken.slug.str());
    }
    if (source.repository == 0) continue;
    std::int64_t& most = rewrites[source.repository];
    most = std::max(most, source.rewrites);
    if (!is_public) continue;
    domain::PluginVersion version;
    version.version = taken.version;
    version.created_at = taken.created_at;
    const auto [known, is_new] = newest.try_emplace(taken.slug.str(), version);
    if (!is_new && !domain::is_newer(version, known->second)) continue;
    known->second = std::move(version);
    origins[taken.slug.str()] = std::move(taken.origin);
  }
}

std::vector<std::string> StoredSources::slugs_of(const domain::PluginUpstream& place) const {
  std::vector<std::string> slugs;
  for (const auto& [slug, upstream] : upstreams) {
    if (domain::is_same_place(upstream, place)) slugs.push_back(slug);
  }
  return slugs;
}

std::vector<std::string> StoredSources::slugs_of(const std::string& repository) const {
  std::vector<std::string> slugs;
  for (const auto& [slug, upstream] : upstreams) {
    if (domain::is_same_repository(upstream.repository, repository)) slugs.push_back(slug);
  }
  return slugs;
}

std::vector<const domain::VersionOrigin*> StoredSources::origins_of(
    const std::vector<std::string>& slugs) const {
  std::vector<const domain::VersionOrigin*> found;
  for (const std::string& slug : slugs) {
    if (const auto known = origins.find(slug); known != origins.end()) {
      found.push_back(&known->second);
    }
  }
  return found;
}

bool StoredSources::may_be(const std::vector<std::string>& slugs, std::int64_t number) const {
  return std::ranges::all_of(origins_of(slugs),
                             [&](const auto* each) { return each->source.repository == number; });
}

std::optional<mirror::GithubRepository> identify(FollowedRepository& repository,
                                                 mirror::Repositories& repositories,
                                                 const FollowedRepositories& followed,
                                                 const Host& host) {
  auto found = repositories.identify(repository.upstream);
  std::string& name = repository.upstream.repository;
  const std::int64_t known = repository.source.repository;
  if (!found || name == found->name || (known != 0 && known != found->number)) return found;
  if (followed.is_name_of_another(found->name, found->number)) return found;
  if (repository.scanned_as.empty() && !repository.commit.empty()) repository.scanned_as = name;
  rename_upstreams(host, name, found->name);
  name = found->name;
  return found;
}

mirror::KnownTags known_tags(const FollowedRepository& repository, const Host& host) {
  mirror::KnownTags known{{}, repository.tags_sha256};
  known.published.takes_prereleases = repository.takes_prereleases;
  if (repository.upstream.releases == "commits") return known;
  const StoredSources stored(host);
  const std::vector<std::string> slugs = stored.slugs_of(repository.upstream);
  for (const auto* origin : stored.origins_of(slugs)) {
    const std::string_view tag = origin->tag();
    if (tag.empty() || domain::version_order(tag, known.published.tag) <= 0) continue;
    known.published.tag = tag;
    known.published.time = origin->time;
  }
  known.published.is_unfinished =
      std::ranges::none_of(slugs, [&](const auto& slug) { return stored.finals.contains(slug); });
  return known;
}

domain::SourceCheck check_source(const FollowedRepository& repository,
                                 const mirror::Snapshot& snapshot,
                                 const std::optional<mirror::GithubRepository>& found,
                                 bool is_trusted, mirror::Repositories& repositories,
                                 const Host& host) {
  const bool was_mirrored =
      repository.mirrored_at || !repository.commit.empty() || !repository.stamp.empty();
  domain::SourceCheck check{repository.source, repository.trusted, !is_trusted, !was_mirrored,
                            repository.predecessors};
  if (found) {
    check.now.repository = found->number;
    check.now.owner = found->owner;
  }
  if (!repositories.continues(repository.upstream, snapshot, repository.commit)) {
    ++check.now.rewrites;
  }
  if (check.is_first || is_trusted) {
    const StoredSources stored(host);
    if (check.is_first) {
      trust_what_is_public(repository, snapshot, stored, repositories, check);
    }
    if (is_trusted) {
      std::vector<std::int64_t> numbers{repository.source.repository,
                                        repository.trusted.repository};
      for (const auto* each : stored.origins_of(stored.slugs_of(repository.upstream.repository))) {
        numbers.push_back(each->source.repository);
      }
      for (const std::int64_t number : numbers) {
        if (number == 0 || number == check.now.repository ||
            std::ranges::find(check.predecessors, number) != check.predecessors.end()) {
          continue;
        }
        check.predecessors.push_back(number);
      }
      check.trusted = check.now;
    }
  }
  if (check.trusted.repository == 0) {
    check.trusted.repository = check.now.repository;
    check.trusted.owner = check.now.owner;
  }
  return check;
}

}  // namespace goldsmith::scan
