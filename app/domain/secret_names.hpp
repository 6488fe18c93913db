// Names of what nobody else should read.
#pragma once

#include <string_view>

namespace goldsmith::domain {

// True for the name of a password, a key, a token or the like, as of a cvar or a constant: by its
// words, in any letter case. Words are what `_`, other punctuation, digits and a change from lower
// to upper case part: px_db_pass, RCON_PASSWORD, g_szApiKey. Its value is not shown (decision P22).
bool names_secret(std::string_view name);

}  // namespace goldsmith::domain
