// What the scripts for servers say, in the language of their download (decision R23). Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace goldsmith::handlers::documents {

struct ScriptLanguage {
  std::string tag = "en";
  // The translation of a text; std::nullopt if there is none.
  std::function<std::optional<std::string_view>(std::string_view text)> find =
      [](std::string_view) { return std::nullopt; };

  // In this language, or in English.
  std::string tr(std::string_view text) const { return std::string(find(text).value_or(text)); }
};

// The comments of a recipe: texts between `[[` and `]]`, of one line each.
std::string with_comments(std::string_view recipe, const ScriptLanguage& language);

// Between single quotes: nothing of the text means anything to a shell.
std::string shell_quoted(std::string_view text);

// The branches of the `case` in messages.sh, which give the translations of the texts of a script,
// `name` as of scripts/tools/translations --script-texts.
std::string translations_for_shell(std::string_view name, const ScriptLanguage& language);

}  // namespace goldsmith::handlers::documents
