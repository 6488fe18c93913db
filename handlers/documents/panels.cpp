// Recipes in the formats of panels (decisions S25 and S46).
#include <string>
#include <string_view>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/json.hpp"
#include "app/domain/names.hpp"
#include "handlers/documents/documents.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::documents {
namespace {

// Escapes a text for a PCRE between slashes.
std::string escaped_for_pattern(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (!domain::is_alphanumeric(c)) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// Rules of panels have no way to write a `|`, and no selection needs one.
std::string link_rules(const Recipe& recipe) {
  return "required|string|regex:/^" + escaped_for_pattern(recipe.urls.server_page()) +
         R"((\?[A-Za-z0-9%=&,@._~-]*)?\z/)";
}

json::Object variable(std::string_view env_variable, std::string_view name,
                      std::string_view description, std::string_view value,
                      std::string_view rules) {
  return {{"env_variable", env_variable}, {"name", name},         {"description", description},
          {"default_value", value},       {"rules", rules},       {"field_type", "text"},
          {"user_viewable", true},        {"user_editable", true}};
}

// The images update the game by SteamCMD at each start unless this is 0, which would put files of
// the base game over those of the selection.
json::Object no_automatic_update(const ScriptLanguage& language) {
  json::Object off =
      variable("AUTO_UPDATE", language.tr("Automatic update"),
               language.tr("Always 0: an update by SteamCMD would replace files of the selection."),
               "0", "required|in:0");
  off["user_viewable"] = false;
  off["user_editable"] = false;
  return off;
}

// What is empty is left to server.cfg. No pattern has a `|`.
json::Array variables(const Recipe& recipe) {
  const ScriptLanguage& language = recipe.language;
  return {variable("SHARE_LINK", language.tr("Link to the selection"),
                   pages::filled(
                       language.tr("From the server creator, {address}. Versions that it does not "
                                   "name follow the latest. Edited files are kept."),
                       {{"address", recipe.urls.server_page()}}),
                   recipe.link(), link_rules(recipe)),
          variable("SERVER_NAME", language.tr("Name of the server"),
                   language.tr("What players see in the list of servers; empty: as in server.cfg."),
                   "", R"(nullable|string|max:64|regex:/^[^"\x00-\x1f]*\z/)"),
          variable("RCON_PASSWORD", language.tr("Password of the remote console"),
                   language.tr("Of rcon; empty: as in server.cfg."), "",
                   R"(nullable|string|max:64|regex:/^[^"\x00-\x20]*\z/)"),
          variable("SRCDS_MAP", language.tr("Map"), language.tr("The first map."), "de_dust2",
                   R"(required|string|max:64|regex:/^[\w$.-]+\z/)"),
          variable("MAX_PLAYERS", language.tr("Players"), language.tr("The number of slots."), "16",
                   "required|integer|between:1,32"),
          variable("TICRATE", language.tr("Frames a second"),
                   language.tr("Of the engine (sys_ticrate); empty: as in server.cfg."), "",
                   "nullable|integer|between:20,1000"),
          variable("UPDATE_AT_START", language.tr("Update at each start"),
                   language.tr("1: each start updates the selection before; 0: it does not."), "1",
                   "required|boolean"),
          no_automatic_update(language)};
}

std::string host_of(const Recipe& recipe) {
  const std::string& site = recipe.urls.site();
  const std::size_t host = site.find("://") + 3;
  return site.substr(host, site.find_first_of(":/", host) - host);
}

// Panels only take an e-mail address.
std::string author(const Recipe& recipe) {
  if (recipe.contact.find('@') != std::string::npos &&
      recipe.contact.find('/') == std::string::npos) {
    return recipe.contact;
  }
  return "noreply@" + host_of(recipe);
}

// Pelican takes what follows the last dot of an address for the format, queries included.
std::string egg_url(const Recipe& recipe) {
  return recipe.urls.server_document("egg.json",
                                     recipe.query().empty() ? "" : recipe.query() + "&as=egg.json");
}

json::Object stage(std::string_view name, std::string_view source) {
  return {{"UpdateStageName", name},
          {"UpdateSourcePlatform", "Linux"},
          {"UpdateSource", source},
          {"SkipOnFailure", false}};
}

json::Object base_game_stage() {
  json::Object base_game = stage("Base Game Download", "SteamCMD");
  base_game["UpdateSourceData"] = "90";
  base_game["UpdateSourceArgs"] = "10";
  base_game["UpdateSourceVersion"] = "steam_legacy";
  base_game["UpdateSourceExtra"] = "cstrike";
  return base_game;
}

