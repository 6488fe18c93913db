#include "app/scan/mirroring.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/compile/content.hpp"
#include "app/scan/plugin_checks.hpp"
#include "app/scan/plugin_tools.hpp"
#include "app/scan/stored_upstreams.hpp"
#include "db/plugin_import.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::size_t kMostAsked = 10;  // of changed plugins, for the subjects of their commits
constexpr std::size_t kChangesLimit = 8192;

// Whether it comes from any part of the repository.
bool is_from(const domain::PluginUpstream& place, const domain::Plugin& plugin) {
  return !place.empty() && domain::is_same_repository(plugin.upstream.repository, place.repository);
}

// Whether the operator wants the plugin of that slug from here.
bool is_to_replace(const ScannedPlugin& scanned, const PluginMirroring::Request& request) {
  return std::ranges::any_of(scanned.asked,
                             [&](const AskedQuestion& each) {
                               return each.question.topic == Topic::directory &&
                                      each.is(Choice::replace);
                             }) ||
         std::ranges::any_of(request.answers, [&](const auto& each) {
           return parse_topic(each.first) == Topic::directory &&
                  each.second == to_string(Choice::replace);
         });
}

}  // namespace

std::string_view to_string(MirrorEvent::Kind kind) {
  constexpr std::array<std::string_view, 8> kKinds{
      // in the order of the enumerators
      "published", "created", "waits", "asks", "fails", "gone", "noted", "same"};
  return kKinds.at(static_cast<std::size_t>(kind));
}

std::size_t MirrorReport::count(MirrorEvent::Kind kind) const {
  return static_cast<std::size_t>(std::count_if(
      events.begin(), events.end(), [&](const auto& each) { return each.kind == kind; }));
}

PluginMirroring::PluginMirroring(const Host& host, std::size_t jobs)
    : host_(host),
      jobs_(jobs),
      scanner_(host, true),
      repositories_(host.config.upstream, host.config.followed / kAnswers, host.clock),
      tools_(plugin_tools(host.config.mirror, scanner_.texts())),
      topics_(topic_table({}, host)),
      owners_(file_owners(host.database())) {
  if (host.config.mirror.publish_plugins == base::PublishPlugins::ask) {
    rules_.waits.emplace(Reason::Kind::policy, "mirror.publish_plugins is \"ask\"");
  }
  for (const ScanLine& line : scanner_.lines()) {
    rules_.fingerprints.emplace(line.toolchain.line, line.fingerprint);
  }
  rules_.owners = &owners_;
  rules_.now = host.now();
}

std::optional<mirror::Snapshot> PluginMirroring::find_news(const FollowedRepository& repository) {
  mirror::Newest newest = repositories_.newest(repository.upstream, known_tags(repository, host_));
  if (is_news(newest.snapshot, repository)) return std::move(newest.snapshot);
  for (mirror::WaitingSnapshot& each : newest.waiting) {
    if (!repository.knows_waiting(each.snapshot.mark())) return std::move(each.snapshot);
  }
  return std::nullopt;
}

bool PluginMirroring::is_news(const mirror::Snapshot& snapshot,
                              const FollowedRepository& repository) {
  if (repository.waits_for_start) return true;
  const bool is_same = snapshot.commit.empty() ? repositories_.is_same(snapshot, repository.stamp)
                                               : snapshot.commit == repository.commit;
  return !is_same || has_ended_doubt(repository);
}

// A person has published a version of a plugin that waited for a doubt, and another one still does.
bool PluginMirroring::has_ended_doubt(const FollowedRepository& repository) {
  if (repository.doubted_slugs.empty() || repository.doubts().empty()) return false;
  const StoredSources stored(host_);
  return std::ranges::any_of(host_.plugins().held_versions(), [&](const db::HeldVersion& version) {
    const std::string slug = version.slug.str();
    const auto origin = stored.origins.find(slug);
    return std::ranges::find(repository.doubted_slugs, slug) != repository.doubted_slugs.end() &&
           origin != stored.origins.end() && origin->second.source == repository.source;
  });
}

