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

// What the differences of all texts of a page may take together.
struct DifferenceRoom {
  std::size_t lines = 2'000;
  std::size_t pairs = 2'000'000;  // of lines that are compared: some milliseconds
};
// compared_lines() as a unified diff: without numbers, and without the lines that are more than
// three away from a change; a line "@@ -BEFORE +AFTER @@" with the class "gap", which has the
// numbers of the next line in both texts, precedes each run. No lines if only ends of lines differ.
// `are_all` is false if `room`, from which it takes, has too few lines.
NumberedLines unified_lines(std::string_view before, std::string_view after, DifferenceRoom& room);

}  // namespace goldsmith::handlers::pages
