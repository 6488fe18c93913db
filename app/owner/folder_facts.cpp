#include "app/owner/folder_facts.hpp"

#include <algorithm>
#include <map>

#include "app/base/text.hpp"
#include "app/creator/settings_text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::owner {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kConfigs = "addons/amxmodx/configs";
constexpr std::string_view kLinuxGsm = "lgsm/config-lgsm/csserver";

// A name that is relative to the game's folder; "" for what is outside of the server.
std::string on_server(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '\\', '/');
  if (text.starts_with('/')) {
    const std::size_t game = text.rfind("/cstrike/");
    if (game == text.npos) return {};
    text.erase(0, game + std::string_view("/cstrike/").size());
  }
  std::vector<std::string_view> parts{"cstrike"};
  for (const std::string_view part : base::split(text, '/')) {
    if (part == "..") {
      if (parts.empty()) return {};
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
  }
  return base::join(parts, "/");
}

std::string above(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == path.npos ? 0 : slash));
}

// As the engine reads its files: words, or what is between quotes, without comments.
Words engine_words(std::string_view text) {
  constexpr std::string_view kSingle = "{}()',";
  Words words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    if (text.empty()) return words;
    std::size_t end = 1;
    if (text.starts_with("//")) {
      end = text.find('\n');
    } else if (text.front() == '"') {
      end = text.find('"', 1);
      words.emplace_back(text.substr(1, end == text.npos ? end : end - 1));
      if (end != text.npos) ++end;
    } else {
      if (kSingle.find(text.front()) == kSingle.npos) end = text.find_first_of(" \t\r\n{}()',");
      words.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end, text.size()));
  }
}

// The lines of a list that are no comment, as words.
std::vector<Words> rows_of(std::string_view text) {
  std::vector<Words> rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    std::string_view line = base::trim_ascii(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('#') || line.starts_with(';') || line.starts_with("//")) continue;
    Words& words = rows.emplace_back();
    while (!line.empty()) {
      const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
      words.emplace_back(line.substr(0, blank));
      line = base::trim_ascii(line.substr(blank));
    }
    if (words.empty()) rows.pop_back();
  }
  return rows;
}

// What stands behind the first word of that row; "" if there is none.
std::string setting(const std::vector<Words>& rows, std::string_view name) {
  for (const Words& row : rows) {
    if (row.size() > 1 && row[0] == name) return row[1];
  }
  return {};
}

class Loading {
 public:
  explicit Loading(const FolderTexts& folder) : folder_(folder) {}

  Loaded find() {
    find_parameters();
    find_game();
    if (loaded_.has_metamod) {
      find_metamod_plugins();
    } else {
      loaded_.library = loaded_.game;
      loaded_.library_by = loaded_.game_by;
    }
    find_amxx_plugins();
    if (!loaded_.has_amxx_lists || loaded_.amxx_plugins.contains(creator::kSettingsBinary)) {
      loaded_.settings = creator::sound_settings(read(creator::kSettingsPath));
    }
    return std::move(loaded_);
  }

 private:
  std::string read(std::string_view path) const { return path.empty() ? "" : folder_.read(path); }
  std::string first_there(const std::vector<std::string>& paths) const {
    const auto found =
        std::ranges::find_if(paths, [&](const std::string& path) { return !read(path).empty(); });
    return found == paths.end() ? "" : *found;
  }
  std::string local(const std::string& name) const {
    const auto found = local_.find(name);
    return found == local_.end() ? "" : found->second;
  }

