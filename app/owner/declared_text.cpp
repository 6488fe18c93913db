#include "app/owner/declared_text.hpp"

#include <algorithm>

namespace goldsmith::owner {
namespace {

constexpr std::size_t kMostVariables = 500;
constexpr std::size_t kLongestValue = 200;
constexpr std::size_t kMostExpansions = 50;

struct Reference {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view name;  // "" if there is none
};

Reference next_reference(std::string_view text) {
  for (std::size_t at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    const bool braces = text.substr(at + 1).starts_with('{');
    const std::size_t begin = at + (braces ? 2 : 1);
    std::size_t end = begin;
    while (end < text.size() && (domain::is_alphanumeric(text[end]) || text[end] == '_')) ++end;
    const std::string_view name = text.substr(begin, end - begin);
    if (!is_identifier(name)) continue;
    if (!braces) return {at, end, name};
    if (text.substr(end).starts_with('}')) return {at, end + 1, name};
  }
  return {};
}

}  // namespace

bool is_made_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return domain::is_alphanumeric(c) || others.find(c) != others.npos;
  });
}

bool is_identifier(std::string_view text) {
  return !text.empty() && !domain::is_digit(text.front()) && is_made_of(text, "_");
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    if (line.empty()) return words;
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::string_view word(const std::vector<std::string_view>& words, std::size_t number) {
  return number < words.size() ? words[number] : std::string_view();
}

void Variables::set(std::string_view name, std::string_view value) {
  const auto found = values_.find(name);
  const std::string cut(value.substr(0, kLongestValue));
  if (found != values_.end()) {
    found->second = cut;
  } else if (order_.size() < kMostVariables) {
    values_.emplace(name, cut);
    order_.emplace_back(name);
  }
}

std::string Variables::expanded(std::string_view text) const {
  std::string result;
  for (std::size_t left = kMostExpansions; left > 0; --left) {
    const auto [begin, end, name] = next_reference(text);
    if (name.empty()) break;
    const auto value = values_.find(name);
    result.append(text.substr(0, begin));
    result.append(value != values_.end() ? std::string_view(value->second)
                                         : text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return result.append(text).substr(0, kLongestDeclared);
}

}  // namespace goldsmith::owner
