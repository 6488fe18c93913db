#include "app/owner/console_facts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/base/text.hpp"
#include "app/domain/console_list.hpp"
#include "app/owner/names.hpp"
#include "app/owner/plugins_there.hpp"

namespace goldsmith::owner {
namespace {

using domain::Listed;
using domain::ListKind;

constexpr std::string_view kUnknown = "of no file";  // in place of a digest
constexpr std::string_view kModuleFolder = "cstrike/addons/amxmodx/modules/";
constexpr std::string_view kModuleEnd = "_amxx_i386.so";
constexpr std::string_view kLoadedPlugins = "cstrike/addons/amxmodx/plugins/";

class ConsoleFacts {
 public:
  explicit ConsoleFacts(const KnownFiles& known) : known_(known) {}

  FolderFacts take(std::string_view output) {
    std::optional<domain::ListReader> list;
    std::optional<ListKind> kind;
    const auto end_list = [&] {
      if (list) take_list(*kind, list->rows());
      list.reset();
    };
    while (!output.empty()) {
      const std::size_t end = std::min(output.find('\n'), output.size());
      constexpr std::size_t kLongestRow = 4096;
      std::string_view line = output.substr(0, std::min(end, kLongestRow));
      output.remove_prefix(std::min(end + 1, output.size()));
      while (line.ends_with('\r')) line.remove_suffix(1);
      if (const auto headed = domain::list_headed(line)) {
        end_list();
        kind = headed;
        if (lists_.insert(*headed).second) list.emplace(*headed);
      }
      if (list) list->read(line);
      if (auto said = domain::said_version(line)) take_version(*said);
    }
    end_list();
    for (auto& [path, prefix] : files_) facts_.files.push_back({path, std::move(prefix)});
    return std::move(facts_);
  }

 private:
  void take_list(ListKind kind, const std::vector<Listed>& rows) {
    for (const Listed& row : rows) {
      if (kind == ListKind::plugins) {
        take_plugin(row);
      } else if (kind == ListKind::modules) {
        take_library(std::string(kModuleFolder).append(key_of(row.name)).append(kModuleEnd), row);
      } else {
        take_library(path_of(row), row);
      }
    }
  }

  // Whether a version of a component or plugin is what a row says.
  static bool is_said(const Listed& row, std::string_view number) {
    const std::string is = plain_version(number);
    const std::string said = plain_version(row.version);
    return row.is_version_cut ? is.starts_with(said) : is == said;
  }

  // Metamod's list has no folders.
  std::string path_of(const Listed& row) const {
    if (row.file.find("_amxx_") != std::string::npos) return std::string(kModuleFolder) + row.file;
    std::string first;
    for (const KnownComponent& component : known_.components()) {
      for (VersionId version = component.first; version < component.end; ++version) {
        for (const std::string_view path : known_.version(version).mains) {
          if (!row.may_be(file_name(path))) continue;
          if (is_said(row, known_.version(version).number)) return std::string(path);
          if (first.empty()) first = path;
        }
      }
    }
    return first.empty() ? "cstrike/addons/" + row.file : first;
  }

  void take_library(const std::string& path, const Listed& row) {
    for (const KnownEntry& each : known_.at(path)) {
      if (!is_said(row, known_.version(each.version).number)) continue;
      files_[path] = each.prefix;
      return;
    }
    if (!files_.try_emplace(path, kUnknown).second) return;
    facts_.introduced[path] = {row.name, row.version};
  }

  // The engine, or the game's library: "ReHLDS 3.14.0.857-dev".
  void take_version(const domain::SaidVersion& said) {
    const bool is_engine = said.of == domain::SaidVersion::Of::engine;
    if (said.is_plain && has_engine_) return;
    if (is_engine && has_engine_) facts_.introduced.erase(engine_);
    if (is_engine && has_engine_) files_.erase(engine_);
    const std::size_t blank = std::min(said.text.find(' '), said.text.size());
    Listed row;
    row.name = said.text.substr(0, blank);
    const std::string_view behind = std::string_view(said.text).substr(blank);
    row.version = base::trim_ascii(behind.substr(0, behind.find_first_of("/(")));
    std::string path;
    for (const KnownComponent& component : known_.components()) {
      if (component.layer != (is_engine ? "engine" : "gamedll")) continue;
      const bool has_name = key_of(component.title).starts_with(key_of(row.name));
      for (VersionId version = component.first; version < component.end; ++version) {
        for (const std::string_view main : known_.version(version).mains) {
          if (path.empty() || has_name) path = main;
        }
      }
      if (has_name) break;
    }
    if (path.empty()) return;
    if (is_engine) {
      has_engine_ = true;
      engine_ = path;
    }
    take_library(path, row);
  }

  void take_plugin(const Listed& row) {
    std::string file = row.file;
    if (row.is_cut) {
      for (const std::string_view path : plugin_paths()) {
        if (row.may_be(file_name(path))) file = file_name(path);
      }
    }
    pawn::PluginRegistration registration{row.name, row.version, row.author};
    if (const auto plugin = plugin_of(row, file)) {
      const KnownPlugin& known = known_.plugins()[*plugin];
      registration.name = known.name_key;
      if (registration.author.empty()) registration.author = known.author_key;
      for (VersionId version = known.first; version < known.end; ++version) {
        const KnownVersion& each = known_.version(version);
        if (row.may_be(each.binary)) file = each.binary;
        if (is_said(row, each.number)) registration.version = each.number;
      }
    }
    const std::string path = std::string(kLoadedPlugins) + file;
    if (registration.name.empty() || !files_.try_emplace(path, kUnknown).second) return;
    for (const KnownEntry& each : known_.at(path)) {
      if (!is_said(row, known_.version(each.version).number)) continue;
      files_[path] = each.prefix;
      return;
    }
    facts_.registered[path] = std::move(registration);
  }

  // By its name, or by that of its file if that of the list may be cut.
  std::optional<PluginId> plugin_of(const Listed& row, std::string_view file) const {
    const std::string key = key_of(row.name);
    const auto named = known_.named(key);
    if (!named.empty()) return named.front();
    for (const PluginId plugin : known_.with_binary(file)) {
      constexpr std::size_t kShortest = 8;
      const bool may_be =
          key.size() >= kShortest && known_.plugins()[plugin].name_key.starts_with(key);
      if (may_be) return plugin;
    }
    return std::nullopt;
  }

  const std::vector<std::string_view>& plugin_paths() {
    if (!plugin_paths_) plugin_paths_ = known_.paths_below(kLoadedPlugins);
    return *plugin_paths_;
  }

  const KnownFiles& known_;
  std::set<ListKind> lists_;  // that were met
  std::map<std::string, std::string> files_;
  bool has_engine_ = false;
  std::string engine_;
  std::optional<std::vector<std::string_view>> plugin_paths_;
  FolderFacts facts_;
};

}  // namespace

FolderFacts facts_of_console(const KnownFiles& known, std::string_view output) {
  return ConsoleFacts(known).take(output);
}

}  // namespace goldsmith::owner
