#include "app/owner/judge.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "app/owner/compared.hpp"
#include "app/owner/installed.hpp"
#include "app/owner/link.hpp"
#include "app/owner/names.hpp"
#include "app/owner/plugins_there.hpp"
#include "app/owner/settings_there.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using base::N_;

constexpr std::string_view kPluginFolder = "cstrike/addons/amxmodx/plugins/";

bool is_compiled(std::string_view path) { return path.ends_with(".amxx"); }

bool is_of_tool(std::string_view path) {
  if (path.starts_with("cstrike/")) path.remove_prefix(std::string_view("cstrike/").size());
  const auto files = declaring_files();
  return path.find('/') == path.npos && std::ranges::find(files, path) != files.end();
}

// What is worth a line of its own where it is not known.
bool is_notable(std::string_view path) {
  return path.find('/') == path.npos || path.find("/addons/") != path.npos ||
         path.ends_with(".so") || path.ends_with(".dll") || path.ends_with(".amxx") ||
         path.ends_with(".sma");
}

class Judge {
 public:
  Judge(const KnownFiles& known, const FolderFacts& facts, const JudgeOptions& options)
      : known_(known),
        facts_(facts),
        options_(options),
        installed_(known, facts),
        plugins_(known, facts),
        files_of_(known.components().size()) {}

  Report run() {
    report_.settings = settings_there(known_, facts_, installed_);
    for (const ReportedSetting& each : report_.settings) settings_[each.path] = &each;
    for (const FolderFile& file : facts_.files) name_file(file.path, file.prefix);
    add_components();
    add_places();
    add_rest();
    add_notes();
    const Comparison compared = compare_declared(known_, facts_, installed_, plugins_);
    report_.declared = compared.differing;
    report_.agreeing = compared.agreeing;
    report_.link = link_to(known_, installed_, facts_, in_link_, options_.pins);
    report_.link.unlisted = std::move(unlisted_);
    return std::move(report_);
  }

 private:
  void note(FileKind kind, std::string_view path, Message what) {
    const auto number = static_cast<std::size_t>(kind);
    if (const auto found = facts_.introduced.find(path); found != facts_.introduced.end()) {
      what = and_also(std::move(what), told(found->second));
    }
    ++report_.counts[number];
    auto& files = report_.files[number];
    const bool is_told = kind != FileKind::known && files.size() < kMostListed;
    if (!options_.keeps_all_files && !is_told) return;
    files.push_back({kind, std::string(path), std::move(what)});
  }

  Message as_in(std::span<const VersionId> versions, bool of_plugins) const {
    return Message("as in {version}", {{"version", names_of(known_, versions, of_plugins)}});
  }

  void name_file(std::string_view path, std::string_view prefix) {
    const auto setting = settings_.find(path);
    if (setting != settings_.end() && !is_written(path)) {
      for (const KnownEntry& each : known_.at(path)) {
        if (each.prefix == prefix && installed_.is_chosen(each.version)) {
          ++files_of_[known_.version(each.version).owner];
        }
      }
      note(FileKind::looked_for, path, setting->second->what);
      return;
    }
    if (const auto version = installed_.moved_to(path)) {
      ++files_of_[known_.version(*version).owner];
      note(FileKind::known, path, name_of(known_, *version));
      return;
    }
    if (installed_.is_spare(path, prefix)) {
      add_spare(path, names_of(known_, known_.mains(prefix), false));
    }
    const auto entries = known_.at(path);
    std::vector<VersionId> same;
    for (const KnownEntry& each : entries) {
      if (each.prefix == prefix) same.push_back(each.version);
    }
    if (!same.empty()) {
      name_known_file(path, entries, same);
    } else if (is_written(path)) {
      note(FileKind::written, path, {});
    } else if (!known_.sources(prefix).empty() || !known_.parts(prefix).empty() ||
               is_used_plugin(path, entries)) {
      name_file_of_plugin(path, prefix, entries);
    } else if (const auto there = there_in(entries)) {
      name_other_content(path, entries, *there);
    } else {
      name_foreign_file(path, prefix);
    }
  }

  // A library that nothing loads.
  void add_spare(std::string_view path, Message version) {
    if (report_.places.size() == kMostListed) return;
    report_.places.push_back({FileKind::known, std::string(path),
                              Message("{file}: {version}, is there, but nothing loads it",
                                      {{"file", shown(path)}, {"version", std::move(version)}})});
  }

