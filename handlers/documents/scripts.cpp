// Scripts and files of containers, filled in for a selection (documents.hpp).
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "app/base/json.hpp"
#include "handlers/documents/documents.hpp"

namespace goldsmith::handlers::documents {

namespace {

using pages::embedded_script;

using ScriptValues = std::map<std::string_view, std::string>;

// `name=@name@` on a line of its own becomes `name='value'`, quoted for the shell, whatever is in
// the value. Values are not searched for further names.
std::string filled_in(std::string_view script, const ScriptValues& values) {
  std::string filled;
  while (!script.empty()) {
    const std::size_t end = script.find('\n');
    const std::string_view line = script.substr(0, end);
    const std::size_t equals = line.find("=@");
    const auto value =
        equals == std::string_view::npos ? values.end() : values.find(line.substr(0, equals));
    if (value == values.end()) {
      filled.append(line);
    } else {
      filled.append(value->first).append("=").append(shell_quoted(value->second));
    }
    filled += '\n';
    if (end == std::string_view::npos) break;
    script.remove_prefix(end + 1);
  }
  return filled;
}

std::string replaced(std::string_view text, std::string_view name, std::string_view value) {
  const std::size_t begin = text.find(name);
  std::string result(text.substr(0, begin));
  return result.append(value).append(text.substr(begin + name.size()));
}

// A script of the build (handlers/generated.cmake) with these values and its translations.
std::string script(std::string_view name, const ScriptLanguage& language, ScriptValues values) {
  constexpr std::string_view kPlace = "    # @translations@\n";
  values["language"] = language.tag;
  const std::string_view text = embedded_script(name);
  const std::size_t place = text.find(kPlace);
  return filled_in(text.substr(0, place), values) + translations_for_shell(name, language) +
         filled_in(text.substr(place + kPlace.size()), values);
}

// The script that runs a verb of goldsmith-keeper.
std::string keeper_script(std::string verb, const views::Urls& urls, const ScriptLanguage& language,
                          std::string selection = "", std::string ignored = "") {
  return script("keeper.sh", language,
                {{"service", urls.site()},
                 {"ignored", std::move(ignored)},
                 {"verb", std::move(verb)},
                 {"digest", std::string(keeper_digest())},
                 {"selection", std::move(selection)}});
}

}  // namespace

std::string Recipe::query() const {
  return selection + (selection.empty() || language_query.empty() ? "" : "&") + language_query;
}

std::string install_script(const Recipe& recipe, std::string folder, std::string start) {
  return script("install.sh", recipe.language,
                {{"service", recipe.urls.site()},
                 {"share_link", recipe.link()},
                 {"folder", std::move(folder)},
                 {"start_script", std::move(start)}});
}

std::string start_script(const Recipe& recipe, std::string folder, std::string installer) {
  return script("start.sh", recipe.language,
                {{"service", recipe.urls.site()},
                 {"share_link", recipe.link()},
                 {"folder", std::move(folder)},
                 {"installer", std::move(installer)}});
}

std::string updater(const Recipe& recipe, const std::string& ignored) {
  return keeper_script("update", recipe.urls, recipe.language, recipe.selection, ignored);
}

std::string adopter(const views::Urls& urls, const ScriptLanguage& language) {
  return keeper_script("adopt", urls, language);
}

std::string explainer(const views::Urls& urls, const ScriptLanguage& language) {
  return keeper_script("explain", urls, language);
}

std::string_view log_causes() { return embedded_script("log-causes.json"); }

std::string dockerfile(const Recipe& recipe) {
  const std::string with_install =
      replaced(with_comments(embedded_script("Dockerfile"), recipe.language), "@install.sh@\n",
               install_script(recipe, "/server"));
  return replaced(with_install, "@start.sh@\n", start_script(recipe, "/server", "install-server"));
}

// A JSON string is one in YAML. The link has no `$` and no `}`, which mean something to Compose.
std::string compose_file(const Recipe& recipe) {
  const json::Value value("${SHARE_LINK:-" + recipe.link() + "}");
  return replaced(with_comments(embedded_script("compose.yaml"), recipe.language), "@share_link@",
                  json::to_string(value));
}

}  // namespace goldsmith::handlers::documents
