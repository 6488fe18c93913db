// Sources as web pages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace goldsmith::handlers::pages {

// Text as the items of an ordered list in HTML, each with its number and a link to it.

// A page shows no more lines: many short ones would make it dozens of times as long as their text.
inline constexpr std::size_t kLinesShown = 10'000;

struct NumberedLines {
  std::string html;
  bool are_all = true;  // false: the lines after kLinesShown were left out
};
NumberedLines numbered_lines(std::string_view text);

// The lines of both texts: those of `before` alone have the class "removed", those of `after` alone
// the class "added". Ends of lines are not compared. If more than about a thousand lines differ,
// all lines between the first and the last difference count as changed.
NumberedLines compared_lines(std::string_view before, std::string_view after);

}  // namespace goldsmith::handlers::pages
