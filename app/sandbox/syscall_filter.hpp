// System calls that no sandboxed program needs; the kernel refuses them (seccomp(2)). Only
// syscall_filter.cpp knows libseccomp.
#pragma once

#include "app/sys/file.hpp"

namespace goldsmith::sandbox {

// A file in memory with the filter's program, as bubblewrap's --seccomp reads it: EPERM for calls
// that create processes, open sockets, mount, trace or access the kernel. It also applies to 32-bit
// programs on 64-bit hosts. The caller owns the file, which can be read once. Throws
// sys::FileError.
sys::UniqueFd syscall_filter();

}  // namespace goldsmith::sandbox
