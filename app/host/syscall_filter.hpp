// The system calls that a sandboxed program may make (seccomp(2)): syscall_lists.hpp has them. Only
// these two know libseccomp.
#pragma once

#include <optional>
#include <string>

#include "app/base/file.hpp"

namespace goldsmith::host {

// What the program is, which says what it may call: each its own list. On a 64-bit host 32-bit
// programs have an interface of their own; x32 is never allowed.
enum class Profile {
  reader,    // goldsmith-unpack
  compiler,  // the official ones are 32-bit programs
  engine,    // a game server with its libraries, a 32-bit program, too; also threads and sockets
  emulator   // the same in a program that runs 32-bit programs: for kernels that do not
};

// A file in memory with the filter's program, as bubblewrap's --seccomp reads it. A call that is
// not on the list ends the program by SIGSYS; a few fail with EPERM where their arguments are not.
// The caller owns the file, which can be read once.
// Throws base::FileError.
base::UniqueFd syscall_filter(Profile profile);

// To find out which call ended a program: calls that are not on the list fail with ENOSYS instead,
// and only those numbered `first` and above end it. Nothing more is allowed. Past
// kRefusableCalls no call does.
inline constexpr int kRefusableCalls = 1024;
base::UniqueFd searching_filter(Profile profile, int first);

// "pause", "pause of the 32-bit interface": the call with that number of searching_filter().
std::string refusable_call(int number);

// "fcntl, futex": those that are allowed with some arguments only.
std::string calls_with_checked_arguments(Profile profile);

}  // namespace goldsmith::host