ScannedPlugins PluginMirroring::scan(const Scanner::Request& request, const ScanRecord& record) {
  Scanner::Request with = request;
  with.topics = topics_ ? &*topics_ : nullptr;
  with.jobs = jobs_;
  return scanner_.scan(with, record);
}

// A plugin belongs to the place that it has as its upstream, whatever else has the same content.
// One that is not recorded, as its manifest names the place or as the record was lost, is found
// there by its content, name and author. `place`: empty of the inbox.
void PluginMirroring::seed(const domain::PluginUpstream& place, ScanRecord& record) {
  db::PluginStore store = host_.plugins();
  std::map<std::string, domain::PluginUpstream> upstreams;
  for (auto& [slug, upstream] : store.upstreams()) {
    upstreams.emplace(slug.str(), std::move(upstream));
  }
  for (auto& [slug, recorded] : record.plugins()) {
    const auto upstream = upstreams.find(slug);
    recorded.is_imported =
        recorded.is_imported &&
        domain::is_same_repository(
            upstream == upstreams.end() ? std::string() : upstream->second.repository,
            place.repository);
  }
  for (const auto& [slug, upstream] : upstreams) {
    if (!domain::is_same_place(upstream, place)) continue;
    if (const auto known = record.plugins().find(slug); known != record.plugins().end()) {
      known->second.is_imported = true;
      continue;
    }
    const auto plugin = store.find_whole(domain::Slug::parse(slug).value());
    if (!plugin || plugin->versions.empty()) continue;
    const domain::PluginFile* const entry = domain::entry_point(plugin->versions.front());
    RecordedPlugin& recorded = record.plugins()[slug];
    recorded.is_imported = true;
    if (entry != nullptr) recorded.source_sha256 = digest_of(entry->content);
    recorded.manifest = {{"name", plugin->name}, {"author", plugin->author}};
  }
  record.index();
}

PluginMirroring::Works PluginMirroring::compare(const ScannedPlugins& plugins,
                                                const FollowedRepository& repository,
                                                const MirroredFrom& from, const MirrorRules& rules,
                                                const Request& request, const ScanRecord& record,
                                                MirrorReport& report) {
  using Kind = MirrorEvent::Kind;
  db::PluginStore store = host_.plugins();
  Works works;
  std::size_t done = 0;
  for (const ScannedPlugin& scanned : plugins) {
    base::check_interruption();
    host_.progress.show_count("plugins compared", ++done, plugins.size());
    const bool is_wanted =
        repository.slugs.empty() || std::find(repository.slugs.begin(), repository.slugs.end(),
                                              scanned.slug.str()) != repository.slugs.end();
    if (!is_wanted || scanned.slug.empty()) continue;
    const RecordedPlugin* const before = record.find(scanned.slug.str());
    const bool is_ours = before != nullptr && before->is_imported;
    if (scanned.toolchain.empty() && scanned.facts.is_plugin) {
      report.uncompiled.push_back({from.path_of(scanned), scanned.why});
    }
    if (!scanned.is_written()) {
      scanner_.keep_verdicts(scanned.slug, scanned.version, scanned);
      if (is_ours && scanned.toolchain.empty() && scanned.part_of.empty()) {
        report.events.push_back({Kind::fails, scanned.slug.str(), "", {scanned.why}});
      }
      continue;
    }
    std::optional<domain::Plugin> stored = store.find_any(scanned.slug);
    if (!is_ours || !stored) {
      if (const auto open = scanned.open_questions(); !open.empty()) {
        report.events.push_back({Kind::open, scanned.slug.str(), "", {open.front()->text}});
        continue;
      }
    }
    // A copy of what somebody else's repository or a person brought changes nothing of it.
    if (stored && !is_ours && !is_from(from.upstream, *stored) &&
        !is_to_replace(scanned, request)) {
      ++report.unchanged;
      continue;
    }
    try {
      auto mirrored = std::make_unique<MirroredPlugin>(scanned, std::move(stored), before, from,
                                                       rules, request.options, tools_);
      for (const std::string& remark : mirrored->remarks()) {
        report.events.push_back({Kind::noted, scanned.slug.str(), "", {remark}});
      }
      works.push_back({&scanned, std::move(mirrored)});
    } catch (const domain::ManifestError& error) {
      report.events.push_back({Kind::fails, scanned.slug.str(), "", {error.what()}});
    }
  }
  return works;
}

