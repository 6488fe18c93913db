#include "handlers/documents/recipes.hpp"

#include <string_view>

#include "app/domain/ascii.hpp"
#include "app/sys/digest.hpp"

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
json::Object no_automatic_update() {
  json::Object off =
      variable("AUTO_UPDATE", "Automatic update",
               "Always 0: an update by SteamCMD would replace files of the selection. "
               "Reinstall the server to update it.",
               "0", "required|in:0");
  off["user_viewable"] = false;
  off["user_editable"] = false;
  return off;
}

json::Array variables(const Recipe& recipe) {
  return {variable("SHARE_LINK", "Link to the selection",
                   "From the server creator, " + recipe.urls.server_page() +
                       ". Versions that it does not name follow the latest. Reinstall the server "
                       "to apply a change or to update; edited files are kept.",
                   recipe.link(), link_rules(recipe)),
          variable("SRCDS_MAP", "Map", "The first map.", "de_dust2",
                   R"(required|string|max:64|regex:/^[\w$.-]+\z/)"),
          variable("MAX_PLAYERS", "Players", "The number of slots.", "16",
                   "required|integer|between:1,32"),
          no_automatic_update()};
}

// Panels only take an e-mail address.
std::string author(const Recipe& recipe) {
  if (recipe.contact.find('@') != std::string::npos &&
      recipe.contact.find('/') == std::string::npos) {
    return recipe.contact;
  }
  const std::string& site = recipe.urls.site();
  const std::size_t host = site.find("://") + 3;
  return "noreply@" + site.substr(host, site.find_first_of(":/", host) - host);
}

// Pelican takes what follows the last dot of an address for the format, queries included.
std::string egg_url(const Recipe& recipe) {
  return recipe.urls.server_document(
      "egg.json", recipe.selection.empty() ? "" : recipe.selection + "&as=egg.json");
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

json::Object fetch_stage(std::string_view name, const std::string& url, std::string_view file) {
  json::Object fetch = stage(name, "FetchURL");
  fetch["UpdateSourceData"] = url;
  fetch["UpdateSourceArgs"] = file;
  fetch["UpdateSourceTarget"] = "{{$FullBaseDir}}";
  fetch["OverwriteExistingFiles"] = true;
  return fetch;
}

}  // namespace

json::Object egg(const Recipe& recipe) {
  constexpr std::string_view kImage = "ghcr.io/parkervcp/games:source";
  return {
      {"meta", json::Object{{"version", "PTDL_v2"}, {"update_url", egg_url(recipe)}}},
      {"uuid", sys::uuid_of(sys::sha256_hex(egg_url(recipe)))},
      {"name", "Counter-Strike 1.6 (" + recipe.site_name + ")"},
      {"author", author(recipe)},
      {"description",
       "A Counter-Strike 1.6 server: the base game by SteamCMD, and the selection of "
       "a link from " +
           recipe.urls.server_page() + "."},
      {"features", json::Array{"steam_disk_space"}},
      {"docker_images", json::Object{{kImage, kImage}}},
      {"file_denylist", json::Array()},
      {"startup",
       "./hlds_run -console -norestart -game cstrike -strictportbind +ip 0.0.0.0 -port "
       "{{SERVER_PORT}} +maxplayers {{MAX_PLAYERS}} +map {{SRCDS_MAP}}"},
      {"config", json::Object{{"files", "{}"},
                              {"logs", "{}"},
                              {"startup", R"({"done": "Connection to Steam servers successful"})"},
                              {"stop", "quit"}}},
      {"scripts", json::Object{{"installation",
                                json::Object{{"script", install_script(recipe, "/mnt/server")},
                                             {"container", "ghcr.io/parkervcp/installers:debian"},
                                             {"entrypoint", "bash"}}}}},
      {"variables", variables(recipe)}};
}

json::Array amp_stages(const Recipe& recipe, const creator::Plan& plan) {
  constexpr std::string_view kChecksums = "goldsmith-checksums.txt";
  json::Object archive =
      fetch_stage("Server Download", recipe.urls.server_download(recipe.selection), "server.zip");
  archive["UnzipUpdateSource"] = true;
  archive["DeleteAfterExtract"] = true;
  json::Object check = stage("Server Check", "Executable");
  check["UpdateSourceData"] = "/bin/bash";
  check["UpdateSourceArgs"] = R"(-c "cd \"{{$FullBaseDir}}\" && sha256sum --strict --quiet -c )" +
                              std::string(kChecksums) + "\"";
  json::Array stages{
      link_check_stage(), base_game_stage(), std::move(archive),
      fetch_stage("Checksums Download",
                  recipe.urls.server_document("checksums.txt", recipe.selection), kChecksums),
      std::move(check)};
  for (const creator::PlannedFile& file : plan.files) {
    if (!file.executable) continue;
    json::Object executable = stage("Set Executable Flag", "SetExecutableFlag");
    executable["UpdateSourceArgs"] = "{{$FullBaseDir}}" + file.path;
    stages.push_back(std::move(executable));
  }
  return stages;
}

}  // namespace goldsmith::handlers::documents
