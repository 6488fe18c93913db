// Lines with numbers, and their differences (source_pages.hpp).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/text.hpp"
#include "handlers/pages/site.hpp"
#include "handlers/pages/source_pages.hpp"

namespace goldsmith::handlers::pages {

namespace {

using Texts = std::span<const std::string_view>;

enum class Kind { same, added, removed };

struct Line {
  std::string_view text;
  Kind kind = Kind::same;
};

// One line more than is shown, if there are as many.
std::vector<std::string_view> split_lines(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<std::string_view> lines;
  while (lines.size() <= kLinesShown) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

void append(std::vector<Line>& lines, Texts texts, Kind kind) {
  for (const std::string_view text : texts) lines.push_back({text, kind});
}

// Takes time and memory for each pair of lines.
void append_difference(std::vector<Line>& lines, Texts before, Texts after) {
  // lengths[i * width + j]: of the longest common subsequence of the lines from i and from j on.
  const std::size_t width = after.size() + 1;
  std::vector<std::uint32_t> lengths((before.size() + 1) * width);
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      const std::size_t at = i * width + j;
      lengths[at] = before[i] == after[j] ? lengths[at + width + 1] + 1
                                          : std::max(lengths[at + width], lengths[at + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() && j < after.size()) {
    const std::size_t at = i * width + j;
    if (before[i] == after[j]) {
      lines.push_back({before[i++], Kind::same});
      ++j;
    } else if (lengths[at + width] >= lengths[at + 1]) {
      lines.push_back({before[i++], Kind::removed});
    } else {
      lines.push_back({after[j++], Kind::added});
    }
  }
  append(lines, before.subspan(i), Kind::removed);
  append(lines, after.subspan(j), Kind::added);
}

// How many lines both begin with.
std::size_t common_start(Texts before, Texts after) {
  const auto end = std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first;
  return static_cast<std::size_t>(end - before.begin());
}

std::size_t common_end(Texts before, Texts after) {
  const auto end =
      std::mismatch(before.rbegin(), before.rend(), after.rbegin(), after.rend()).first;
  return static_cast<std::size_t>(end - before.rbegin());
}

// Takes from `room`, in pairs of lines, what finding the differences takes.
std::vector<Line> compare(Texts before, Texts after, std::size_t& room) {
  constexpr std::size_t kMaxPairs = 1'000'000;  // some milliseconds
  std::vector<Line> lines;
  const std::size_t start = common_start(before, after);
  append(lines, before.first(start), Kind::same);
  before = before.subspan(start);
  after = after.subspan(start);

  const std::size_t end = common_end(before, after);
  const Texts removed = before.first(before.size() - end);
  const Texts added = after.first(after.size() - end);
  const std::size_t pairs = removed.size() * added.size();
  if (pairs <= std::min(kMaxPairs, room)) {
    room -= pairs;
    append_difference(lines, removed, added);
  } else {
    append(lines, removed, Kind::removed);
    append(lines, added, Kind::added);
  }
  append(lines, before.last(end), Kind::same);
  return lines;
}

NumberedLines write(const std::vector<Line>& lines) {
  NumberedLines result;
  const std::string label = tr("Line {number}");
  result.are_all = lines.size() <= kLinesShown;
  std::string& html = result.html;
  for (std::size_t i = 0; i < std::min(lines.size(), kLinesShown); ++i) {
    const auto& [text, kind] = lines[i];
    const std::string number = std::to_string(i + 1);
    html.append("<li id=\"L").append(number).append("\"");
    if (kind != Kind::same) {
      html.append(kind == Kind::added ? " class=\"added\"" : " class=\"removed\"");
    }
    html.append("><a href=\"#L").append(number);
    html.append("\" aria-label=\"");
    append_escaped(html, filled(label, {{"number", number}}));
    html.append("\"></a><code>");
    if (kind != Kind::same) html.append(kind == Kind::added ? "+ " : "− ");
    append_escaped(html, text);
    html.append("</code></li>\n");
  }
  return result;
}

// Which lines are a change, or near one.
std::vector<bool> near_changes(const std::vector<Line>& lines) {
  constexpr std::size_t kContext = 3;
  std::vector<bool> near(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == Kind::same) continue;
    const std::size_t end = std::min(i + kContext + 1, lines.size());
    for (std::size_t at = i - std::min(i, kContext); at < end; ++at) near[at] = true;
  }
  return near;
}

void write_item(std::string_view kind, std::string_view mark, std::string_view text,
                std::string& html) {
  html.append("<li");
  if (!kind.empty()) html.append(" class=\"").append(kind).append("\"");
  html.append("><code>").append(mark);
  append_escaped(html, text);
  html.append("</code></li>\n");
}

}  // namespace

NumberedLines numbered_lines(std::string_view text) {
  std::vector<Line> lines;
  append(lines, split_lines(text), Kind::same);
  return write(lines);
}

NumberedLines compared_lines(std::string_view before, std::string_view after) {
  std::size_t room = DifferenceRoom().pairs;
  return write(compare(split_lines(before), split_lines(after), room));
}

NumberedLines unified_lines(std::string_view before, std::string_view after, DifferenceRoom& room) {
  const std::vector<Line> lines = compare(split_lines(before), split_lines(after), room.pairs);
  const std::vector<bool> near = near_changes(lines);
  NumberedLines result;
  std::size_t number_before = 1;
  std::size_t number_after = 1;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [text, kind] = lines[i];
    if (near[i]) {
      if (room.lines == 0) {
        result.are_all = false;
        break;
      }
      --room.lines;
      if (i == 0 || !near[i - 1]) {
        write_item(
            "gap", "",
            "@@ -" + std::to_string(number_before) + " +" + std::to_string(number_after) + " @@",
            result.html);
      }
      if (kind == Kind::added) write_item("added", "+ ", text, result.html);
      if (kind == Kind::removed) write_item("removed", "− ", text, result.html);
      if (kind == Kind::same) write_item("", "  ", text, result.html);
    }
    if (kind != Kind::added) ++number_before;
    if (kind != Kind::removed) ++number_after;
  }
  return result;
}

}  // namespace goldsmith::handlers::pages