// The notes of a release, or what the commits say.
void PluginMirroring::add_changes(const FollowedRepository& repository,
                                  const mirror::Snapshot& snapshot, const MirroredFrom& from,
                                  Works& works) {
  std::size_t asked = 0;
  for (Work& work : works) {
    if (work.mirrored->is_new()) continue;
    for (const AddedVersion& added : work.mirrored->added()) {
      if (work.mirrored->has_changes(added.version)) continue;  // since it waits
      std::string changes(base::first_bytes(snapshot.notes, kChangesLimit));
      if (changes.empty() && repository.time && !snapshot.commit.empty() && asked++ < kMostAsked) {
        try {
          changes = mirror::list_of_changes(
              repositories_.subjects(repository.upstream, snapshot, from.path_of(*added.scanned),
                                     *repository.time),
              kChangesLimit);
        } catch (const mirror::FetchError&) {  // they are worth no failure
          asked = kMostAsked;
        }
      }
      if (!changes.empty()) work.mirrored->set_changes(added.version, std::move(changes));
    }
  }
}

void PluginMirroring::import(Works& works, const Request& request) {
  db::PluginStore store = host_.plugins();
  std::optional<db::PluginImport> import;
  std::size_t done = 0;
  for (Work& work : works) {
    MirroredPlugin& mirrored = *work.mirrored;
    if (!mirrored.is_changed() && mirrored.added().empty()) continue;
    host_.progress.show_count("plugins stored", ++done, works.size());
    domain::Plugin plugin =
        mirrored.whole(store.find_whole(mirrored.plugin().slug).value_or(domain::Plugin()),
                       mirrored.is_fresh() ? whole_plugin(*work.scanned, request.options, tools_)
                                           : domain::Plugin());
    compile::describe(plugin,
                      [&](std::string_view text) { return scanner_.texts().named_files(text); });
    if (!import) import.emplace(host_.database(), host_.now());
    import->add(std::move(plugin));
  }
  host_.progress.end();
  if (!import) return;
  import->finish();
  for (Work& work : works) work.mirrored->note_stored();
  for (const std::string& remark : import->remarks()) host_.progress.report(remark);
}

void PluginMirroring::keep_verdicts(const Works& works) {
  for (const Work& work : works) {
    for (const AddedVersion& added : work.mirrored->added()) {
      scanner_.keep_verdicts(work.scanned->slug, added.version, *added.scanned);
    }
  }
}

// Also what was skipped, does not compile or asks: its answers are known by its slug, which it
// keeps if it is moved.
void PluginMirroring::record_sources(const ScannedPlugins& plugins, ScanRecord& record) {
  for (const ScannedPlugin& each : plugins) {
    if (each.slug.empty()) continue;
    RecordedPlugin& recorded = record.plugins()[each.slug.str()];
    // The next run is to judge it in the same way.
    if (each.is_guessed && recorded.is_imported && !each.facts.author.empty() &&
        text_in(recorded.manifest, "author").empty()) {
      continue;
    }
    recorded.source = each.path;
    recorded.source_sha256 = each.source_sha256;
    if (!recorded.is_imported && each.facts.is_plugin) {
      recorded.manifest = {{"name", each.facts.name}, {"author", each.facts.author}};
    }
  }
}

FollowedRepository PluginMirroring::find_followed(FollowedRepository repository,
                                                  const FollowedRepositories& followed) {
  if (auto known = followed.find(repository.upstream)) return *std::move(known);
  const auto found = identify(repository, repositories_, followed, host_);
  if (!found) return repository;
  if (auto known = followed.find_other_name(repository, found->number)) return *std::move(known);
  auto known = followed.find(repository.upstream);
  return known ? *std::move(known) : repository;
}