  void add_local(const Words& words, std::string_view command) {
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
      if (words[i] != command) continue;
      local_[words[i + 1]] = words[i + 2].substr(0, words[i + 2].find(';'));
    }
  }

  // Of the command line of a server. A variable of a shell says nothing.
  void take_parameters(std::string text, std::string_view file) {
    for (char& c : text) {
      if (c == '"' || c == '\'' || c == '\\' || c == '=') c = ' ';
    }
    Words words;
    for (Words& row : rows_of(text)) std::ranges::move(row, std::back_inserter(words));
    dll_.clear();
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "-dll" && words[i + 1].find('$') == std::string::npos) {
        dll_ = words[i + 1];
        dll_by_ = file;
      }
    }
    add_local(words, "+localinfo");
  }

  // autoexec.cfg is executed before the game's library is loaded, server.cfg after it.
  void find_parameters() {
    add_local(engine_words(read("cstrike/autoexec.cfg")), "localinfo");
    Words configs{"_default.cfg", "common.cfg"};
    for (std::string& name : folder_.names(kLinuxGsm)) {
      const bool is_more =
          name.ends_with(".cfg") && std::ranges::find(configs, name) == configs.end();
      if (is_more) configs.push_back(std::move(name));
    }
    for (const std::string& name : configs) {
      const std::string path = std::string(kLinuxGsm).append("/").append(name);
      const std::string text = read(path);
      constexpr std::string_view kName = "startparameters=";
      for (std::string_view line : base::split(text, '\n')) {
        line = base::trim_ascii(line);
        if (line.starts_with(kName)) take_parameters(std::string(line), path);
      }
    }
    for (const std::string& name : folder_.names("")) {
      if (!dll_.empty()) return;
      std::string text = read(name);
      const bool is_script = text.find("hlds_") != text.npos && text.find('\0') == text.npos;
      if (is_script) take_parameters(std::move(text), name);
    }
  }

  void find_game() {
    constexpr std::string_view kList = "cstrike/liblist.gam";
    const Words words = engine_words(read(kList));
    for (std::size_t i = 0; i + 1 < words.size() && loaded_.game.empty(); i += 2) {
      if (!base::equals_ignoring_case(words[i], "gamedll_linux")) continue;
      const std::string& name = dll_.empty() ? words[i + 1] : dll_;
      if (!name.ends_with(".so")) continue;
      loaded_.game = on_server(name);
      loaded_.game_by = dll_.empty() ? kList : dll_by_;
    }
    if (loaded_.game.empty()) return;
    const std::string content = read(loaded_.game);
    is_r_ = content.find("Metamod-r") != content.npos;
    loaded_.has_metamod = base::to_lower_ascii(loaded_.game).find("metamod") != std::string::npos ||
                          content.find("Metamod") != content.npos;
  }

  // Metamod-r looks beside itself and one folder above, the others in a fixed place, which is taken
  // for Metamod-r, too, where nothing else is there.
  void find_metamod_plugins() {
    constexpr std::string_view kFolder = "cstrike/addons/metamod";
    const std::string folder = is_r_ ? above(loaded_.game) : std::string(kFolder);
    const auto place_of = [&](const std::string& own, std::string_view name) {
      Words places;
      if (!own.empty()) places.push_back(on_server(own));
      places.push_back(std::string(folder).append("/").append(name));
      if (is_r_) places.push_back(above(folder).append("/").append(name));
      if (is_r_) places.push_back(std::string(kFolder).append("/").append(name));
      return places;
    };
    const std::string config = first_there(place_of(local("mm_configfile"), "config.ini"));
    const auto settings = rows_of(read(config));
    const std::string own_game = local("mm_gamedll");
    const std::string game = own_game.empty() ? setting(settings, "gamedll") : own_game;
    if (!game.empty()) {
      loaded_.library = on_server(game);
      loaded_.library_by = own_game.empty() ? config : "localinfo mm_gamedll";
    } else if (!loaded_.game.empty()) {
      loaded_.library = "cstrike/dlls/cs.so";
      loaded_.library_by = loaded_.game;
    }
    std::string own_list = local("mm_pluginsfile");
    std::string by = "localinfo mm_pluginsfile";
    if (own_list.empty() && !is_r_) {
      own_list = setting(settings, "plugins_file");
      by = config;
    }
    Words places = place_of(own_list, "plugins.ini");
    if (!is_r_) places.emplace_back("cstrike/metamod.ini");
    loaded_.list = first_there(places);
    if (!own_list.empty() && loaded_.list == places.front()) loaded_.list_by = by;
    for (const Words& row : rows_of(read(loaded_.list))) {
      const std::string system = is_r_ ? row[0] : base::to_lower_ascii(row[0]);
      const bool is_linux = system == "linux" || (!is_r_ && system == "lin32");
      if (!is_linux || row.size() < 2) continue;
      loaded_.plugins.try_emplace(on_server(row[1]), loaded_.plugins.size());
    }
  }

  void find_amxx_plugins() {
    const auto core = rows_of(read(on_server(or_else(local("amxx_cfg"), "core.ini"))));
    const auto place_of = [&](const std::string& name) {
      const std::string own = setting(core, name);
      return own.empty() ? local(name) : own;
    };
    const std::string own_folder = place_of("amxx_configsdir");
    const std::string folder = on_server(own_folder.empty() ? kConfigs : own_folder);
    add_list(on_server(or_else(place_of("amxx_plugins"), "plugins.ini")), loaded_.amxx_plugins);
    for (const bool is_of_maps : {false, true}) {
      const std::string place = folder + (is_of_maps ? "/maps" : "");
      for (const std::string& name : folder_.names(place)) {
        if (!name.starts_with("plugins-") || !name.ends_with(".ini")) continue;
        add_list(std::string(place).append("/").append(name),
                 is_of_maps ? loaded_.amxx_plugins_of_maps : loaded_.amxx_plugins);
      }
    }
  }
  static std::string or_else(const std::string& own, std::string_view name) {
    return own.empty() ? std::string(kConfigs).append("/").append(name) : own;
  }

  void add_list(const std::string& path, std::set<std::string, std::less<>>& names) {
    std::string text = read(path);
    loaded_.has_amxx_lists = loaded_.has_amxx_lists || !text.empty();
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
      const std::string_view line = rest.substr(0, end);
      for (Words& row : rows_of(line.substr(0, line.find(';')))) {
        const bool is_off = row.size() > 1 && row[1] == "disabled";
        if (domain::is_alphanumeric(row[0].front()) && !is_off) names.insert(std::move(row[0]));
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  const FolderTexts& folder_;
  std::map<std::string, std::string> local_;  // localinfo
  std::string dll_;                           // -dll
  std::string dll_by_;
  bool is_r_ = false;  // Metamod-r
  Loaded loaded_;
};

}  // namespace

bool is_written(std::string_view path) {
  return path == "cstrike/liblist.gam" || path == "cstrike/addons/metamod/plugins.ini" ||
         path == "cstrike/addons/amxmodx/configs/plugins-svc.ini" ||
         path == creator::kSettingsPath ||
         path == "cstrike/addons/amxmodx/plugins/svc_settings.amxx" ||
         path == "cstrike/addons/amxmodx/scripting/svc_settings.sma";
}

Loaded loaded_by(const FolderTexts& folder) { return Loading(folder).find(); }

std::vector<std::string> listed_by_metamod(std::string_view list) {
  std::vector<std::string> libraries;
  for (const Words& row : rows_of(list)) {
    const std::string system = base::to_lower_ascii(row[0]);
    const bool is_linux = system == "linux" || system == "lin32";
    if (is_linux && row.size() > 1) libraries.push_back(on_server(row[1]));
  }
  return libraries;
}

}  // namespace goldsmith::owner
