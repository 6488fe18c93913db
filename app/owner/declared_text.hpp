// Words and variables of the files that say what is on a server (declared.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/names.hpp"

namespace goldsmith::owner {

inline constexpr std::size_t kLongestDeclared = 2000;  // bytes of a line

inline bool is_small(char c) { return domain::is_lower(c) || domain::is_digit(c); }

// Whether all of it is letters, digits and `others`.
bool is_made_of(std::string_view text, std::string_view others);
bool is_identifier(std::string_view text);

// What is between blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);
// "" if there are not that many; counted from 0.
std::string_view word(const std::vector<std::string_view>& words, std::size_t number);

// What a file sets, in its order: 500 of them, and 200 bytes of each.
class Variables {
 public:
  void set(std::string_view name, std::string_view value);

  // With the values in the place of `$NAME` and `${NAME}`, once, 50 of them.
  std::string expanded(std::string_view text) const;

  const std::vector<std::string>& order() const { return order_; }
  // Precondition: it is set.
  const std::string& value(const std::string& name) const { return values_.find(name)->second; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> order_;
};

}  // namespace goldsmith::owner
