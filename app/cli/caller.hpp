// Who runs this process, and where.
#pragma once

#include <sys/types.h>

#include <string>

namespace goldsmith::cli {

std::string host_name();
// The number, if no account has it.
std::string user_name(uid_t user);
std::string caller_name();
// Who became root with sudo, by what that has left in the environment; "" = nobody.
std::string sudo_caller_name();

}  // namespace goldsmith::cli
