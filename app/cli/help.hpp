// The texts of --help, made from the tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/cli/command.hpp"

namespace goldsmith::cli {

std::string help();
std::string help(const Noun& noun);
std::string help(const Noun& noun, const Verb& verb);

// The options of every command: --config, --NAME=VALUE, --help and --version.
std::span<const Option> global_options();

// "goldsmith plugin import PATH…"
std::string usage(const Noun& noun, const Verb& verb);

// What the build generates from the tables of commands.

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
