#include "handlers/documents/script_language.hpp"

#include <algorithm>

#include "app/base/json.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::documents {
namespace {

const json::Array& texts_of(std::string_view name, std::string_view kind) {
  static const json::Value known = json::parse(pages::embedded_script("script-texts.json"));
  return *known.as_object()->at(std::string(name)).as_object()->at(std::string(kind)).as_array();
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
  for (const json::Value& each : texts_of(name, "texts")) {
    const std::string& text = *each.as_string();
    const auto translation = language.find(text);
    // Such a line would end the part of a Dockerfile that the script is.
    if (!translation || translation->find("END_OF_SCRIPT") != std::string_view::npos) continue;
    branches.append("    ").append(shell_quoted(text)).append(") text=");
    branches.append(shell_quoted(*translation)).append(" ;;\n");
  }
  return branches;
}

std::string translations_for_awk(std::string_view name, const ScriptLanguage& language) {
  std::string lines;
  const auto add = [&](std::string line) {
    std::ranges::replace(line, '\n', '\037');
    lines.append(lines.empty() ? "" : "\n").append(line);
  };
  for (const json::Value& each : texts_of(name, "awk")) {
    const std::string& text = *each.as_string();
    const auto translation = language.find(text);
    if (!translation) continue;
    add(text);
    add(std::string(*translation));
  }
  return lines;
}

}  // namespace goldsmith::handlers::documents
