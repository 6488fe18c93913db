// Verbs of `goldsmith component` that have a file of their own.
#pragma once

#include "app/cli/command.hpp"

namespace goldsmith::cli {

Verb mirror_verb();
Verb prune_verb();
Verb unmirror_verb();

}  // namespace goldsmith::cli
