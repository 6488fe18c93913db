// What `.goldsmith` in the folder of a server remembers (decision S24). It is not trusted: no path
// of it is used that leads out of the folder or into `.goldsmith`.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/owner/server_files.hpp"

namespace goldsmith::owner {

inline constexpr std::size_t kMostOfState = 64U << 20;  // bytes

inline constexpr std::string_view kHome = ".goldsmith";
inline constexpr std::string_view kState = ".goldsmith/state";
inline constexpr std::string_view kFormer = ".goldsmith/former";  // the state before the last run
inline constexpr std::string_view kLast = ".goldsmith/last";      // the changes of the last run
inline constexpr std::string_view kLock = ".goldsmith/lock";
inline constexpr std::string_view kOriginal = ".goldsmith/original";  // what the first one replaced
inline constexpr std::string_view kPrevious = ".goldsmith/previous";  // what the last one did
inline constexpr std::string_view kWork = ".goldsmith/work";          // a run in progress
inline constexpr std::string_view kCommit = ".goldsmith/work/commit";
inline constexpr std::string_view kUndo = ".goldsmith/work/undo";  // a commit that is taken back
inline constexpr std::string_view kNew = ".goldsmith/work/new";
inline constexpr std::string_view kOld = ".goldsmith/work/old";
inline constexpr std::string_view kNewState = ".goldsmith/work/state";
inline constexpr std::string_view kMadeFolders = ".goldsmith/work/folders";

std::string below(std::string_view folder, std::string_view path);

// By path, the SHA-256 in hex.
using FileList = std::map<std::string, std::string, std::less<>>;

// A build that this folder had.
struct FormerBuild {
  std::string build;
  std::string installed;  // "2026-11-29T16:40:00Z"; "-" if that is not known
  std::string selection;
};
inline constexpr std::size_t kMostFormerBuilds = 10;

struct InstalledState {
  std::string service;
  std::string selection;
  std::string build;
  std::string installed;            // when, as in FormerBuild
  std::vector<FormerBuild> former;  // the newest first
  bool knows_owners = false;        // of files: the state of an old script does not
  bool has_kept = false;            // files of plugins that the build lacks
  std::map<std::string, std::string, std::less<>> owners;  // slugs of plugins, by path
  // Files that were there, with the same content, before they were installed: they are the owner's.
  std::set<std::string, std::less<>> own;
  FileList files;

  std::string text() const;
};

enum class BadState { unreadable, format, damaged };
// "SHA256  PATH" a line; std::nullopt if a line is none, or a path bad or there twice.
std::optional<FileList> parse_checksums(std::string_view text);
std::optional<InstalledState> parse_state(std::string_view text, BadState& problem);

// One file that a run changes. What is expected, and new, is as ServerFiles::look() says it.
struct Change {
  enum class Kind {
    put,   // replaces what is expected
    del,   // removes it
    side,  // is put beside the path, as PATH.new
  } kind = Kind::put;
  std::string expected;
  std::string new_content;  // kNothing of del
  std::string path;
};
struct Changes {
  std::string service;
  // "first": what they replace was there before the first installation. "undone": they take the
  // first installation back.
  std::string mark;
  std::vector<Change> changes;

  std::string text() const;
};
std::optional<Changes> parse_changes(std::string_view text, BadState& problem);

// Whether it leads to a place in the folder that is not in `.goldsmith`.
bool is_safe_path(std::string_view path);

// "2026-11-29T16:40:00Z"
std::string now_utc();

}  // namespace goldsmith::owner
