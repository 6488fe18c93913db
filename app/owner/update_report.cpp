#include "app/owner/update_report.hpp"

#include <algorithm>

#include "app/base/text.hpp"
#include "app/creator/settings_text.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using Action = PlannedFile::Action;

constexpr std::string_view kServerConfiguration = "cstrike/server.cfg";

void line(const std::string& text) { std::fputs((shown(text) + "\n").c_str(), stdout); }

Message::Value named(std::string_view name, std::string_view value) { return {name, shown(value)}; }

// What the service did not add as it was asked for.
void show_plugins(const Caller& caller, const WantedBuild& build, const Plan& plan) {
  if (build.plugins) {
    for (const PluginFacts::Plugin& each : build.plugins->plugins) {
      const Message::Value plugin = named("plugin", each.slug);
      const Message::Value reason{"reason", Message(shown(each.reason))};
      const bool is_kept = std::ranges::any_of(
          plan.kept_owners, [&](const auto& file) { return file.second == each.slug; });
      if (each.status == "older") {
        caller.say(Message("  older    plugin {plugin} {version} ({reason})",
                           {plugin, named("version", each.version), reason}));
      } else if (each.status == "skipped") {
        caller.say(is_kept
                       ? Message("  keep     plugin {plugin} (left out of this build: {reason})",
                                 {plugin, reason})
                       : Message("  without  plugin {plugin} ({reason})", {plugin, reason}));
      }
    }
  }
  for (const auto& [path, slug] : plan.kept_owners) {
    if (slug != "?" && build.plugins) continue;
    caller.say(
        Message("  keep     {file} (of a plugin that this build may lack)", {named("file", path)}));
  }
}

// What the owner's list of Metamod has beside the build.
void show_metamod(const Caller& caller, const OwnedLines& lines) {
  const Message::Value file{"file", std::string(kMetamodList)};
  for (const std::string& each : lines.kept) {
    caller.say(Message("  keep     {library} in {file} (yours)", {named("library", each), file}));
  }
  for (const std::string& each : lines.disabled) {
    caller.say(Message("  keep     {library} off in {file} (as you have it)",
                       {named("library", each), file}));
  }
  for (const OwnedLines::Dropped& each : lines.dropped) {
    caller.say(Message("  without  {library} in {file} ({reason})",
                       {named("library", each.library), file, {"reason", each.why}}));
  }
}

void show_file(const Installation& installation, const PlannedFile& file) {
  const Caller& caller = installation.caller();
  const Message::Value path = named("file", file.path);
  const Message::Value beside = named("new", file.path + ".new");
  const bool is_there = file.now != kNothing;
  switch (file.action) {
    case Action::put:
      caller.say(is_there ? Message("  replace  {file}", {path})
                          : Message("  install  {file}", {path}));
      break;
    case Action::del:
      caller.say(Message("  remove   {file}", {path}));
      break;
    case Action::back:
      caller.say(Message("  restore  {file}", {path}));
      break;
    case Action::side:
      caller.say(
          installation.is_first()
              ? Message("  keep     {file} (yours: the new version is {new})", {path, beside})
          : is_there
              ? Message("  keep     {file} (edited here and changed upstream: the new version is "
                        "{new})",
                        {path, beside})
              : Message(
                    "  keep     {file} (removed here, changed upstream: the new version is {new})",
                    {path, beside}));
      break;
    case Action::keep:
      if (is_there) {
        caller.say(Message("  keep     {file} (edited here)", {path}));
      } else if (file.wanted != kNothing) {
        caller.say(Message("  keep     {file} (removed here)", {path}));
      }
      break;
  }
}

std::vector<std::string> lines_of_file(const Installation& installation, std::string_view path) {
  std::vector<std::string> lines;
  const std::string content = installation.files().read(path, kMostOfSmallFile).value_or("");
  for (const std::string_view each : base::split(content, '\n')) {
    lines.emplace_back(base::trim_ascii(each));
  }
  return lines;
}

bool is_set(const Installation& installation, const WantedBuild& build,
            const UpdateFacts::Secret& secret) {
  std::vector<std::string> places{secret.file};
  if (const UpdateFacts::Places* const other = build.facts.places_of(secret.file)) {
    places.insert(places.end(), other->places.begin(), other->places.end());
  }
  return std::ranges::any_of(places, [&](const std::string& place) {
    return std::ranges::any_of(lines_of_file(installation, place), [&](const std::string& each) {
      return each.starts_with(secret.setting);
    });
  });
}

}  // namespace

void show_plan(const Installation& installation, const WantedBuild& build, const Plan& plan) {
  const Caller& caller = installation.caller();
  show_plugins(caller, build, plan);
  show_metamod(caller, plan.metamod);
  for (const auto& [path, found] : plan.elsewhere) {
    caller.say(plan.contents.contains(path)
                   ? Message("  keep     {file} (yours: it goes to {new})",
                             {named("file", found), named("new", path)})
                   : Message("  keep     {file} (yours, which counts: {new} is not installed)",
                             {named("file", found), named("new", path)}));
  }
  for (const PlannedFile& file : plan.files) show_file(installation, file);
}

