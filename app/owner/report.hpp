// What the files of a server are (decision S32): the result, as text and as an object for programs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/base/json.hpp"
#include "app/base/message.hpp"

namespace goldsmith::owner {

enum class FileKind {
  known,
  edited,           // configuration
  looked_for,       // configuration that its component looks for in several places
  written,          // a list that a build writes anew
  changed,          // other than any version has
  other_version,    // than the rest of its component
  unknown_version,  // a main file
  part,             // of what is not installed
  unknown_plugin,
  named_plugin,  // whose file name is all that is known
  unknown
};
inline constexpr std::size_t kFileKinds = 11;
std::string_view id_of(FileKind kind);       // in the object: "edited"
std::string_view heading_of(FileKind kind);  // in the text; "" for what is known

struct ReportedFile {
  FileKind kind = FileKind::known;
  std::string path;
  base::Message what;  // may be empty
};

struct ReportedComponent {
  std::string slug;
  std::string name;
  std::string version;
  std::uint64_t files = 0;
  std::string state;  // "latest", "outdated", "held"
  base::Message remark;
  bool is_loaded = true;
};

struct ReportedPlugin {
  std::string slug;
  std::string name;
  base::Message version;
  bool is_known_version = true;
  std::string file;  // below addons/amxmodx/plugins
  bool is_loaded = true;
  base::Message remark;
};

// A file that its component looks for in several places.
struct ReportedSetting {
  std::string path;
  std::string component;
  bool counts = false;
  base::Message what;
};

// The selection that is the same server, as far as the service has it.
struct ReportedLink {
  std::string query;  // "" if nothing is known; without `?`
  bool is_pinned = false;
  std::vector<std::string> guesses;     // components in place of files that are not known
  std::uint64_t left_out = 0;           // plugins, of which a selection has 100 at most
  std::vector<base::Message> problems;  // why the service would refuse it; empty if it would not
  std::vector<base::Message> now;       // rules against what is here together
  // Not in it: components, or paths, that are newer than here or of another make, and components
  // that need these.
  std::vector<std::string> stays;
  std::vector<std::string> stays_with;
  // With what the service has in their place, or with what completes it; "" if it would refuse
  // that.
  std::string whole;
  // The lines that the lists of a build lack, each with the list.
  std::vector<std::pair<std::string, std::string>> lines;
  std::vector<std::string> overrides;  // what says what is loaded, whatever a build has
  // Lines to take out of lists in addons/amxmodx/configs.
  std::vector<std::string> unlisted;
};

struct Report {
  std::vector<ReportedComponent> components;
  // Of main files that are of no known version, or that nothing loads.
  std::vector<ReportedFile> places;
  std::vector<ReportedPlugin> plugins;
  std::vector<ReportedSetting> settings;
  std::array<std::vector<ReportedFile>, kFileKinds> files;
  std::array<std::uint64_t, kFileKinds> counts{};
  // Maps, models and the like, by the folder that they are in; the most first.
  std::uint64_t rest = 0;
  std::vector<ReportedFile> rest_files;
  std::vector<std::pair<std::string, std::uint64_t>> rest_folders;
  std::vector<base::Message> not_looked_at;
  std::vector<base::Message> declared;  // that does not agree with what is there
  std::uint64_t agreeing = 0;           // declarations that do
  ReportedLink link;
};

// How the text is told.
struct ReportStyle {
  bool shows_files = false;
  std::string service;   // "https://…"
  std::string language;  // the tag of the text
  std::string folder;    // as an argument of a shell
  base::Message::Translate translate;
};

// Lines of a kind that are told without `shows_files`.
inline constexpr std::size_t kMostListed = 40;

std::string report_text(const Report& report, const ReportStyle& style);
json::Value report_json(const Report& report, const ReportStyle& style);

// Nothing of it means anything to a shell.
std::string quoted_for_shell(std::string_view text);

// `text`, and then `more` behind a semicolon; either may be empty.
base::Message and_also(base::Message text, base::Message more);

}  // namespace goldsmith::owner