  // `same`: the versions that have this content there.
  void name_known_file(std::string_view path, std::span<const KnownEntry> entries,
                       const std::vector<VersionId>& same) {
    for (const VersionId version : same) {
      if (!installed_.is_chosen(version)) continue;
      ++files_of_[known_.version(version).owner];
      note(FileKind::known, path, name_of(known_, version));
      return;
    }
    const auto there = there_in(entries, same);
    const auto holder = there ? there : there_in(entries);
    if (!there) {
      const bool is_setting = holder && Installed::role_in(known_, entries, *holder) == 'c';
      note(is_setting ? FileKind::edited : FileKind::part, path,
           is_setting ? Message(std::string(known_.components()[*holder].slug))
                      : as_in(same, false));
      return;
    }
    std::vector<VersionId> own;
    std::ranges::copy_if(same, std::back_inserter(own), [&](VersionId version) {
      return known_.version(version).owner == *there;
    });
    const auto version = installed_.version_of(*there);
    if (!version || Installed::role_in(known_, entries, *there) == 'c') {
      note(FileKind::known, path, as_in(own, false));
      return;
    }
    note(FileKind::other_version, path,
         Message("{versions}; the rest is {version}",
                 {{"versions", names_of(known_, own, false)},
                  {"version", std::string(known_.version(*version).number)}}));
  }

  // The component of these that is there, or whose place is taken; of these versions, if there are.
  std::optional<ComponentId> there_in(std::span<const KnownEntry> entries,
                                      std::span<const VersionId> versions = {}) const {
    for (const bool is_known : {true, false}) {
      for (const KnownEntry& each : entries) {
        const bool is_meant =
            versions.empty() || std::ranges::find(versions, each.version) != versions.end();
        if (!is_meant) continue;
        const ComponentId c = known_.version(each.version).owner;
        if (is_known ? installed_.version_of(c).has_value() : installed_.place_of(c) != nullptr) {
          return c;
        }
      }
    }
    return std::nullopt;
  }

  // A plugin of AMX Mod X itself may have an entry in the directory, too.
  bool is_used_plugin(std::string_view path, std::span<const KnownEntry> entries) const {
    const RecognizedPlugin* const plugin = plugins_.at(path);
    if (plugin == nullptr || !path.starts_with(kPluginFolder) || !is_compiled(path)) return false;
    return !plugin->other || !there_in(entries);
  }

  void name_file_of_plugin(std::string_view path, std::string_view prefix,
                           std::span<const KnownEntry> entries) {
    const auto sources = known_.sources(prefix);
    const auto parts = known_.parts(prefix);
    if (!sources.empty()) {
      note(FileKind::known, path,
           of_plugins(sources, N_("source of {plugin}"), N_("source of one of {plugins}")));
    } else if (is_used_plugin(path, entries)) {
      use_plugin(path);
    } else if (plugins_.first_there(parts)) {
      std::vector<VersionId> there;
      std::ranges::copy_if(parts, std::back_inserter(there), [&](VersionId version) {
        return plugins_.has(known_.version(version).owner);
      });
      note(FileKind::known, path, of_plugins(there, N_("of {plugin}"), N_("of one of {plugins}")));
    } else {
      note(FileKind::known, path, as_in(parts, true));
    }
  }

  Message of_plugins(std::span<const VersionId> versions, std::string_view one,
                     std::string_view several) const {
    const std::size_t owner = known_.version(versions.front()).owner;
    const bool is_one = std::ranges::all_of(
        versions, [&](VersionId version) { return known_.version(version).owner == owner; });
    return Message(is_one ? one : several,
                   {{is_one ? "plugin" : "plugins", names_of(known_, versions, true)}});
  }

  // At the path of a file of a component that is there, with other content.
  void name_other_content(std::string_view path, std::span<const KnownEntry> entries,
                          ComponentId there) {
    const std::string slug(known_.components()[there].slug);
    const auto version = installed_.version_of(there);
    const Installed::Place* const place = installed_.place_at(path);
    if (Installed::role_in(known_, entries, there) == 'c') {
      note(FileKind::edited, path, Message(slug));
    } else if (version) {
      note(FileKind::changed, path,
           Message("not as in {version}", {{"version", name_of(known_, *version)}}));
      const bool is_main = Installed::role_in(known_, entries, there) == 'm';
      if (is_main && installed_.moved_to(installed_.library_of(there))) {
        add_spare(path, Message("in the place of {components}", {{"components", slug}}));
      }
    } else if (place != nullptr) {
      note(FileKind::unknown_version, path,
           Message("in the place of {components}",
                   {{"components", names_of_components(known_, place->candidates)}}));
    } else {
      note(FileKind::known, path,
           Message("not known, in the place of a file of {component}", {{"component", slug}}));
    }
  }

