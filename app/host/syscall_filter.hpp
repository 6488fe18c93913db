// The system calls that a sandboxed program may make (seccomp(2)). Only syscall_filter.cpp knows
// libseccomp.
#pragma once

#include <optional>
#include <string>

#include "app/base/file.hpp"

namespace goldsmith::host {

// Which interfaces of the kernel the program may use. On a 64-bit host 32-bit programs have their
// own; x32 is never allowed.
enum class Abi { native, native_and_32_bit };

// A file in memory with the filter's program, as bubblewrap's --seccomp reads it. A call that is
// not on the list ends the program by SIGSYS. The caller owns the file, which can be read once.
// Throws base::FileError.
base::UniqueFd syscall_filter(Abi abi);

// To find out which call ended a program: calls that are not on the list fail with ENOSYS instead,
// and only those numbered `first` and above end it. Nothing more is allowed. Past
// kRefusableCalls no call does.
inline constexpr int kRefusableCalls = 1024;
base::UniqueFd searching_filter(Abi abi, int first);

// "pause", "pause of the 32-bit interface": the call with that number of searching_filter().
std::string refusable_call(int number);

// "fcntl, futex": those that are allowed with some arguments only.
std::string calls_with_checked_arguments();

}  // namespace goldsmith::host