void show_configuration(const Installation& installation, const WantedBuild& build,
                        const Plan& plan) {
  std::vector<std::string> kept;
  std::vector<std::string> replaced;
  for (const PlannedFile& file : plan.files) {
    const std::string& path = file.path;
    if (file.now == kNothing) continue;
    const bool is_configuration = build.is_configuration(path) || is_named_as_configuration(path);
    const bool is_list = path.ends_with(".ini") || path.ends_with(".cfg") || path.ends_with(".gam");
    if (file.action == Action::side && is_configuration) kept.push_back(path);
    if (file.action == Action::put && installation.is_first() && is_list) replaced.push_back(path);
  }
  const Caller& caller = installation.caller();
  if (!kept.empty()) {
    caller.say(
        Message("Your configuration stays as it is, and the new one is beside it, with .new "
                "behind its name:",
                {}));
    for (const std::string& path : kept) line("  " + path);
  }
  if (!replaced.empty()) {
    caller.say(
        Message("Replaced, because the build does not load without its own; yours is in {folder}:",
                {{"folder", installation.shown_path(kOriginal)}}));
    for (const std::string& path : replaced) line("  " + path);
  }
}

void show_replaced(const Installation& installation, const InstalledState& state) {
  const ServerFiles& files = installation.files();
  std::vector<std::string> replaced;
  if (!files.is_folder(kOriginal)) return;
  for (const auto& [path, digest] : state.files) {
    if (!is_named_as_configuration(path) || !has_original(files, path)) continue;
    const std::string now = files.look(path).value_or("");
    if (now == digest && !is_original(files, path, now)) replaced.push_back(path);
  }
  if (replaced.empty()) return;
  installation.caller().say(
      Message("The first installation replaced configuration that was yours. It is in {folder}: "
              "copy back what\nyou want to have, and it stays, or remove it there.",
              {{"folder", installation.shown_path(kOriginal)}}));
  for (const std::string& path : replaced) line("  " + path);
}

void show_held(const Installation& installation, const std::string& held,
               const std::string& selection) {
  if (held.empty()) return;
  std::vector<std::string> versions;
  for (std::string_view each : base::split(held, ',')) {
    std::string version = shown(each);
    std::ranges::replace(version, '@', ' ');
    versions.push_back(std::move(version));
  }
  const Caller& caller = installation.caller();
  caller.say(Message(
      "Held by {service}, which recommends not to use it: {versions}.\n{address} says why.",
      {{"service", caller.service},
       {"address", caller.service + "/server" + (selection.empty() ? "" : "?" + shown(selection))},
       {"versions", base::join(versions, ", ")}}));
}

void show_defects(const Installation& installation, const WantedBuild& build) {
  for (const UpdateFacts::Component& component : build.facts.components) {
    for (const std::string& defect : component.defects) {
      installation.caller().say(Message("Known of {component} {version}: {defect}",
                                        {{"component", shown(component.name)},
                                         {"version", shown(component.version)},
                                         {"defect", Message(shown(defect))}}));
    }
  }
}

void show_fastdl(const Installation& installation, const std::string& fastdl, bool is_changed) {
  if (fastdl.empty()) return;
  bool is_other = false;
  for (const std::string& each : lines_of_file(installation, creator::kSettingsPath)) {
    if (each.find(fastdl) != each.npos) return;
  }
  for (const std::string& each : lines_of_file(installation, kServerConfiguration)) {
    if (each.find(fastdl) != each.npos) return;
    std::string_view setting = each;
    if (setting.starts_with('"')) setting.remove_prefix(1);
    is_other = is_other ||
               (setting.starts_with("sv_downloadurl") && setting.find("/fastdl/") != setting.npos);
  }
  const Caller& caller = installation.caller();
  const Message::Value file{"file", std::string(kServerConfiguration)};
  if (is_other) {
    caller.say(
        Message("sv_downloadurl in {file} is not that of this server's selection. Write this line "
                "in its place, which stays the same across updates:",
                {file}));
  } else if (is_changed) {
    caller.say(
        Message("Players can download models, sounds, sprites and maps of this build from "
                "{service}, with this line in {file}:",
                {{"service", caller.service}, file}));
  } else {
    return;
  }
  line("sv_downloadurl \"" + fastdl + "\"");
}

void show_missing_game(const Installation& installation) {
  std::vector<std::string> missing;
  for (const char* path :
       {"hlds_run", "libsteam_api.so", "valve/gfx.wad", "cstrike/maps/de_dust2.bsp"}) {
    if (!installation.files().exists(path)) missing.emplace_back(path);
  }
  if (missing.empty()) return;
  const Caller& caller = installation.caller();
  caller.say(
      Message("The base game is not complete here, and without it the server does not start. It "
              "lacks {files}.\n{address} says how SteamCMD installs it.",
              {{"files", base::join(missing, ", ")}, {"address", caller.service + "/#begin"}}));
}

void show_secrets(const Installation& installation, const WantedBuild& build, const Plan& plan,
                  const std::vector<MadeSecret>& made) {
  const Caller& caller = installation.caller();
  if (!made.empty()) {
    caller.say(
        Message("Made for this server alone, and never changed by an update; keep a copy:", {}));
    for (const MadeSecret& each : made) {
      caller.say(Message("  {setting} in {file}",
                         {named("setting", each.setting), named("file", each.file)}));
    }
  }
  for (const auto& [path, found] : plan.elsewhere) {
    const UpdateFacts::Places* const places = build.facts.places_of(path);
    if (places == nullptr || places->identity.empty()) continue;
    caller.say(
        Message("{file} decides which Steam IDs players get. It is yours, and stays; keep a copy.",
                {named("file", found)}));
  }
  for (const UpdateFacts::Secret& each : build.facts.secrets) {
    if (!each.is_suggested || is_set(installation, build, each)) continue;
    caller.say(
        Message("{setting} is not set in {file}. A long random value that nobody else knows "
                "is a good one.",
                {named("setting", each.setting), named("file", each.file)}));
  }
}

}  // namespace goldsmith::owner
