// Which system calls each profile of a sandbox may make, and with which arguments.
#pragma once

#include <seccomp.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "app/host/syscall_filter.hpp"

namespace goldsmith::host {

enum class Where { everywhere, native, x86 };
inline constexpr std::uint32_t kAbsent =
    SCMP_ACT_ERRNO(ENOSYS);  // as on a kernel that does not have it

// What all arguments that matter must be like; at most one condition for each.
struct Conditions {
  constexpr Conditions() = default;
  template <typename... Each>
  constexpr Conditions(scmp_arg_cmp first, Each... more)  // NOLINT: as one of them is written
      : all{first, more...}, count(1 + sizeof...(more)) {}

  std::array<scmp_arg_cmp, 3> all{};
  unsigned count = 0;
};

struct Call {
  int number;
  Where where = Where::everywhere;
  Conditions arguments = {};  // only if they are so; several rows: one of them
  std::uint32_t answer = SCMP_ACT_ALLOW;
};

// A call without a row ends the program.
std::vector<Call> allowed_calls(Profile profile);

// Of these calls others than with these arguments fail with EPERM instead of ending the program:
// there are too many that a program may try and do without. Each is in allowed_calls(), too.
std::vector<Call> limited_calls(Profile profile);

}  // namespace goldsmith::host
