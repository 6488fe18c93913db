// System calls that no compiler needs, refused by the kernel (seccomp(2)). libseccomp is behind
// this.
#pragma once

#include "app/sys/file.hpp"

namespace goldsmith::compile {

// A file in memory with the filter's program, as bubblewrap's --seccomp reads it: EPERM for
// whatever makes processes, opens sockets, mounts, traces or reaches into the kernel. It holds for
// 32-bit programs on 64-bit hosts as well. The caller's own, read once. Throws sys::FileError.
sys::UniqueFd syscall_filter();

}  // namespace goldsmith::compile
