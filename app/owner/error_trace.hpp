// What AMX Mod X writes behind the line that tells what a plugin did wrong: which plugin it was, in
// which function of a module, and in debug mode where in its source. No exceptions, bounded memory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/base/message.hpp"

namespace goldsmith::owner {

// What is between the two in a line; "" if it is not there, or is no word of ASCII.
std::string_view word_between(std::string_view line, std::string_view before,
                              std::string_view behind);

class ErrorTrace {
 public:
  // Whether the line is of such a trace.
  static bool is_of(std::string_view line);

  // Whether the line begins the trace of another error.
  bool ends_before(std::string_view line) const;
  // The next line.
  void add(std::string_view line);
  // std::nullopt if the lines say too little.
  std::optional<base::Message> told() const;

 private:
  std::string plugin_;
  std::string native_;
  std::string place_;
};

}  // namespace goldsmith::owner
