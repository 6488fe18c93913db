// Which names are likely those of what nobody else should read.
#pragma once

#include <string_view>

namespace goldsmith::domain {

// True for the name of a password, a key, a token or the like, as of a cvar or a constant: by its
// words, in any letter case. Words are what `_`, other punctuation, digits and a change from lower
// to upper case part: px_db_pass, RCON_PASSWORD, g_szApiKey. Its value is not shown (decision P22).
bool names_secret(std::string_view name);
// Whether `value` may be what nobody should read of something with that name: neither empty, a
// number of at most three digits, a word such as "off", nor a name such as "_pw".
bool is_secret(std::string_view name, std::string_view value);

}  // namespace goldsmith::domain
