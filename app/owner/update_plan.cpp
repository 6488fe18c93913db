#include "app/owner/update_plan.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "app/base/text.hpp"
#include "app/owner/sha256.hpp"
#include "app/owner/stop.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using Action = PlannedFile::Action;

bool is_of_base_game(std::string_view path) {
  return path.ends_with(".so") || path == "cstrike/liblist.gam" || path == "hlds_run" ||
         path == "hlds_linux" || path == "hltv";
}

std::string digest_at(const FileList& files, std::string_view path) {
  const auto found = files.find(path);
  return std::string(found == files.end() ? kNothing : found->second);
}

bool is_plugin(std::string_view path) {
  return path.starts_with(kPluginFolder) && path.ends_with(".amxx") &&
         path.find('/', kPluginFolder.size()) == path.npos;
}

}  // namespace

bool WantedBuild::is_configuration(std::string_view path) const {
  return configuration ? configuration->contains(path) : is_named_as_configuration(path);
}

bool Plan::changes_anything() const {
  return std::ranges::any_of(files,
                             [](const PlannedFile& file) { return file.action != Action::keep; });
}

bool has_original(const ServerFiles& files, std::string_view path) {
  return files.is_file(below(kOriginal, path));
}

bool is_original(const ServerFiles& files, std::string_view path, const std::string& now) {
  return has_original(files, path) && files.look(below(kOriginal, path)) == now;
}

bool is_base_game_again(const ServerFiles& files, std::string_view path, const std::string& now) {
  return is_of_base_game(path) && is_original(files, path, now);
}

bool is_base_game_back(const ServerFiles& files, const FileList& installed) {
  return std::ranges::any_of(installed, [&](const auto& file) {
    const auto& [path, digest] = file;
    if (!is_of_base_game(path) || !has_original(files, path)) return false;
    const std::string now = files.look(path).value_or("");
    return now != digest && is_original(files, path, now);
  });
}

std::set<std::string, std::less<>> named_plugins(std::string_view selection) {
  constexpr std::string_view kPlugins = "plugins=";
  std::set<std::string, std::less<>> named;
  for (const std::string_view part : base::split(selection, '&')) {
    if (!part.starts_with(kPlugins)) continue;
    for (const std::string_view each : base::split(part.substr(kPlugins.size()), ',')) {
      named.emplace(each.substr(0, each.find('@')));
    }
  }
  return named;
}

Planner::Planner(const Installation& installation, const WantedBuild& build,
                 const Authentication& authentication, std::string metamod_list,
                 std::string selection, Preview preview)
    : installation_(installation),
      files_(installation.files()),
      build_(build),
      authentication_(authentication),
      metamod_list_(std::move(metamod_list)),
      selection_(std::move(selection)),
      preview_(std::move(preview)) {}

const FileList& Planner::installed() const {
  static const FileList none;
  return installation_.state() ? installation_.state()->files : none;
}

std::string Planner::look(const std::string& path) const {
  const auto now = files_.look(path);
  if (!now) fail(Message("cannot read {path}", {{"path", installation_.shown_path(path)}}));
  return *now;
}

