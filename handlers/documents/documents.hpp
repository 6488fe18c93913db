// Documents of a build that are text: checksums, scripts, recipes, and their errors.
#pragma once

#include <string>
#include <string_view>

#include "app/base/json.hpp"
#include "app/web/response.hpp"
#include "handlers/documents/script_language.hpp"
#include "handlers/views/urls.hpp"

namespace goldsmith::handlers::documents {

// Errors of documents that are text.

// `error` with its envelope as lines of text, `error: CODE` first; status and headers stay.
// Precondition: `error` is one of the API (handlers/errors.hpp).
web::Response text_error(web::Response error);

// Ready-made files that install a selection: a script (decision S24), and recipes for panels and
// containers (S25), which are in the formats of those projects and have the link to the selection
// as a variable. Pure.
struct Recipe {
  std::string selection;  // of creator::request_query()
  std::string site_name;
  std::string contact;  // an e-mail address, or anything else for none
  const views::Urls& urls;
  ScriptLanguage language = {};
  std::string language_query = {};  // "lang=pl"; "" for that of the site
  std::string image = {};           // of an egg's servers

  // Both, for addresses of what people read.
  std::string query() const;
  std::string link() const { return urls.server_page(query()); }
};

// The script that installs base game and selection into a folder, and `start` as
// goldsmith-start.sh in it; "" = nothing.
std::string install_script(const Recipe& recipe, std::string folder, std::string start = "");
// The script that updates the server in a folder and starts it: by `installer`, a command that
// installs it, too; "" = it must be there.
std::string start_script(const Recipe& recipe, std::string folder, std::string installer);

// The scripts that fetch goldsmith-keeper, whose SHA-256 is keeper_digest(), and run a verb of it:
// the one that installs the selection and updates it (decision S24), the one that tells what the
// files of a server are (S32), and the one that names causes in the log of a server's console
// (S34); and what is known of logs, as JSON. Every value is quoted for the shell, whatever is in
// it.
// `ignored`: parameters of its address that the service does not know, which it says when it runs.
std::string updater(const Recipe& recipe, const std::string& ignored = "");
std::string_view keeper_digest();
std::string adopter(const views::Urls& urls, const ScriptLanguage& language);
std::string explainer(const views::Urls& urls, const ScriptLanguage& language);
std::string_view log_causes();
// An egg in the format PTDL_v2, for Pterodactyl and Pelican.
json::Object egg(const Recipe& recipe);
std::string dockerfile(const Recipe& recipe);
// A compose file for the Dockerfile of the same selection.
std::string compose_file(const Recipe& recipe);
// The update stages of a template of the "Generic" module of CubeCoders AMP.
json::Array amp_stages(const Recipe& recipe);
// A mod of the game in GameAP, as its API takes it.
json::Object game_mod(const Recipe& recipe);

}  // namespace goldsmith::handlers::documents
