// Includes of components that a reader in the sandbox reads for starts (decision O19).
#pragma once

#include <concepts>
#include <exception>
#include <functional>

#include <fmt/core.h>

#include "app/compile/compile_inputs.hpp"
#include "app/domain/component.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/pawn/text_reader.hpp"
#include "app/start/server_start.hpp"

namespace goldsmith::start {

// What `ask` has a pawn::TextReader answer about the include. Throws NotTried where that can't be
// read, and Unavailable where its reader does not come to work.
template <std::invocable Ask>
auto read_include(const compile::OfferedInclude& include, Ask ask) {
  const auto not_tried = [&](const std::exception& cause) {
    return NotTried(fmt::format("{} of {} {} can't be read: {}",
                                include.path.substr(domain::kIncludeFolder.size()),
                                include.component.view(), include.version.view(), cause.what()));
  };
  try {
    return std::invoke(ask);
  } catch (const host::Unreadable& cause) {
    throw not_tried(cause);
  } catch (const pawn::InvalidAnswer& cause) {
    throw not_tried(cause);
  } catch (const host::ReaderUnavailable& cause) {
    throw Unavailable(cause.what());
  }
}

}  // namespace goldsmith::start