// What is installed of plugins that the selection names and the build lacks stays. The state says
// whose a file is. Without that, because an older script or an older service installed it, a file
// that the build lacks may be any plugin's: such files stay if a plugin is among them.
void Planner::want_files(const std::string& selection) {
  plan_.wanted = build_.list;
  if (!installation_.state()) return;
  const InstalledState& state = *installation_.state();
  std::set<std::string, std::less<>> named = named_plugins(selection);
  std::set<std::string, std::less<>> skipped;
  if (build_.plugins) {
    for (const PluginFacts::Plugin& each : build_.plugins->plugins) {
      named.insert(each.slug);
      if (each.status == "skipped") skipped.insert(each.slug);
    }
  }
  constexpr std::string_view kNobody = "?";
  FileList gone;
  std::set<std::string, std::less<>> stays;
  bool has_plugin = false;
  const auto owner_of = [&](const std::string& path) {
    const auto found = state.owners.find(path);
    return found == state.owners.end() ? std::string(kNobody) : found->second;
  };
  for (const auto& [path, digest] : state.files) {
    const std::string slug = owner_of(path);
    if (path == kKeptPlugins || (slug == kNobody && state.knows_owners)) continue;
    if (build_.list.contains(path)) {
      stays.insert(slug);
    } else {
      gone.emplace(path, digest);
      has_plugin = has_plugin || (slug == kNobody && is_plugin(path));
    }
  }
  for (const auto& [path, digest] : gone) {
    const std::string slug = owner_of(path);
    const bool is_kept =
        slug == kNobody ? has_plugin && !(build_.plugins ? skipped : named).empty()
                        : named.contains(slug) &&
                              (build_.plugins ? skipped.contains(slug) : !stays.contains(slug));
    if (!is_kept) continue;
    plan_.kept.emplace(path, digest);
    plan_.kept_owners.emplace(path, slug);
  }
}

// A list of those that stay and are loaded now. An edited plugins-svc.ini stays and loads them.
void Planner::keep_loaded() {
  const std::string now = look(std::string(kPluginList));
  if (!plan_.kept.empty() && now == digest_at(installed(), kPluginList)) {
    std::string loaded;
    for (const std::string_view list : {kPluginList, kKeptPlugins}) {
      loaded += "\n" + files_.read(list, kMostOfSmallFile).value_or("");
    }
    const std::vector<std::string_view> lines = base::split(loaded, '\n');
    for (const auto& [path, digest] : plan_.kept) {
      if (!path.starts_with(kPluginFolder)) continue;
      const std::string name = path.substr(kPluginFolder.size());
      if (std::ranges::find(lines, name) == lines.end() || !files_.is_file(path)) continue;
      plan_.kept_list += name + "\n";
    }
  }
  if (!plan_.kept_list.empty() && !build_.list.contains(kKeptPlugins)) {
    plan_.kept.emplace(kKeptPlugins, sha256_hex(plan_.kept_list));
    plan_.contents.emplace(kKeptPlugins, plan_.kept_list);
  }
  plan_.wanted.insert(plan_.kept.begin(), plan_.kept.end());
}

void Planner::merge_metamod_list() {
  const std::string path(kMetamodList);
  const std::string now = look(path);
  const std::string old = digest_at(installed(), path);
  const std::string wanted = digest_at(plan_.wanted, path);
  // Before the first installation that of the owner may be elsewhere.
  const bool is_elsewhere =
      installation_.is_first() && !metamod_list_.empty() && metamod_list_ != path;
  const std::string& source = is_elsewhere ? metamod_list_ : path;
  if (!files_.is_file(source) || wanted == kNothing) return;
  if (!is_elsewhere && (now == wanted || now == old)) return;
  if (!installation_.is_first() && wanted == old) return;
  const std::string current = files_.read(source, kMostOfSmallFile).value_or("");
  const std::string of_build = preview_(path);
  OwnedLines lines =
      owned_lines(of_build, current, installed(), plan_.wanted, build_.facts, files_);
  if (installation_.is_first() && !lines.any()) return;
  std::string merged = merged_list(of_build, current, lines);
  plan_.metamod = std::move(lines);
  plan_.contents.emplace(path, std::move(merged));
}

// What the owner has where its component finds it counts: nothing is installed that would win over
// it. What lies beside a library that is not loaded any more goes where that of the build is.
void Planner::find_elsewhere() {
  for (const UpdateFacts::Places& places : build_.facts.places) {
    if (!plan_.wanted.contains(places.file) || files_.exists(places.file)) continue;
    const FoundPlace found = authentication_.found(places);
    if (found.path.empty() || plan_.wanted.contains(found.path)) continue;
    if (found.is_moving) {
      auto content = files_.read(found.path, kMostOfSmallFile);
      if (!content) {
        fail(Message("cannot read {path}", {{"path", installation_.shown_path(found.path)}}));
      }
      plan_.contents.emplace(places.file, std::move(*content));
    }
    plan_.elsewhere.emplace(places.file, found.path);
  }
}

