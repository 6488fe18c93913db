// How long programs have waited for a processor, as the kernel counts it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace goldsmith::host {

// Of the process and all its descendants that are running, since each began; those that have ended
// are not in it. std::nullopt if the kernel does not tell, or hides one of them. Never throws.
std::optional<std::chrono::microseconds> waiting_time(pid_t process) noexcept;

// How many processes the kernel has killed on this host for want of memory, those in containers and
// units with a limit among them. std::nullopt if it does not tell. Never throws.
std::optional<std::uint64_t> kills_for_memory() noexcept;

}  // namespace goldsmith::host