  void name_foreign_file(std::string_view path, std::string_view prefix) {
    const auto registered = facts_.registered.find(path);
    const auto binaries = known_.with_binary(file_name(path));
    if (const auto copied = known_.copied(prefix)) {
      note(FileKind::known, path,
           Message("a copy of {file} of {component}",
                   {{"file", shown(copied->second)},
                    {"component", std::string(known_.component_of(copied->first).slug)}}));
    } else if (const auto setting = plugins_.first_there(known_.settings(path))) {
      note(FileKind::edited, path, Message(std::string(known_.plugin_of(*setting).slug)));
    } else if (const RecognizedPlugin* const plugin = plugins_.at(path)) {
      const VersionId versions[] = {plugin->version};
      note(FileKind::known, path,
           Message("copy of plugin {plugin}", {{"plugin", names_of(known_, versions, true)}}));
    } else if (registered != facts_.registered.end()) {
      Message what = told(registered->second);
      if (!binaries.empty()) {
        what =
            Message("{plugin}; its file is named like {plugins}",
                    {{"plugin", std::move(what)}, {"plugins", names_of_plugins(known_, binaries)}});
      }
      note(FileKind::unknown_plugin, path, std::move(what));
    } else if (is_compiled(path) && !binaries.empty()) {
      note(FileKind::named_plugin, path, Message(names_of_plugins(known_, binaries)));
    } else if (is_of_tool(path)) {
      note(FileKind::known, path, Message("what a tool was told", {}));
    } else if (is_notable(path)) {
      note(FileKind::unknown, path, {});
    } else {
      add_to_rest(path);
    }
  }

  // A compiled plugin that AMX Mod X finds.
  void use_plugin(std::string_view path) {
    const RecognizedPlugin& plugin = *plugins_.at(path);
    const PluginId owner = known_.version(plugin.version).owner;
    const std::string slug(known_.plugins()[owner].slug);
    const std::string_view file = path.substr(kPluginFolder.size());
    const Loaded& loaded = facts_.loaded;
    const bool is_on = !installed_.platform_is_off() &&
                       (!loaded.has_amxx_lists || loaded.amxx_plugins.contains(file));
    const std::string number(known_.version(plugin.version).number);
    const Message::Value version{"version", version_of(known_, plugin)};
    note(FileKind::known, path,
         plugin.other ? Message("plugin {plugin} {version}, a version that is not known",
                                {{"plugin", slug}, version})
                      : Message("plugin {plugin} {version}", {{"plugin", slug}, version}));
    report_.plugins.push_back({slug, std::string(known_.plugins()[owner].name), version.message,
                               !plugin.other, std::string(file), is_on,
                               and_also(remarks_on(known_, plugin), why_off(file, is_on))});
    if (!is_on) return;
    if (std::ranges::find(in_link_, owner, &LinkedPlugin::plugin) == in_link_.end()) {
      in_link_.push_back({owner, plugin.other ? "" : number});
    }
    if (loaded.has_amxx_lists) unlisted_.emplace_back(file);
  }

  Message why_off(std::string_view file, bool is_on) const {
    if (is_on) return {};
    if (installed_.platform_is_off()) return Message("not loaded: AMX Mod X is not", {});
    return facts_.loaded.amxx_plugins_of_maps.contains(file)
               ? Message("loaded on some maps alone", {})
               : Message("not loaded: no list names it", {});
  }

  void add_to_rest(std::string_view path) {
    constexpr std::size_t kMostFolders = 40;
    const std::size_t slash = path.find('/');
    std::string_view folder = path.substr(0, slash);
    if (folder == "cstrike") {
      const std::size_t next = path.find('/', slash + 1);
      if (next != path.npos) folder = path.substr(0, next);
    }
    ++report_.rest;
    if (tops_.contains(folder) || tops_.size() < kMostFolders) {
      ++tops_[folder];
    } else {
      ++elsewhere_;
    }
    if (options_.keeps_all_files) {
      report_.rest_files.push_back({FileKind::unknown, std::string(path), {}});
    }
  }

  void add_components() {
    for (ComponentId c = 0; c < known_.components().size(); ++c) {
      const auto version = installed_.version_of(c);
      if (!version) continue;
      const KnownVersion& known = known_.version(*version);
      const KnownComponent& component = known_.components()[c];
      ReportedComponent reported{std::string(component.slug),
                                 std::string(component.title),
                                 std::string(known.number),
                                 files_of_[c],
                                 "latest",
                                 {}};
      if (known.state == KnownVersion::State::held) {
        reported.state = "held";
        reported.remark = Message("held: {reason}", {{"reason", shown(known.reason)}});
      } else if (component.newest && component.newest != version) {
        reported.state = "outdated";
        reported.remark =
            Message("outdated: {version} is the newest",
                    {{"version", std::string(known_.version(*component.newest).number)}});
      }
      reported.remark = and_also(std::move(reported.remark), defects_of(known));
      Message why = installed_.why_unloaded(c);
      reported.is_loaded = why.empty();
      reported.remark = and_also(std::move(reported.remark), std::move(why));
      report_.components.push_back(std::move(reported));
    }
  }

