// One declaration a noun; each is defined in its own file.
#pragma once

#include "app/cli/command.hpp"

namespace goldsmith::cli {

Noun addon_noun();
Noun build_noun();
Noun cache_noun();
Noun component_noun();
Noun config_noun();
Noun db_noun();
Noun depot_noun();
Noun doctor_noun();
Noun drain_noun();
Noun key_noun();
Noun log_noun();
Noun overlay_noun();
Noun plugin_noun();
Noun setting_noun();
Noun toolchain_noun();
Noun undrain_noun();

}  // namespace goldsmith::cli
