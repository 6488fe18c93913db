// What the console of a server says that it runs, as if its folder had been read (decision S32): of
// what it names in a version that is known, the main files are those of that version.
#pragma once

#include <string_view>

#include "app/owner/folder_facts.hpp"
#include "app/owner/known_files.hpp"

namespace goldsmith::owner {

// `output`: any bytes, with what `version`, `game version`, `meta list`, `amxx modules` and
// `amxx plugins` print, in any order and with anything in between. Of each list the first counts.
FolderFacts facts_of_console(const KnownFiles& known, std::string_view output);

}  // namespace goldsmith::owner
