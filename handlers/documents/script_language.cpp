#include "handlers/documents/script_language.hpp"

#include <algorithm>

#include "app/base/json.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::documents {
namespace {

const json::Array& texts_of(std::string_view name) {
  static const json::Value known = json::parse(pages::embedded_script("script-texts.json"));
  return *known.as_object()->at(std::string(name)).as_object()->at("texts").as_array();
}

}  // namespace

std::string with_comments(std::string_view recipe, const ScriptLanguage& language) {
  return pages::translated(recipe, [&](std::string_view, std::string_view text) {
    std::string comment = language.tr(text);
    std::ranges::replace(comment, '\n', ' ');
    return comment;
  });
}

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

std::string translations_for_shell(std::string_view name, const ScriptLanguage& language) {
  std::string branches;
  for (const json::Value& each : texts_of(name)) {
    const std::string& text = *each.as_string();
    const auto translation = language.find(text);
    // Such a line would end the part of a Dockerfile that the script is.
    if (!translation || translation->find("END_OF_SCRIPT") != std::string_view::npos) continue;
    branches.append("    ").append(shell_quoted(text)).append(") text=");
    branches.append(shell_quoted(*translation)).append(" ;;\n");
  }
  return branches;
}

}  // namespace goldsmith::handlers::documents
