// The texts of --help, made from the tables.
#pragma once

#include <span>
#include <string>

#include "app/cli/command.hpp"

namespace goldsmith::cli {

std::string help();
std::string help(const Noun& noun);
std::string help(const Noun& noun, const Verb& verb);

// The options of every command: --config, --NAME=VALUE, --help and --version.
std::span<const Option> global_options();

// "goldsmith plugin import PATH…"
std::string usage(const Noun& noun, const Verb& verb);

}  // namespace goldsmith::cli
