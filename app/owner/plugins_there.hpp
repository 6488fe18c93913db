// The plugins of the directory that are in a folder, by what they register (decision S32).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "app/base/message.hpp"
#include "app/owner/folder_facts.hpp"
#include "app/owner/known_files.hpp"

namespace goldsmith::owner {

struct RecognizedPlugin {
  VersionId version = 0;  // the newest, where `other` is set
  // The version that it says, which the directory does not have; may be "".
  std::optional<std::string> other = {};
};

class PluginsThere {
 public:
  PluginsThere(const KnownFiles& known, const FolderFacts& facts);

  // Null if the file is none of them.
  const RecognizedPlugin* at(std::string_view path) const;
  const std::map<std::string_view, RecognizedPlugin>& all() const { return recognized_; }
  // Whether a source or a compiled plugin of it is there.
  bool has(PluginId plugin) const { return met_.contains(plugin); }
  // Of these versions the first whose plugin is there.
  std::optional<VersionId> first_there(std::span<const VersionId> versions) const;

 private:
  void recognize(std::string_view path, const pawn::PluginRegistration& registration);
  std::optional<VersionId> version_of(PluginId plugin, std::string_view version) const;

  const KnownFiles& known_;
  std::map<std::string_view, RecognizedPlugin> recognized_;
  std::set<PluginId> met_;
};

// The version of a plugin that is there.
base::Message version_of(const KnownFiles& known, const RecognizedPlugin& plugin);

// Whether that is outdated, or known to fail; may be empty.
base::Message remarks_on(const KnownFiles& known, const RecognizedPlugin& plugin);

// `"AFK Watch" 2.0 by goldsmith`
base::Message told(const pawn::PluginRegistration& registration);

// The last part of a path.
std::string_view file_name(std::string_view path);

}  // namespace goldsmith::owner
