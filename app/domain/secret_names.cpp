#include "app/domain/secret_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "app/domain/names.hpp"

namespace goldsmith::domain {

namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// In lower case.
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> words(1);
  char before = '\0';
  for (const char c : name) {
    if (is_capital(c) && is_lower(before)) words.emplace_back();
    if (is_capital(c)) {
      words.back() += static_cast<char>(c - 'A' + 'a');
    } else if (is_lower(c)) {
      words.back() += c;
    } else {
      words.emplace_back();
    }
    before = c;
  }
  return words;
}

bool is_secret_word(std::string_view word) {
  constexpr std::array<std::string_view, 12> kSecretWords{
      "pass", "pasw",       "pwd",         "pw",      "key",   "apikey",
      "salt", "credential", "credentials", "webhook", "sqlpw", "dbpw"};
  constexpr std::array<std::string_view, 6> kSecretParts{"passw",  "passphrase", "parol",
                                                         "secret", "token",      "webhook"};
  constexpr std::array<std::string_view, 5> kSecretEnds{"dbpass", "sqlpass", "userpass", "appkey",
                                                        "apikey"};
  return std::find(kSecretWords.begin(), kSecretWords.end(), word) != kSecretWords.end() ||
         std::any_of(kSecretParts.begin(), kSecretParts.end(),
                     [&](auto part) { return word.find(part) != word.npos; }) ||
         std::any_of(kSecretEnds.begin(), kSecretEnds.end(),
                     [&](auto end) { return word.ends_with(end); });
}

}  // namespace

bool names_secret(std::string_view name) {
  const std::vector<std::string> words = words_in(name);
  return std::any_of(words.begin(), words.end(), is_secret_word);
}

bool is_secret(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 8> kNone{"on",   "off",  "yes",  "no",
                                                  "none", "null", "true", "false"};
  constexpr std::size_t kFewDigits = 3;
  const std::size_t digits =
      value.size() - static_cast<std::size_t>(std::ranges::count(value, '.'));
  const bool is_short_number =
      digits <= kFewDigits && value.find_first_not_of("0123456789.") == value.npos;
  const bool is_name = value.starts_with('_') &&
                       std::ranges::all_of(value, [](char c) { return c == '_' || is_lower(c); });
  return names_secret(name) && !is_short_number && !is_name &&
         std::find(kNone.begin(), kNone.end(), value) == kNone.end();
}

}  // namespace goldsmith::domain
