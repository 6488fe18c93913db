#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "handlers/documents/recipes.hpp"
#include "handlers/pages/embedded_files.hpp"

namespace goldsmith::handlers::documents {
namespace {

// Between single quotes only a single quote has a meaning.
std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// Throws std::logic_error if the program has no such file.
std::string_view embedded_script(std::string_view name) {
  for (const pages::EmbeddedFile& file : pages::embedded_scripts()) {
    if (file.name == name) return file.content;
  }
  throw std::logic_error("there is no script " + std::string(name));
}

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

}  // namespace

std::string install_script(const Recipe& recipe, std::string folder) {
  return filled_in(
      replaced(embedded_script("install.sh"), "@owner.sh@\n", embedded_script("owner.sh")),
      {{"service", recipe.urls.site()},
       {"share_link", recipe.link()},
       {"folder", std::move(folder)}});
}

std::string updater(const Recipe& recipe) {
  return filled_in(
      embedded_script("update.sh"),
      {{"service", recipe.urls.site()},
       {"selection", recipe.selection},
       {"checksums_url", recipe.urls.server_document("checksums.txt", recipe.selection)},
       {"plugins_url", recipe.urls.server_document("plugins.txt", recipe.selection)},
       {"configuration_url", recipe.urls.server_document("configuration.txt", recipe.selection)},
       {"download_url", recipe.urls.server_download(recipe.selection)}});
}

std::string dockerfile(const Recipe& recipe) {
  const std::string with_install =
      replaced(embedded_script("Dockerfile"), "@install.sh@\n", install_script(recipe, "/server"));
  return replaced(with_install, "@start.sh@\n", embedded_script("start.sh"));
}

// A JSON string is one in YAML. The link has no `$` and no `}`, which mean something to Compose.
std::string compose_file(const Recipe& recipe) {
  const json::Value value("${SHARE_LINK:-" + recipe.link() + "}");
  return replaced(embedded_script("compose.yaml"), "@share_link@", json::to_string(value));
}

}  // namespace goldsmith::handlers::documents