Action Planner::action_for(const PlannedFile& file, const std::string& old) const {
  const std::string& now = file.now;
  if (file.wanted == kNothing) {
    // What was there before, with the same content, stays.
    const bool is_owners = installation_.state() && installation_.state()->own.contains(file.path);
    if (now != old || (is_owners && !has_original(files_, file.path))) return Action::keep;
    return has_original(files_, file.path) ? Action::back : Action::del;
  }
  if (now == kIsFolder || now == kIsSpecial) {
    fail(Message("{path} is not a file, but one of the server has this name; nothing was changed",
                 {{"path", installation_.shown_path(file.path)}}));
  }
  if (file.path == kMetamodList && plan_.contents.contains(file.path)) return Action::put;
  const bool is_back = is_base_game_again(files_, file.path, now);
  if (old == kNothing) {
    if (now == kNothing || is_back) return Action::put;
    // Also what was put back, when a build lacked it.
    const bool is_replaced = installation_.is_first() || is_original(files_, file.path, now);
    return is_replaced && !build_.is_configuration(file.path) ? Action::put : Action::side;
  }
  // It is nowhere any more where its component would find it.
  const bool is_missing = now == kNothing && build_.facts.places_of(file.path) != nullptr;
  if (now == old || is_back || is_missing) return Action::put;
  return file.wanted == old ? Action::keep : Action::side;
}

// What stands in the way is found before anything changes.
void Planner::check_place(const std::string& path) const {
  if (const std::string link = files_.link_above(path); !link.empty()) {
    refuse(Message("{path} is a link; nothing was changed",
                   {{"path", installation_.shown_path(link)}}));
  }
  std::string folder = path;
  do {
    folder.erase(folder.find('/') == folder.npos ? 0 : folder.rfind('/'));
    if (!folder.empty() && !files_.exists(folder)) continue;
    const Descriptor opened = open_folder_in(files_.root(), folder);
    if (!opened) {
      fail(Message("{path} is not a folder; nothing was changed",
                   {{"path", installation_.shown_path(folder)}}));
    }
    if (::faccessat(opened.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
      fail(Message("cannot write in {folder}; nothing was changed",
                   {{"folder", installation_.shown_path(folder)}}));
    }
    return;
  } while (!folder.empty());
}

void Planner::plan_file(const std::string& path) {
  const std::string old = digest_at(installed(), path);
  PlannedFile file{Action::keep, "", digest_at(plan_.wanted, path), path};
  if (!files_.link_above(path).empty() && old == file.wanted) return;
  file.now = look(path);
  if (const auto content = plan_.contents.find(path); content != plan_.contents.end()) {
    file.wanted = sha256_hex(content->second);
  } else if (plan_.elsewhere.contains(path)) {
    return;
  }
  if (file.now == file.wanted) return;
  file.action = action_for(file, old);
  if (file.action != Action::keep) check_place(path);
  if (file.action == Action::side && files_.look(path + ".new") == kIsFolder) {
    fail(Message("{path} is a folder; nothing was changed",
                 {{"path", installation_.shown_path(path + ".new")}}));
  }
  plan_.files.push_back(std::move(file));
}

Plan Planner::plan() {
  want_files(selection_);
  keep_loaded();
  merge_metamod_list();
  find_elsewhere();
  std::set<std::string, std::less<>> paths;
  for (const auto& [path, digest] : plan_.wanted) paths.insert(path);
  for (const auto& [path, digest] : installed()) paths.insert(path);
  for (const std::string& path : paths) plan_file(path);
  return std::move(plan_);
}

}  // namespace goldsmith::owner
