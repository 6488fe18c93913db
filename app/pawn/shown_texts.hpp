// Which texts of a source players get to read. What is read may be hostile.
#pragma once

#include "app/pawn/source.hpp"

namespace goldsmith::pawn {

// Whether a source has bytes above ASCII in texts that may reach players. What it registers of
// itself does not, nor do names of files, and what goes to the console of the server or to logs
// alone. A text with a name, of a `#define` or an array outside of functions, counts where its name
// is used. Macros with parameters are not read.
bool shows_foreign_text(const Source& source);

}  // namespace goldsmith::pawn
