// The nouns, each in a namespace of its own for names that many of them have, and verbs that have a
// file of their own.
#pragma once

#include <string>
#include <vector>

#include "app/cli/command.hpp"

namespace goldsmith::cli {

Verb collect_verb();        // depot.cpp
Verb fill_verb();           // depot.cpp
Verb plugin_check_verb();   // plugin_check.cpp
Verb plugin_scan_verb();    // plugin_scan.cpp
Verb plugin_follow_verb();  // plugin_follow.cpp, as are the next three
Verb plugin_unfollow_verb();
Verb plugin_mirror_verb();
Verb plugin_inbox_verb();
Verb plugin_show_verb();  // plugin.cpp

}  // namespace goldsmith::cli

namespace goldsmith::cli::commands {

namespace addon {
// What `addon import` does. It prints what changed.
void import_packs(const std::vector<std::string>& files, Context& context);
Noun noun();
}  // namespace addon

namespace backup {
Noun noun();
}  // namespace backup

namespace build {
Noun noun();
}  // namespace build

namespace bundle {
Noun noun();  // bundle_export.cpp
}  // namespace bundle

namespace cache {
Noun noun();
}  // namespace cache

namespace component {
Noun noun();
}  // namespace component

namespace config {
Noun noun();
}  // namespace config

namespace database {
Noun noun();
}  // namespace database

namespace depot {
Noun noun();
}  // namespace depot

namespace doctor {
Noun noun();
}  // namespace doctor

namespace drain {
Noun noun();
Noun undrain_noun();
}  // namespace drain

namespace fleet {
Noun noun();
}  // namespace fleet

namespace key {
Noun noun();
}  // namespace key

namespace log {
Noun noun();
}  // namespace log

namespace overlay {
Noun noun();
}  // namespace overlay

namespace plugin {
// Whether what may be private may be published (decision P22).
enum class Secrets { refused, accepted };
// What `plugin import` does. It prints what changed.
void import_plugins(const std::vector<std::string>& paths, Secrets secrets, Context& context);
Noun noun();
}  // namespace plugin

namespace restore {
Noun noun();
}  // namespace restore

namespace setting {
Noun noun();
}  // namespace setting

namespace toolchain {
Noun noun();
}  // namespace toolchain

}  // namespace goldsmith::cli::commands
