#include "handlers/documents/script_language.hpp"

#include "app/base/json.hpp"
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::documents {
namespace {

const json::Array& texts_of(std::string_view name, const std::string& kind) {
  static const json::Value known = json::parse(pages::embedded_script("script-texts.json"));
  return *known.as_object()->at(std::string(name)).as_object()->at(kind).as_array();
}

}  // namespace

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
    if (!translation) continue;
    branches.append("    ").append(shell_quoted(text)).append(") text=");
    branches.append(shell_quoted(*translation)).append(" ;;\n");
  }
  return branches;
}

std::string translations_for_awk(std::string_view name, const ScriptLanguage& language) {
  std::string lines;
  for (const json::Value& each : texts_of(name, "awk")) {
    const std::string& text = *each.as_string();
    const auto translation = language.find(text);
    // A line feed in one would put the others out of step.
    if (!translation || translation->find('\n') != std::string_view::npos) continue;
    lines.append(text).append("\n").append(*translation).append("\n");
  }
  return lines;
}

}  // namespace goldsmith::handlers::documents
