#include "app/scan/mirrored_plugin.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/compile/content.hpp"
#include "app/domain/version_order.hpp"
#include "app/scan/plugin_checks.hpp"

namespace goldsmith::scan {
namespace {

// A manifest, and the files that it names, as if they were in a folder.
class MadeManifest : public domain::ManifestSource {
 public:
  MadeManifest(std::string name, json::Object manifest, Contents files = {})
      : name_(std::move(name)), manifest_(std::move(manifest)), files_(std::move(files)) {}

  std::string manifest_name() const override { return name_; }
  json::Value manifest() const override { return manifest_; }
  std::string read(const std::string& path, const domain::Node& node) const override {
    const auto found = files_.find(path);
    if (found == files_.end()) node.refuse("names no file that was found");
    return found->second();
  }

 private:
  std::string name_;
  json::Object manifest_;
  Contents files_;
};

// What a record has, as a plugin without versions; std::nullopt if it has nothing that is legal.
std::optional<domain::Plugin> plugin_of(const json::Object& recorded) try {
  if (recorded.empty()) return std::nullopt;
  json::Object manifest = recorded;
  manifest["versions"] = json::Array();
  return domain::read_plugin(MadeManifest("the record", std::move(manifest)), {}, {});
} catch (const domain::ManifestError&) {
  return std::nullopt;
}

// The files that are not compiled, or that others include, by their paths.
std::map<std::string, std::string> files_beside(const domain::PluginVersion& version) {
  const domain::PluginFile* const entry = domain::entry_point(version);
  std::map<std::string, std::string> files;
  for (const domain::PluginFile& file : version.files) {
    if (&file != entry) files.emplace(domain::installed_path(file), file.sha1);
  }
  return files;
}

bool has_same_files(const domain::PluginVersion& one, const domain::PluginVersion& other) {
  const domain::PluginFile* const entry = domain::entry_point(one);
  const domain::PluginFile* const other_entry = domain::entry_point(other);
  if ((entry == nullptr) != (other_entry == nullptr)) return false;
  const bool is_same_entry =
      entry == nullptr || (domain::installed_path(*entry) == domain::installed_path(*other_entry) &&
                           entry->sha1 == other_entry->sha1);
  return is_same_entry && files_beside(one) == files_beside(other);
}

std::string quoted(const std::string& text) { return text.empty() ? "none" : '"' + text + '"'; }

// Its end if there is none.
auto find_version(auto& plugin, const domain::Version& version) {
  return std::ranges::find(plugin.versions, version, &domain::PluginVersion::version);
}

enum class Among { all, of_known_source };

const domain::PluginVersion* latest_published(const domain::Plugin& plugin, Among among) {
  const domain::PluginVersion* latest = nullptr;
  for (const domain::PluginVersion& each : plugin.versions) {
    if (each.status != domain::Status::published) continue;
    if (among == Among::of_known_source && each.origin.source.repository == 0) continue;
    if (latest == nullptr || domain::is_newer(each, *latest)) latest = &each;
  }
  return latest;
}

}  // namespace

domain::Plugin whole_plugin(const ScannedPlugin& scanned, const ManifestOptions& options,
                            const domain::PluginTools& tools) {
  return domain::read_plugin(
      MadeManifest(scanned.path, manifest_of(scanned, options), files_beside(scanned)), {}, tools);
}

MirroredPlugin::MirroredPlugin(const ScannedPlugin& scanned, std::optional<domain::Plugin> stored,
                               const RecordedPlugin* before, const MirroredFrom& from,
                               const MirrorRules& rules, const ManifestOptions& options,
                               const domain::PluginTools& tools)
    : from_(from),
      rules_(rules),
      before_(before),
      is_new_(!stored),
      is_guessed_(scanned.is_guessed) {
  found_manifest_ = manifest_of(scanned, options);
  found_ = whole_plugin(scanned, options, tools);
  found_manifest_.erase("versions");
  if (before != nullptr) base_ = plugin_of(before->manifest);
  // Another name tells nothing of it: what told the category before counts.
  const bool is_told =
      !options.category.empty() || !versions_of(scanned).front()->topics.category.empty();
  if (base_ && !is_told) {
    found_.category = base_->category;
    found_manifest_["category"] = found_.category.view();
  }
  if (stored) {
    plugin_ = *std::move(stored);
  } else {
    plugin_ = found_;
    plugin_.versions.clear();
    plugin_.status = domain::Status::draft;
  }
  if (const auto* latest = latest_published(plugin_, Among::all)) former_ = latest->version;
  was_public_ = std::ranges::any_of(plugin_.versions,
                                    [](const auto& version) { return version.held.empty(); });
  const std::vector<domain::Doubt> doubts = this->doubts();
  is_held_back_ = !doubts.empty() || rules.waits.has_value();
  const domain::PluginUpstream stored_upstream = plugin_.upstream;
  const bool is_from_there =
      domain::is_same_repository(plugin_.upstream.repository, from.upstream.repository);
  if (!from.upstream.empty() && !is_from_there) plugin_.upstream = from.upstream;
  // Other forges than GitHub leave a doubt about all that they have.
  const bool is_proven = std::ranges::all_of(
      doubts, [](domain::Doubt doubt) { return doubt == domain::Doubt::unproven; });
  if (!from.upstream.empty() && is_proven) plugin_.upstream.forget_findings();
  is_changed_ = is_new_ || plugin_.upstream != stored_upstream;
  // As read_plugin() has them, each found version is that of a scanned one.
  for (const ScannedPlugin* each : versions_of(scanned)) {
    const auto found = find_version(found_, each->version);
    if (found != found_.versions.end()) take(*found, *each);
  }
  if (is_newest_public_ || !former_) merge_head();
  for (domain::PluginVersion& version : found_.versions) version.files.clear();
  for (domain::PluginVersion& version : plugin_.versions) version.files.clear();
}

// One that has the same content as a stored one adds nothing, unless that waits; neither does one
// that only says the same in other words.
void MirroredPlugin::take(const domain::PluginVersion& found, const ScannedPlugin& scanned) {
  const bool is_newest = found.version == found_.versions.front().version;
  const auto same = std::find_if(plugin_.versions.begin(), plugin_.versions.end(),
                                 [&](const auto& each) { return has_same_files(each, found); });
  if (same != plugin_.versions.end()) {
    if (same->status == domain::Status::published) {
      if (!is_newest || is_held_back_) return;
      remarks_ = texts_of(claims_unseen(same->version));
      is_newest_public_ = remarks_.empty();
      newest_public_ = same->version.str();
      return;
    }
    if (same->held.empty()) return;
    if (!is_replaced(*same, found.version)) {
      added_.push_back({same->version, &scanned, reasons_against(found, same->version, scanned)});
      return;
    }
    plugin_.versions.erase(same);  // it was never public
  } else if (is_newest && has_same_program(found, scanned)) {
    remarks_ = texts_of(claims_changed());
    is_newest_public_ = remarks_.empty() && !is_held_back_;
    newest_public_ = former_->str();
    return;
  }
  // What waits under that name was not published, and is replaced by what has the same origin.
  const auto waiting = std::find_if(
      plugin_.versions.begin(), plugin_.versions.end(), [&](const domain::PluginVersion& each) {
        return each.version == found.version && each.status == domain::Status::draft &&
               !each.held.empty() &&
               domain::is_same_repository(each.origin.repository, from_.upstream.repository);
      });
  domain::PluginVersion version = found;
  version.version = waiting == plugin_.versions.end() ? free_version(found.version) : found.version;
  std::vector<Reason> reasons = reasons_against(found, version.version, scanned);
  version.status = domain::Status::draft;
  version.held = held_for(reasons.empty()
                              ? std::vector{Reason(Reason::Kind::not_tried, "it was not tried yet")}
                              : reasons);
  version.origin = {from_.upstream.repository, from_.commit,    from_.path_of(scanned), from_.time,
                    from_.archive_sha256,      from_.source.now};
  // After all others, those that wait, too, even if a person imported one later than it was made.
  const bool is_last = std::ranges::all_of(plugin_.versions, [&](const auto& each) {
    return from_.time > each.created_at ||
           (from_.time == each.created_at && each.status == domain::Status::draft);
  });
  if (from_.time && is_last) version.created_at = from_.time;
  if (waiting != plugin_.versions.end()) plugin_.versions.erase(waiting);
  added_.push_back({version.version, &scanned, std::move(reasons), {}, true});
  plugin_.versions.insert(plugin_.versions.begin(), std::move(version));
  is_changed_ = true;
}

// Whether what waits is, with the same files, to be judged as what has this name: of a beta by its
// tag the final tag, of a number that was asked about the answer. Not as a tag that waits itself.
bool MirroredPlugin::is_replaced(const domain::PluginVersion& held,
                                 const domain::Version& name) const {
  const domain::PluginUpstream& place = from_.upstream;
  const bool is_waiting_tag = rules_.waits && rules_.waits->kind == Reason::Kind::number;
  if (is_waiting_tag || !domain::is_same_repository(held.origin.repository, place.repository)) {
    return false;
  }
  const bool is_by_tag = place.releases == "tags" || place.releases == "releases";
  return find_version(plugin_, name) == plugin_.versions.end() ||
         (is_by_tag && held.version == name && held.origin.commit != from_.commit);
}

// The author's, unless another content has it: then with the day of the commit, and a number if
// that is not enough.
domain::Version MirroredPlugin::free_version(const domain::Version& found) const {
  const auto is_taken = [&](const domain::Version& version) {
    return find_version(plugin_, version) != plugin_.versions.end();
  };
  if (!is_taken(found)) return found;
  const domain::Timestamp time = from_.time.value_or(domain::Timestamp{});
  const std::string day = fmt::format("-{:%Y%m%d}", std::chrono::floor<std::chrono::days>(time));
  constexpr std::size_t kRoom = 16;
  const std::string start =
      std::string(base::first_bytes(found.view(), domain::Version::kMaxSize - kRoom)) +
      (from_.time ? day : "");
  for (int number = from_.time ? 1 : 2;; ++number) {
    const std::string end = number == 1 ? "" : fmt::format("-{}", number);
    if (auto version = domain::Version::parse(start + end); version && !is_taken(*version)) {
      return *version;
    }
  }
}

// The compiler makes the same of it as of the source that was found last, and all other files are
// those of the latest version: comments and layout are no news for whoever runs a server, nor is
// what another plugin needed in an include.
bool MirroredPlugin::has_same_program(const domain::PluginVersion& found,
                                      const ScannedPlugin& scanned) const {
  if (before_ == nullptr || scanned.compiled_sha256.empty() || !former_ ||
      before_->compiled_sha256 != scanned.compiled_sha256) {
    return false;
  }
  std::map<std::string, std::string> before = files_beside(*find_former());
  std::map<std::string, std::string> now = files_beside(found);
  for (const ScannedFile& file : scanned.files) {
    const auto known = file.is_shared ? before.find(file.path) : before.end();
    if (known != before.end()) known->second = now[file.path];
  }
  return before == now;
}

// Precondition: there is one.
const domain::PluginVersion* MirroredPlugin::find_former() const {
  return &*find_version(plugin_, *former_);
}

// What is known of where it comes from that is public counts, also where a person has published
// another version since.
std::vector<domain::Doubt> MirroredPlugin::doubts() const {
  if (!former_) return from_.source.doubts(nullptr);
  const domain::PluginVersion* const known = latest_published(plugin_, Among::of_known_source);
  const domain::SourceIdentity none;
  return from_.source.doubts(known == nullptr ? &none : &known->origin.source);
}

// Who has published another one than the record has has seen what it says.
bool MirroredPlugin::is_seen(const domain::Version& version) const {
  return before_ != nullptr && !before_->public_version.empty() &&
         before_->public_version != version.view();
}

// What changed beside a version that did not.
std::vector<Reason> MirroredPlugin::claims_unseen(const domain::Version& version) const {
  return is_seen(version) ? std::vector<Reason>() : claims_changed();
}

// A license or an author that was stated to the public, and is another one now, or is not stated
// any more.
std::vector<Reason> MirroredPlugin::claims_changed() const {
  if (is_new_) return {};
  const domain::Plugin& known = base_ ? *base_ : plugin_;
  std::vector<Reason> changed;
  const auto compare = [&](const char* what, const std::string& before, const std::string& now) {
    if (!was_public_ || before.empty() || before == now) return;
    changed.emplace_back(Reason::Kind::claim, fmt::format("its {} was {}, and is {} now", what,
                                                          quoted(before), quoted(now)));
  };
  compare("license", known.license, found_.license);
  // By the name of its file anybody's may be the plugin.
  const bool is_unseen = !former_ || !is_seen(*former_);
  if (is_guessed_ && is_unseen && known.author.empty() && !found_.author.empty()) {
    changed.emplace_back(Reason::Kind::claim,
                         "its author was none, and is " + quoted(found_.author) + " now");
  }
  if (!is_same_author(known.author, found_.author)) {
    compare("author", known.author, found_.author);
  }
  return changed;
}

void MirroredPlugin::add_compile_reasons(const ScannedPlugin& scanned,
                                         std::vector<Reason>& reasons) const {
  const domain::PluginVersion* const former = find_former();
  for (const auto& [line, result] : scanned.results) {
    if (result == domain::CompileResult::ok) continue;
    const auto fingerprint = rules_.fingerprints.find(line);
    const domain::CompileVerdict* verdict =
        fingerprint == rules_.fingerprints.end()
            ? nullptr
            : domain::find_verdict(former->verdicts, line, fingerprint->second);
    const bool compiled = verdict != nullptr ? verdict->result == domain::CompileResult::ok
                                             : line == plugin_.toolchain;
    if (!compiled) continue;
    reasons.emplace_back(Reason::Kind::compile,
                         fmt::format("it does not compile with {}, as {} does: {}", line,
                                     former_->view(), scanned.why));
  }
}

std::vector<Reason> MirroredPlugin::reasons_against(const domain::PluginVersion& found,
                                                    const domain::Version& name,
                                                    const ScannedPlugin& scanned) const {
  constexpr std::size_t kMostQuestions = 3;
  std::vector<Reason> all;
  for (const domain::Doubt doubt : doubts()) all.emplace_back(doubt, from_.upstream.repository);
  if (rules_.waits) all.push_back(*rules_.waits);
  if (!former_ && !rules_.publishes_new) {
    all.emplace_back(Reason::Kind::new_plugin,
                     "it is new, and new plugins of its repository are drafts");
  }
  const auto questions = scanned.open_questions();
  if (former_) {
    // Who never had a final version is used to others.
    const bool takes_prereleases =
        rules_.takes_prereleases || std::ranges::none_of(plugin_.versions, [](const auto& each) {
          return each.status == domain::Status::published &&
                 domain::is_final(each.version, each.origin);
        });
    const domain::VersionStep step = domain::step_between(
        {*former_, find_former()->created_at, takes_prereleases}, name, rules_.now);
    // One that is asked about is not known, so that it is neither high nor low.
    const bool is_known =
        std::ranges::find(questions, Topic::version, &Question::topic) == questions.end();
    if (is_known && step != domain::VersionStep::ordinary) {
      all.emplace_back(Reason::Kind::number,
                       domain::told(step, former_->str() + ", which is published"));
    }
    add_compile_reasons(scanned, all);
  }
  for (Reason& each : claims_changed()) all.push_back(std::move(each));
  for (std::size_t i = 0; i < std::min(questions.size(), kMostQuestions); ++i) {
    all.emplace_back(Reason::Kind::question, "it asks: " + questions[i]->text);
  }
  if (rules_.owners != nullptr) {
    for (const std::string& each : foreign_files(found, *rules_.owners)) {
      all.emplace_back(Reason::Kind::place, each);
    }
  }
  return all;
}

bool MirroredPlugin::has_changes(const domain::Version& version) const {
  return !find_version(plugin_, version)->changes.empty();
}

void MirroredPlugin::set_changes(const domain::Version& version, std::string changes) {
  find_version(plugin_, version)->changes = std::move(changes);
}

domain::Plugin MirroredPlugin::whole(domain::Plugin stored, domain::Plugin found) const {
  domain::Plugin whole = plugin_;
  std::erase_if(whole.versions, [&](domain::PluginVersion& version) {
    const auto added = std::ranges::find(added_, version.version, &AddedVersion::version);
    const bool is_fresh = added != added_.end() && added->is_fresh;
    const domain::Version& name = is_fresh ? added->scanned->version : version.version;
    auto& versions = is_fresh ? found.versions : stored.versions;
    const auto known = std::ranges::find(versions, name, &domain::PluginVersion::version);
    if (known == versions.end()) return true;  // somebody has removed it since
    version.files = std::move(known->files);
    return false;
  });
  return whole;
}

bool MirroredPlugin::is_fresh() const {
  return std::ranges::any_of(added_, [](const AddedVersion& each) { return each.is_fresh; });
}

void MirroredPlugin::note_stored() {
  for (AddedVersion& each : added_) each.is_fresh = false;
}

void MirroredPlugin::settle() {
  for (const AddedVersion& added : added_) {
    const auto version = find_version(plugin_, added.version);
    if (!added.reasons.empty()) {
      version->held = held_for(added.reasons);
      continue;
    }
    version->held.clear();
    version->status = domain::Status::published;
    if (added.scanned->version == found_.versions.front().version) {
      newest_public_ = added.version.str();
      merge_head();
    }
    if (!former_) plugin_.status = domain::Status::published;
  }
}

// What a person has changed since the scan said it stays.
void MirroredPlugin::merge_head() {
  is_newest_public_ = true;
  if (is_new_) return;
  if (!base_) return;
  const auto merge = [&](auto& stored, const auto& base, const auto& found) {
    if (!(stored == base) || stored == found) return;
    stored = found;
    is_changed_ = true;
  };
  const auto merge_members = [&](auto& stored, const auto& base, const auto& found,
                                 auto... members) {
    (merge(stored.*members, base.*members, found.*members), ...);
  };
  using domain::Plugin;
  merge_members(plugin_, *base_, found_, &Plugin::name, &Plugin::summary, &Plugin::category,
                &Plugin::author, &Plugin::license, &Plugin::tags, &Plugin::original_url,
                &Plugin::toolchain);
  using domain::PluginAbout;
  merge_members(plugin_.about, base_->about, found_.about, &PluginAbout::description,
                &PluginAbout::links, &PluginAbout::cvars, &PluginAbout::commands,
                &PluginAbout::game_modes);
}

std::string MirroredPlugin::recorded_version() const {
  return is_newest_public_ ? newest_public_ : before_ == nullptr ? "" : before_->public_version;
}

json::Object MirroredPlugin::recorded_manifest() const {
  const bool keeps = before_ != nullptr && !before_->manifest.empty() && !is_newest_public_;
  return keeps ? before_->manifest : found_manifest_;
}

}  // namespace goldsmith::scan
