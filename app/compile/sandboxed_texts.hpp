// What reads the texts of strangers for commands, in the sandbox (decision O19).
#pragma once

#include "app/pawn/text_reader.hpp"

namespace goldsmith::compile {

// Asks a process of goldsmith-unpack, which starts with the first question and ends with the last
// copy of the reader. What is asked throws as host::Conversation::ask().
pawn::TextReader text_reader();

}  // namespace goldsmith::compile
