// `goldsmith plugin check`. (plugin_check.cpp)
#pragma once

#include "app/cli/command.hpp"

namespace goldsmith::cli {

Verb plugin_check_verb();

}  // namespace goldsmith::cli