// What was another repository before is none that is followed under another name: a stranger may
// have taken the name.
std::optional<FollowedRepository> PluginMirroring::find_same(const FollowedRepository& repository,
                                                             std::int64_t number,
                                                             const FollowedRepositories& followed) {
  const std::int64_t known = repository.source.repository;
  if (known != 0 && known != number) return std::nullopt;
  auto other = followed.find_other_name(repository, number);
  if (!other) return std::nullopt;
  const StoredSources stored(host_);
  return stored.may_be(stored.slugs_of(repository.upstream), number) ? other : std::nullopt;
}

MirrorReport PluginMirroring::mirror(FollowedRepository& repository,
                                     const FollowedRepositories& followed, const Request& request) {
  MirrorReport report;
  const base::HeldFolder folder = followed.folder_of(repository);
  const bool has_answers = !request.answers.empty() ||
                           ScanRecord::questions_sha256(folder) != repository.questions_sha256;
  mirror::Newest newest = repositories_.newest(repository.upstream, known_tags(repository, host_));
  if (newest.remark) {
    if (*newest.remark != repository.remark) report.remark = *newest.remark;
    repository.remark = *newest.remark;
  }
  repository.tags_sha256 = newest.digest;
  const bool is_asked = has_answers || request.again;
  const bool takes_newest = is_asked || is_news(newest.snapshot, repository);
  std::vector<std::string> waiting_tags;
  for (const auto& each : newest.waiting) waiting_tags.push_back(each.snapshot.mark());
  std::erase_if(newest.waiting, [&](const auto& each) {
    return !is_asked && repository.knows_waiting(each.snapshot.mark());
  });
  report.is_unchanged = !takes_newest && newest.waiting.empty() && report.remark.empty();
  if (report.is_unchanged) return report;
  const auto found = repositories_.identify(repository.upstream);
  if (found) report.other = find_same(repository, found->number, followed);
  if (report.other) return report;
  identify(repository, repositories_, followed, host_);
  const From from{repository, folder, found};
  if (takes_newest) take(from, newest.snapshot, "", request, report);
  for (const auto& each : newest.waiting) take(from, each.snapshot, each.why, request, report);
  repository.waiting_tags = std::move(waiting_tags);
  host_.announce_change();
  return report;
}

