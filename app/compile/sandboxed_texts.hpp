// What reads the texts of strangers for commands, in the sandbox (decision O19).
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "app/host/sandboxed_reader.hpp"
#include "app/pawn/text_reader.hpp"

namespace goldsmith::compile {

// Asks a process of goldsmith-unpack, which starts with the first question and ends with the last
// copy of the reader. What is asked throws as host::Conversation::ask().
pawn::TextReader text_reader();

// What reads texts for a process: commands have text_reader(), since root may be running them.
// Without one the process reads them itself, as workers do, which have no rights.
using Texts = std::optional<pawn::TextReader>;

// What `ask` has a reader answer about `what`. Throws host::Unreadable, which names that, where it
// can't be read; host::ReaderUnavailable passes.
template <std::invocable Ask>
auto read_named(const std::string& what, Ask ask) {
  const auto unreadable = [&](const std::exception& cause) {
    return host::Unreadable(what + " can't be read: " + cause.what());
  };
  try {
    return std::invoke(ask);
  } catch (const host::Unreadable& cause) {
    throw unreadable(cause);
  } catch (const pawn::InvalidAnswer& cause) {
    throw unreadable(cause);
  }
}

}  // namespace goldsmith::compile
