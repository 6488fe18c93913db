#include "app/pawn/diagnostics.hpp"

#include <algorithm>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::pawn {
namespace {

using domain::is_digit;

// Characters of a path: after one of them, a prefix is the middle of another path.
bool is_path_character(char c) {
  return domain::is_alphanumeric(c) || c == '/' || c == '.' || c == '_' || c == '-';
}

bool is_code_at(std::string_view text, std::size_t at) {
  return text.size() >= at + 4 && is_digit(text[at]) && is_digit(text[at + 1]) &&
         is_digit(text[at + 2]) && text[at + 3] == ':';
}

std::string with_shown_paths(std::string_view text, const std::vector<ShownPath>& paths) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool inside = at > 0 && is_path_character(text[at - 1]);
    const auto found = std::find_if(paths.begin(), paths.end(), [&](const ShownPath& path) {
      return !inside && path.prefix.starts_with(text[at]) &&
             text.substr(at).starts_with(path.prefix);
    });
    if (found == paths.end()) {
      result += text[at++];
    } else {
      result += found->shown;
      at += found->prefix.size();
    }
  }
  return result;
}

}  // namespace

bool has_error(std::string_view text, std::string_view message) {
  constexpr std::string_view kError = "error ";
  constexpr std::string_view kNumber = "NNN: ";
  for (std::size_t at = text.find(kError); at != std::string_view::npos;
       at = text.find(kError, at + 1)) {
    const std::string_view before = text.substr(0, at);
    const bool placed = before.ends_with(") : ") || before.ends_with(") : fatal ");
    if (!placed || !is_code_at(text, at + kError.size())) continue;
    if (message.empty()) return true;
    if (text.substr(at + kError.size()).substr(kNumber.size()).starts_with(message)) return true;
  }
  return false;
}

std::string missing_include(std::string_view text) {
  constexpr std::string_view kSentence = ": cannot read from file: \"";
  const std::size_t at = text.rfind(kSentence);
  if (at == std::string_view::npos || !has_error(text.substr(0, at + 1))) return {};
  const std::string_view rest = text.substr(at + kSentence.size());
  const std::string_view name = rest.substr(0, rest.find('"'));
  return domain::is_relative_path(name) ? std::string(name) : std::string();
}

std::string first_errors(std::string_view text) {
  constexpr std::size_t kMostErrors = 3;
  constexpr std::size_t kLongestLine = 200;
  const std::vector<std::string_view> lines = base::split(text, '\n');
  std::vector<std::string_view> errors;
  for (const std::string_view line : lines) {
    if (errors.size() < kMostErrors && has_error(line)) errors.push_back(line);
  }
  if (errors.empty()) errors.push_back(lines.back());
  std::string found;
  for (const std::string_view error : errors) {
    if (!found.empty()) found += '\n';
    found += base::first_code_points(error, kLongestLine);
  }
  std::replace(found.begin(), found.end(), '\t', ' ');
  return found;
}

std::string readable(std::string_view raw, const std::vector<ShownPath>& paths,
                     std::string_view last_line) {
  // Ignores what is far after the limit: raw text may be megabytes.
  constexpr std::size_t kMaxRaw = 16 * kMaxOutput;
  // Paths come last: what is not printable may be in the middle of one. A source says some of it
  // itself (#error).
  const std::string all = with_shown_paths(base::only_printable(raw.substr(0, kMaxRaw)), paths);
  const std::size_t reserved = last_line.empty() ? 0 : base::count_code_points(last_line) + 1;
  std::string text(base::first_code_points(all, kMaxOutput - std::min(reserved, kMaxOutput)));
  const std::size_t line_end = text.rfind('\n');
  if (text.size() < all.size() && line_end != std::string::npos) text.resize(line_end);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty() && !last_line.empty()) text += '\n';
  return text.append(last_line);
}

}  // namespace goldsmith::pawn
