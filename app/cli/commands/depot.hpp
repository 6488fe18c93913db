// The verbs of `goldsmith depot` that have a file of their own.
#pragma once

#include "app/cli/command.hpp"

namespace goldsmith::cli {

Verb fill_verb();     // depot_fill.cpp
Verb collect_verb();  // depot_fill.cpp

}  // namespace goldsmith::cli
