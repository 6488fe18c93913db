// How much of what it may tell an answer tells.
#pragma once

#include <cstddef>

namespace goldsmith::handlers {

// The bytes that a part of an answer may have, whatever it consists of. Authors of plugins,
// catalogs and selections decide how much there is to tell: a bound of the number of items, or of
// each of them, bounds no answer. Whoever leaves something out says so in the answer.
class OutputRoom {
 public:
  explicit OutputRoom(std::size_t bytes) : left_(bytes) {}

  // Whether there is room for `bytes`, which are then taken. What has none leaves it to others.
  bool take(std::size_t bytes) {
    if (bytes > left_) {
      are_all_ = false;
      return false;
    }
    left_ -= bytes;
    return true;
  }
  // The same, but there is no room for anything behind what has none: what is told is a beginning.
  bool take_in_order(std::size_t bytes) {
    if (take(bytes)) return true;
    left_ = 0;
    return false;
  }
  // False once something had no room.
  bool are_all() const { return are_all_; }

 private:
  std::size_t left_;
  bool are_all_ = true;
};

}  // namespace goldsmith::handlers
