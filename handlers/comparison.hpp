// What changes from one build to another (decision S33), for the endpoint and the page.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/creator/archive_digests.hpp"
#include "app/creator/comparison.hpp"
#include "handlers/builds.hpp"
#include "handlers/output_room.hpp"
#include "handlers/services.hpp"

namespace goldsmith::handlers {

// What its author says of a version.
struct VersionNote {
  std::string version;
  std::string text;  // CommonMark; "" = nothing is known
};
using VersionNotes = std::vector<VersionNote>;  // the newest first

struct ComparedSetting {
  std::string path;  // of the configuration file
  creator::SettingChange change;
};

// A text file that is in both builds, with other content.
struct ComparedText {
  const creator::FileChange* file = nullptr;
  std::string from;
  std::string to;
};

// Which of the changed texts are read.
enum class Texts { configuration, all };

// Limits of what is read, so that no comparison takes long.
inline constexpr std::size_t kMostTextBytes = 64'000;      // of a file
inline constexpr std::size_t kMostTextsBytes = 1'000'000;  // of all files, from both builds
inline constexpr std::size_t kMostSettings = 1'000;
inline constexpr std::size_t kMostSettingsBytes = 256'000;  // of all names, paths and values
inline constexpr std::size_t kMostNotesBytes = 256'000;     // of all notes

struct ComparedServers {
  const creator::Plan& from;
  const creator::Plan& to;
  creator::ArchiveDigests::Archive from_archive = {};
  creator::ArchiveDigests::Archive to_archive = {};
  creator::Comparison changes = {};
  std::vector<VersionNotes> component_notes = {};  // of each of changes.components
  std::vector<VersionNotes> plugin_notes = {};     // of each of changes.plugins
  std::vector<ComparedSetting> settings = {};      // by path and name
  std::vector<ComparedText> texts = {};            // configuration first, then by path
  bool are_notes_all = true;                       // false: some were left out
  bool are_texts_all = true;                       // and so were some settings or texts
};

// Adds what has room; false if something of a file with that path has none.
bool add_settings(const std::string& path, std::vector<creator::SettingChange> changes,
                  OutputRoom& room, std::vector<ComparedSetting>& settings);

// The build that `to` is compared with, of the parameter `from`; or what prevents one of them.
Planned plan_before(Services& services, const Call& call, const Planned& to);

// Throws what ServerBuilds::preview() does, and db::Error. Valid while both plans are.
ComparedServers compare_builds(Services& services, const creator::Plan& from,
                               const creator::Plan& to, Texts texts);

}  // namespace goldsmith::handlers
