// What becomes of a plugin of the directory when the repository that it comes from has something
// new (decisions P26, P27). Pure: what is stored and what a scan found come in, what is to be
// stored goes out.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/manifest.hpp"
#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "app/domain/source_identity.hpp"
#include "app/scan/manifest.hpp"
#include "app/scan/reason.hpp"
#include "app/scan/record.hpp"
#include "app/scan/scanned_plugin.hpp"

namespace goldsmith::scan {

// Where what was scanned comes from.
struct MirroredFrom {
  domain::PluginUpstream upstream;
  std::string commit;                     // or the name of a release; "" = not known
  std::optional<domain::Timestamp> time;  // absent = not known
  std::string archive_sha256;
  std::string root;                 // before the paths in it, in those of the scan
  domain::SourceCheck source = {};  // what is in doubt waits (decision P27)

  // Of a source in the repository.
  std::string path_of(const ScannedPlugin& scanned) const {
    return scanned.path.substr(scanned.path.starts_with(root) ? root.size() : 0);
  }
};

// What decides whether a version is published at once, beside what the scan says.
struct MirrorRules {
  std::optional<Reason> waits = {};  // why all of it does
  bool publishes_new = false;        // plugins of which nothing is published yet
  bool takes_prereleases = false;    // see domain::PublicVersion
  domain::Timestamp now{};
  std::map<std::string, std::string> fingerprints;  // of the toolchains, by line
  const domain::FileOwners* owners = nullptr;
};

// A version that is to be added, or waits already.
struct AddedVersion {
  domain::Version version;  // of MirroredPlugin::plugin
  const ScannedPlugin* scanned = nullptr;
  std::vector<Reason> reasons;  // not to publish it; empty = none is known
  std::vector<domain::StartVerdict> starts = {};
  bool is_fresh = false;  // its files are not stored yet, but where they were scanned
};

// All that was scanned of a plugin, with contents. Throws domain::ManifestError if that is no legal
// plugin, base::FileError and what the tools throw.
domain::Plugin whole_plugin(const ScannedPlugin& scanned, const ManifestOptions& options,
                            const domain::PluginTools& tools);

class MirroredPlugin {
 public:
  // `stored`: absent = the plugin is new; contents are not needed. `before`: what the record
  // has of it; null = nothing. Throws domain::ManifestError if the scan made no legal plugin.
  MirroredPlugin(const ScannedPlugin& scanned, std::optional<domain::Plugin> stored,
                 const RecordedPlugin* before, const MirroredFrom& from, const MirrorRules& rules,
                 const ManifestOptions& options, const domain::PluginTools& tools);

  // As it is to be stored: with the added versions as drafts that say that they were not tried yet,
  // or why they wait. What is public of it is as before. Without its files, which whole() adds.
  const domain::Plugin& plugin() const { return plugin_; }
  // With all files and their contents. `stored`: what is stored now, with contents. `found`: of
  // whole_plugin(), if it is fresh.
  domain::Plugin whole(domain::Plugin stored, domain::Plugin found) const;
  bool is_fresh() const;  // one of the added versions is
  void note_stored();     // all of them are stored now
  bool is_new() const { return is_new_; }
  std::vector<AddedVersion>& added() { return added_; }
  const std::vector<AddedVersion>& added() const { return added_; }
  // The latest published version before; absent = there is none.
  const std::optional<domain::Version>& former() const { return former_; }
  // What a person should know although nothing is added.
  const std::vector<std::string>& remarks() const { return remarks_; }
  // Whether what is stored is another plugin than plugin().
  bool is_changed() const { return is_changed_; }

  // Of a version that is one of `added`.
  bool has_changes(const domain::Version& version) const;
  // What the commits say that made the version, which is one of `added`.
  void set_changes(const domain::Version& version, std::string changes);

  // Publishes the versions without reasons, and what the scan says of the plugin, but for what a
  // person has changed; the others wait, with their reasons.
  void settle();

  // Whether all that the scan found of it is public. Otherwise the record keeps what it has.
  bool is_newest_public() const { return is_newest_public_; }
  // What the record is to have, so that the next call of all this knows what the scan said when a
  // version was published last.
  json::Object recorded_manifest() const;
  // The version that was public then; "" = none was.
  std::string recorded_version() const;

 private:
  void take(const domain::PluginVersion& found, const ScannedPlugin& scanned);
  bool is_replaced(const domain::PluginVersion& held, const domain::Version& name) const;
  domain::Version free_version(const domain::Version& found) const;
  bool has_same_program(const domain::PluginVersion& found, const ScannedPlugin& scanned) const;
  std::vector<Reason> reasons_against(const domain::PluginVersion& found,
                                      const domain::Version& name,
                                      const ScannedPlugin& scanned) const;
  void add_compile_reasons(const ScannedPlugin& scanned, std::vector<Reason>& reasons) const;
  std::vector<Reason> claims_changed() const;
  const domain::PluginVersion* find_former() const;
  std::vector<domain::Doubt> doubts() const;
  bool is_seen(const domain::Version& version) const;
  std::vector<Reason> claims_unseen(const domain::Version& version) const;
  void merge_head();

  const MirroredFrom& from_;
  const MirrorRules& rules_;
  const RecordedPlugin* before_;
  bool is_new_;
  bool is_guessed_;  // ScannedPlugin::is_guessed
  bool is_changed_ = false;
  domain::Plugin plugin_;
  domain::Plugin found_;
  json::Object found_manifest_;         // without its versions
  std::optional<domain::Plugin> base_;  // of `before`
  std::optional<domain::Version> former_;
  bool was_public_ = false;        // a version is, or was until somebody hid it
  bool is_held_back_ = false;      // nothing that is public follows what was found
  bool is_newest_public_ = false;  // what the scan found is published already
  std::string newest_public_;      // as which version, if it is known
  std::vector<AddedVersion> added_;
  std::vector<std::string> remarks_;
};

}  // namespace goldsmith::scan
