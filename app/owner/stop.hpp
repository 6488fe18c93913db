// Why a verb ends before its end: thrown where it is found, told once, with what it means.
#pragma once

#include <utility>

#include "app/base/message.hpp"

namespace goldsmith::owner {

struct Stop {
  static constexpr int kFailed = 1;
  static constexpr int kRefused = 3;

  int status = kFailed;  // of the program
  base::Message message;
};

[[noreturn]] inline void fail(base::Message message) {
  throw Stop{Stop::kFailed, std::move(message)};
}
[[noreturn]] inline void refuse(base::Message message) {
  throw Stop{Stop::kRefused, std::move(message)};
}

}  // namespace goldsmith::owner
