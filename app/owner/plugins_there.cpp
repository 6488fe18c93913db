#include "app/owner/plugins_there.hpp"

#include <algorithm>

#include "app/owner/report.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

bool is_author(std::string_view one, std::string_view other) {
  constexpr std::size_t kShortest = 3;
  return one == other || (one.size() >= kShortest && other.find(one) != other.npos) ||
         (other.size() >= kShortest && one.find(other) != one.npos);
}

}  // namespace

PluginsThere::PluginsThere(const KnownFiles& known, const FolderFacts& facts) : known_(known) {
  for (const auto& [path, registration] : facts.registered) recognize(path, registration);
  for (const auto& [path, plugin] : recognized_) met_.insert(known.version(plugin.version).owner);
  for (const FolderFile& file : facts.files) {
    for (const VersionId version : known.sources(file.prefix)) {
      met_.insert(known.version(version).owner);
    }
  }
}

const RecognizedPlugin* PluginsThere::at(std::string_view path) const {
  const auto found = recognized_.find(path);
  return found == recognized_.end() ? nullptr : &found->second;
}

std::optional<VersionId> PluginsThere::first_there(std::span<const VersionId> versions) const {
  for (const VersionId version : versions) {
    if (has(known_.version(version).owner)) return version;
  }
  return std::nullopt;
}

std::optional<VersionId> PluginsThere::version_of(PluginId plugin, std::string_view version) const {
  const std::string wanted = spelled_version(version);
  const KnownPlugin& of = known_.plugins()[plugin];
  for (VersionId each = of.first; each < of.end; ++each) {
    if (spelled_version(known_.version(each).number) == wanted) return each;
  }
  return std::nullopt;
}

// The version of the directory, or another one of the plugin with this name and author.
void PluginsThere::recognize(std::string_view path, const pawn::PluginRegistration& registration) {
  const auto binaries = known_.with_binary(file_name(path));
  std::vector<PluginId> found;
  std::vector<VersionId> exact;
  for (const PluginId plugin : known_.named(key_of(registration.name))) {
    if (!is_author(known_.plugins()[plugin].author_key, key_of(registration.author))) continue;
    found.push_back(plugin);
    const auto version = version_of(plugin, registration.version);
    if (!version) continue;
    // Of several that say the same the name of the file decides.
    const bool is_named = std::ranges::find(binaries, plugin) != binaries.end();
    if (is_named) exact.clear();
    exact.push_back(*version);
    if (is_named) break;
  }
  if (exact.size() == 1) {
    recognized_[path] = {exact.front()};
  } else if (exact.empty() && found.size() == 1) {
    recognized_[path] = {known_.plugins()[found.front()].newest, registration.version};
  }
}

Message version_of(const KnownFiles& known, const RecognizedPlugin& plugin) {
  if (!plugin.other) return Message(std::string(known.version(plugin.version).number));
  return plugin.other->empty() ? Message("none", {}) : Message(shown(*plugin.other));
}

Message remarks_on(const KnownFiles& known, const RecognizedPlugin& plugin) {
  const PluginId owner = known.version(plugin.version).owner;
  const VersionId newest = known.plugins()[owner].newest;
  const std::string newest_number(known.version(newest).number);
  const auto& faults = known.version(plugin.version).faults;
  Message remark;
  if (plugin.other) {
    remark = Message("a version that is not known, the newest is {version}",
                     {{"version", newest_number}});
  } else if (newest != plugin.version) {
    remark = Message("outdated: {version} is the newest", {{"version", newest_number}});
  }
  if (!plugin.other && !faults.empty()) {
    std::string toolchains;
    for (const std::string_view fault : faults) {
      const std::size_t blank = std::min(fault.find(' '), fault.size());
      const std::string_view message = fault.substr(std::min(blank + 1, fault.size()));
      toolchains.append(toolchains.empty() ? "" : "; ").append("AMX Mod X ");
      toolchains.append(fault.substr(0, blank)).append(message.empty() ? "" : ": ");
      toolchains.append(message);
    }
    remark = and_also(std::move(remark), Message("known to fail with {toolchains}",
                                                 {{"toolchains", shown(toolchains)}}));
  }
  return remark;
}

Message told(const pawn::PluginRegistration& registration) {
  return Message("\"{plugin}\" {version} by {author}", {{"plugin", shown(registration.name)},
                                                        {"version", shown(registration.version)},
                                                        {"author", shown(registration.author)}});
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace goldsmith::owner
