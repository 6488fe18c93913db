// What the build generates from the tables of commands.
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::cli {

// Two associative arrays of bash, keyed by what stands on the line ("goldsmith plugin"):
// _goldsmith_commands holds the nouns or verbs that may follow, _goldsmith_options the options.
// scripts/deb/completion.bash reads them.
std::string completion_words();

// `page` with the line @OPTIONS@ replaced by the options of all commands, and the line @COMMANDS@
// by every noun with its verbs and their options, in man(7) macros. Throws std::runtime_error if
// `page` lacks one of the two lines.
std::string fill_man_page(std::string page);

// `text` with what troff would interpret escaped. Hyphens of plain words stay hyphens; those of
// options, paths and versions become minus signs, which can be copied.
std::string escape_roff(std::string_view text);

}  // namespace goldsmith::cli