// Before anything is written, which would follow links. The folder need not exist yet.
json::Object link_check_stage() {
  json::Object check = stage("Link Check", "Executable");
  check["UpdateSourceData"] = "/bin/bash";
  check["UpdateSourceArgs"] =
      R"(-c "! find \"{{$FullBaseDir}}\" -type l -o -type f -links +1 | grep .")";
  return check;
}

// Beside the folder of the server: nothing of that is run.
json::Object fetch_stage(std::string_view name, std::string_view url, std::string_view file) {
  json::Object fetch = stage(name, "FetchURL");
  fetch["UpdateSourceData"] = url;
  fetch["UpdateSourceArgs"] = file;
  fetch["UpdateSourceTarget"] = "{{$FullRootDir}}";
  fetch["OverwriteExistingFiles"] = true;
  return fetch;
}

}  // namespace

json::Object egg(const Recipe& recipe) {
  const std::string image_name = recipe.image.substr(0, recipe.image.find('@'));
  std::string start = start_script(recipe, "/home/container", "");
  start.erase(start.find_last_not_of('\n') + 1);
  return {
      {"meta", json::Object{{"version", "PTDL_v2"}, {"update_url", egg_url(recipe)}}},
      {"uuid", base::uuid_of(base::sha256_hex(egg_url(recipe)))},
      {"name", "Counter-Strike 1.6 (" + recipe.site_name + ")"},
      {"author", author(recipe)},
      {"description",
       pages::filled(
           recipe.language.tr("A Counter-Strike 1.6 server: the base game by SteamCMD, and "
                              "the selection of a link from {address}."),
           {{"address", recipe.urls.server_page()}})},
      {"features", json::Array{"steam_disk_space"}},
      {"docker_images", json::Object{{image_name, recipe.image}}},
      {"file_denylist", json::Array()},
      // Variables are in its environment: none of their values is in a command.
      {"startup", "MAP={{SRCDS_MAP}} PORT={{SERVER_PORT}} sh ./goldsmith-start.sh"},
      {"config", json::Object{{"files", "{}"},
                              {"logs", "{}"},
                              {"startup", R"({"done": "Connection to Steam servers successful"})"},
                              {"stop", "quit"}}},
      {"scripts", json::Object{{"installation",
                                json::Object{{"script", install_script(recipe, "/mnt/server",
                                                                       std::move(start))},
                                             {"container", "ghcr.io/parkervcp/installers:debian"},
                                             {"entrypoint", "bash"}}}}},
      {"variables", variables(recipe)}};
}

json::Array amp_stages(const Recipe& recipe) {
  constexpr std::string_view kScript = "goldsmith-update.sh";
  json::Object update = stage("Server Update", "Executable");
  update["UpdateSourceData"] = "/bin/bash";
  update["UpdateSourceArgs"] =
      R"(-c "sh \"{{$FullRootDir}})" + std::string(kScript) + R"(\" --yes \"{{$FullBaseDir}}\"")";
  return {link_check_stage(), base_game_stage(),
          // AMP writes server.cfg of it, as with its own stages.
          fetch_stage("Server.cfg Template File Download",
                      "https://raw.githubusercontent.com/CubeCoders/AMPTemplates/main/"
                      "counter-strike16server.cfg",
                      "AMP_server.cfg"),
          fetch_stage("Update Script Download",
                      recipe.urls.server_document("update.sh", recipe.selection), kScript),
          std::move(update)};
}

json::Object game_mod(const Recipe& recipe) {
  const std::string separator = recipe.selection.empty() ? "" : "&";
  const auto setting = [](std::string_view name, json::Value value, std::string_view about,
                          bool is_for_admins) {
    return json::Object{{"var", name},
                        {"default", std::move(value)},
                        {"info", about},
                        {"admin_var", is_for_admins}};
  };
  return {{"game_code", "cstrike"},
          {"name", host_of(recipe)},
          // `archive` is for GameAP, which leaves it out of what it asks for.
          {"remote_repository_linux",
           recipe.urls.server_download(recipe.selection + separator + "direct=1&archive=zip")},
          {"start_cmd_linux",
           "./hlds_run -console -norestart -game cstrike -strictportbind +ip {ip} -port {port} "
           "+maxplayers {maxplayers} +sys_ticrate {fps} +rcon_password {rcon_password} "
           "+map {default_map}"},
          {"vars", json::Array{setting("default_map", "de_dust2", "Default Map", false),
                               setting("maxplayers", 16, "Maximum players on server", true),
                               setting("fps", 100, "Server FPS (tickrate)", true)}},
          {"kick_cmd", "kick #{id}"},
          {"chmap_cmd", "changelevel {map}"},
          {"sendmsg_cmd", "say \"{msg}\""},
          {"srestart_cmd", "restart"},
          {"passwd_cmd", "sv_password {password}"}};
}

}  // namespace goldsmith::handlers::documents