  void add_places() {
    for (const Installed::Place& place : installed_.places()) {
      std::vector<VersionId> same;
      for (const KnownEntry& each : known_.at(place.path)) {
        if (each.prefix == place.prefix) same.push_back(each.version);
      }
      const Message components = names_of_components(known_, place.candidates);
      const Message::Value file{"file", shown(place.path)};
      Message what =
          same.empty()
              ? Message("{file}: in the place of {components}, of no version that is known here",
                        {file, {"components", components}})
              : Message(
                    "{file}: in the place of {components}; files of several versions, this one "
                    "as in {version}",
                    {file, {"components", components}, {"version", names_of(known_, same, false)}});
      what = and_also(std::move(what), own_words(place.path));
      const Message why = installed_.why_unloaded(place.likely);
      if (!why.empty()) {
        what = and_also(std::move(what), why);
      } else if (place.standing == Installed::Standing::newer) {
        what = and_also(std::move(what), Message("newer than here: yours stays as it is", {}));
      } else if (place.standing == Installed::Standing::other_make) {
        what = and_also(std::move(what),
                        Message("of another make than here: yours stays as it is", {}));
      }
      report_.places.push_back(
          {FileKind::unknown_version, std::string(place.path), std::move(what)});
    }
  }

  // What it says of itself; that of a release it is not says more than its version.
  Message own_words(std::string_view path) const {
    const auto found = facts_.introduced.find(path);
    if (found == facts_.introduced.end()) return {};
    const bool is_release = std::ranges::any_of(known_.at(path), [&](const KnownEntry& each) {
      return likeness(found->second.version, known_.version(each.version)) == Likeness::same;
    });
    if (!is_release) return told(found->second);
    return Message("{introduction}, but is not the file of that release",
                   {{"introduction", told(found->second)}});
  }

  void add_rest() {
    for (const auto& [folder, count] : tops_) report_.rest_folders.emplace_back(folder, count);
    if (elsewhere_ > 0) report_.rest_folders.emplace_back("", elsewhere_);
    std::ranges::sort(report_.rest_folders, [](const auto& one, const auto& other) {
      return std::pair(other.second, one.first) < std::pair(one.second, other.first);
    });
  }

  void add_notes() {
    const auto add = [&](std::uint64_t count, std::string_view text) {
      if (count == 0) return;
      report_.not_looked_at.emplace_back(
          text, std::vector<Message::Value>{{"n", std::to_string(count)},
                                            {"bytes", std::to_string(known_.largest())}});
    };
    add(facts_.links, N_("  {n} links: none is followed"));
    add(facts_.others, N_("  {n} devices, pipes and the like"));
    add(facts_.odd,
        N_("  {n} names with control characters or a backslash, with what is below them"));
    add(facts_.unread, N_("  {n} that may not be read, or are gone"));
    for (const std::string& name : facts_.unread_names) {
      report_.not_looked_at.emplace_back("    " + shown(name));
    }
    add(facts_.large, N_("  {n} files of more than {bytes} bytes, which none that is known has"));
    add(facts_.has_more_libraries ? kMostLibraries : 0,
        N_("  libraries: only {n} of those that are not known are opened"));
    add(facts_.has_more_plugins ? kMostPlugins : 0,
        N_("  compiled plugins: only {n} compiled plugins are opened, so that their file names "
           "alone say what they may be"));
  }

  const KnownFiles& known_;
  const FolderFacts& facts_;
  const JudgeOptions& options_;
  const Installed installed_;
  const PluginsThere plugins_;
  std::vector<std::uint64_t> files_of_;
  std::map<std::string_view, const ReportedSetting*> settings_;  // by path
  std::vector<LinkedPlugin> in_link_;
  std::vector<std::string> unlisted_;
  std::map<std::string_view, std::uint64_t> tops_;
  std::uint64_t elsewhere_ = 0;
  Report report_;
};

}  // namespace

Report judge(const KnownFiles& known, const FolderFacts& facts, const JudgeOptions& options) {
  return Judge(known, facts, options).run();
}

}  // namespace goldsmith::owner
