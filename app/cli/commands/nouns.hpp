// One declaration a noun, and verbs, or their steps, that have a file of their own.
#pragma once

#include <string>
#include <vector>

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

Verb collect_verb();       // depot_fill.cpp
Verb fill_verb();          // depot_fill.cpp
Verb plugin_check_verb();  // plugin_check.cpp
Verb plugin_scan_verb();   // plugin_scan.cpp
Verb plugin_show_verb();   // plugin_show.cpp

// What `plugin import` and `addon import` do. They print what changed.
void import_plugins(const std::vector<std::string>& paths, Context& context);
void import_packs(const std::vector<std::string>& files, Context& context);

}  // namespace goldsmith::cli
