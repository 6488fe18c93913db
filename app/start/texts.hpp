// Texts of plugins and components that are read for starts, in the sandbox (decision O19).
#pragma once

#include <concepts>
#include <functional>

#include "app/host/sandboxed_reader.hpp"
#include "app/start/server_start.hpp"

namespace goldsmith::start {

// What `work` returns. Throws NotTried where a text that it needs can't be read, and Unavailable
// where what reads it does not come to work.
template <std::invocable Work>
auto reading_texts(const Work& work) {
  try {
    return std::invoke(work);
  } catch (const host::Unreadable& cause) {
    throw NotTried(cause.what());
  } catch (const host::ReaderUnavailable& cause) {
    throw Unavailable(cause.what());
  }
}

}  // namespace goldsmith::start
