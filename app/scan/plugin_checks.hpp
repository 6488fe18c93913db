// What stands against publishing a plugin: files in places of others, what may be private, and
// texts that players can't read.
#pragma once

#include <string>
#include <vector>

#include "app/domain/natives.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/text_reader.hpp"
#include "db/database.hpp"

namespace goldsmith::scan {

// Files of plugins in places that are somebody else's (decision P23).

// Of the database. Throws db::Error.
domain::FileOwners file_owners(db::Database& database);

// For people: `cstrike/addons/amxmodx/configs/users.ini is a file of AMX Mod X 1.10 (amxmodx)`, of
// each file that may not be a plugin's.
std::vector<std::string> foreign_files(domain::PluginVersion version,
                                       const domain::FileOwners& owners);

// Of all versions, each once.
std::vector<std::string> foreign_files(const domain::Plugin& plugin,
                                       const domain::FileOwners& owners);

// Whose place the version's binary takes, which may be a plugin's, and what comes of it; "" if its
// place is nobody's.
std::string foreign_binary(const domain::PluginVersion& version, const domain::FileOwners& owners);

// Passwords, keys and addresses in what a plugin would publish (decision P22).

// What was found in one file, for people: `FILE, line 12: px_db_pass is "sE…"`. Precondition: the
// file has its content. What `texts` throws passes.
std::vector<std::string> secrets_of(const domain::PluginFile& file, const pawn::TextReader& texts);
// In all files of a version.
std::vector<std::string> secrets_of(const domain::PluginVersion& version,
                                    const pawn::TextReader& texts);
// Of all secrets in them, wherever these stand.
std::string secrets_sha256(const domain::PluginVersion& version, const pawn::TextReader& texts);

// What beside the source has texts for players in another encoding than the game shows (decision
// P31), for people: includes and dictionaries. Precondition: the files have their contents, and are
// described. What `texts` throws passes.
std::vector<std::string> foreign_texts(const domain::PluginVersion& version,
                                       const pawn::TextReader& texts);

}  // namespace goldsmith::scan