void PluginMirroring::take(const From& place, const mirror::Snapshot& snapshot,
                           const std::string& waits, const Request& request, MirrorReport& report) {
  using Kind = MirrorEvent::Kind;
  const auto& [repository, folder, found] = place;
  const base::TempDir temporary;
  const std::filesystem::path file = temporary.path() / "repository";
  ScanRecord record(folder);
  for (const auto& [topic, answer] : request.answers) record.answer_all(topic, answer);
  seed(repository.upstream, record);
  MirroredFrom from;
  mirror::Download download;
  {
    host_.progress.show(repository.title() + ": downloading …");
    download = repositories_.download(snapshot, file, [&](std::uint64_t done, std::uint64_t total) {
      host_.progress.show_transfer(repository.title(), done, total);
    });
  }
  from.upstream = repository.upstream;
  from.commit = snapshot.name();
  from.time = snapshot.time ? snapshot.time : download.last_modified;
  from.archive_sha256 = download.sha256;
  from.root = '/' + repository.scan_name() + '/';
  FollowedRepository known = repository;
  if (!waits.empty()) known.commit.clear();  // it may be on another branch
  from.source = check_source(known, snapshot, found, request.trusts, repositories_, host_);
  const ScannedPlugins plugins =
      scan({.add =
                [&](SourceTree& tree) {
                  const base::UniqueFd archive = base::open_named(file, O_RDONLY | O_CLOEXEC);
                  tree.add_repository(archive, repository.scan_name(), repository.upstream.folder);
                },
            .release = snapshot.release},
           record);
  MirrorRules rules = rules_;
  rules.publishes_new = repository.publishes_new;
  rules.takes_prereleases = repository.takes_prereleases;
  if (!waits.empty()) rules.waits.emplace(Reason::Kind::number, waits);
  MirrorReport of_waiting;
  MirrorReport& own = waits.empty() ? report : of_waiting;
  Works works = compare(plugins, repository, from, rules, request, record, own);
  for (auto& [text, slug] : refused_files(plugins, from, record)) {
    if (slug.empty()) {
      own.refused.push_back(std::move(text));
    } else {
      own.events.push_back({Kind::fails, slug, "", {std::move(text)}});
    }
  }
  add_changes(repository, snapshot, from, works);
  // What has no former version is not compared with one.
  for (Work& work : works) {
    if (!work.mirrored->former()) work.mirrored->settle();
  }
  import(works, request);
  keep_verdicts(works);
  const bool is_tried = start(works, true);
  Works settled;
  std::vector<std::string> doubted_slugs;
  for (Work& work : works) {
    const bool has_former = work.mirrored->former().has_value();
    const bool is_added = !work.mirrored->added().empty();
    for (const AddedVersion& added : work.mirrored->added()) {
      Kind kind = added.reasons.empty() ? Kind::published : Kind::waits;
      if (work.mirrored->is_new() && added.reasons.empty()) kind = Kind::created;
      report.events.push_back(
          {kind, work.scanned->slug.str(), added.version.str(), texts_of(added.reasons)});
    }
    const bool is_doubted = std::ranges::any_of(work.mirrored->added(), [](const auto& added) {
      return std::ranges::find(added.reasons, Reason::Kind::doubt, &Reason::kind) !=
             added.reasons.end();
    });
    if (is_doubted) doubted_slugs.push_back(work.scanned->slug.str());
    if (!is_added && waits.empty()) ++report.unchanged;
    RecordedPlugin& recorded = record.plugins()[work.scanned->slug.str()];
    recorded.is_imported = true;
    if (has_former && is_added) work.mirrored->settle();
    recorded.public_version = work.mirrored->recorded_version();
    recorded.manifest = work.mirrored->recorded_manifest();
    const bool is_compiled = !work.scanned->compiled_sha256.empty();
    const bool is_what_counts =
        work.mirrored->is_newest_public() ? is_compiled || is_added : is_compiled && !has_former;
    if (is_what_counts) {
      recorded.compiled_sha256 = work.scanned->compiled_sha256;
    }
    if (has_former && is_added) settled.push_back(std::move(work));
  }
  import(settled, request);
  if (!waits.empty()) return;
  // What a repository in doubt lacks is not gone from the one that is meant.
  const bool is_another = from.source.is_doubted && from.source.now.repository != 0 &&
                          !doubts_between(from.source.trusted, from.source.now).empty();
  if (!is_another) {
    for (std::string& slug : mark_unfound_gone(host_, plugins, repository.upstream, record)) {
      report.events.push_back({Kind::gone, std::move(slug), "", {}});
    }
    mark_broken(host_, plugins, repository.upstream, record);
  }
  record_sources(plugins, record);
  for (const std::string& remark : record.write(folder, plugins)) host_.progress.report(remark);
  repository.source = from.source.now;
  repository.trusted = from.source.trusted;
  repository.doubted_slugs = std::move(doubted_slugs);
  repository.mirrored_at = host_.now();
  repository.predecessors = from.source.predecessors;
  repository.commit = snapshot.commit;
  repository.time = from.time;
  repository.stamp = download.stamp;
  repository.waits_for_start = !is_tried;
  repository.questions_sha256 = ScanRecord::questions_sha256(folder);
  report.open_topics = open_topics(plugins);
  repository.uncompiled = report.uncompiled;
  repository.uncompiled.resize(std::min(repository.uncompiled.size(), kMostUncompiled));
}

}  // namespace goldsmith::scan
