#include "app/owner/declared_text.hpp"

#include <algorithm>

namespace goldsmith::owner {
namespace {

constexpr std::size_t kMostVariables = 500;
constexpr std::size_t kLongestValue = 200;
constexpr std::size_t kMostExpansions = 50;

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
  std::size_t left = kMostExpansions;
  while (true) {
    const std::size_t dollar = left == 0 ? text.npos : text.find('$');
    result.append(text.substr(0, dollar));
    if (dollar == text.npos) return result.substr(0, kLongestDeclared);
    text.remove_prefix(dollar);
    const bool braces = text.starts_with("${");
    const std::size_t begin = braces ? 2 : 1;
    std::size_t end = begin;
    while (end < text.size() && (domain::is_alphanumeric(text[end]) || text[end] == '_')) ++end;
    const std::string_view name = text.substr(begin, end - begin);
    const auto value = values_.find(name);
    const bool is_set = value != values_.end() && (!braces || text.substr(end).starts_with('}'));
    result.append(is_set ? std::string_view(value->second) : text.substr(0, 1));
    text.remove_prefix(is_set ? end + (braces ? 1 : 0) : 1);
    if (is_set) --left;
  }
}

}  // namespace goldsmith::owner
