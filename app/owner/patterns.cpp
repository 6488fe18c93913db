#include "app/owner/patterns.hpp"

#include <algorithm>

namespace goldsmith::owner {
namespace {

bool has(const regex_t& pattern, const std::string& line) {
  return ::regexec(&pattern, line.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace

// A compiled pattern grows with what it has met.
void Patterns::compile() {
  constexpr std::size_t kMostMet = 32U << 20;
  release();
  left_ = kMostMet;
  std::string all;
  const auto add = [&](const std::string& text) {
    ::regcomp(&compiled_.emplace_back(), text.c_str(), REG_EXTENDED | REG_NOSUB);
  };
  for (const Pattern& each : patterns_) {
    all.append(all.empty() ? "(" : "|(").append(each.text).append(")");
  }
  add(all);
  for (const Pattern& each : patterns_) add(std::string(each.text));
}

void Patterns::release() {
  for (regex_t& each : compiled_) ::regfree(&each);
  compiled_.clear();
}

std::optional<std::size_t> Patterns::first_in(const std::string& line) {
  if (left_ < line.size() || compiled_.empty()) compile();
  left_ -= line.size();
  if (!has(compiled_.front(), line)) return std::nullopt;
  const auto found = std::find_if(compiled_.begin() + 1, compiled_.end(),
                                  [&](const regex_t& each) { return has(each, line); });
  return found == compiled_.end()
             ? std::nullopt
             : std::optional(
                   patterns_[static_cast<std::size_t>(found - compiled_.begin() - 1)].number);
}

}  // namespace goldsmith::owner
