#include "app/domain/license.hpp"

#include <algorithm>

namespace goldsmith::domain {
namespace {

constexpr std::size_t kMaxDepth = 16;  // of parentheses
constexpr std::string_view kReference = "LicenseRef-";
constexpr std::string_view kIdCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.";

bool contains(std::span<const std::string_view> ids, std::string_view id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

[[noreturn]] void fail(const std::string& why) { throw InvalidLicense(why, ""); }

bool is_license_reference(std::string_view id) {
  return id.size() > kReference.size() && id.starts_with(kReference) &&
         id.find_first_not_of(kIdCharacters) == std::string_view::npos;
}

bool is_operator(std::string_view word) {
  return word == "AND" || word == "OR" || word == "WITH" || word == "(" || word == ")";
}

LicenseTerm parse_term(std::string_view word) {
  LicenseTerm term;
  term.id = word;
  if (contains(license_ids(), word) || is_deprecated_license(word) || is_license_reference(word)) {
    return term;
  }
  if (word.ends_with('+')) {
    word.remove_suffix(1);
    if (contains(license_ids(), word) || is_deprecated_license(word)) {
      term.id = word;
      term.or_later = true;
      return term;
    }
  }
  throw InvalidLicense(quoted(word) + " is not an identifier of SPDX's list of licenses",
                       std::string(word));
}

// OR binds less than AND, AND less than WITH; what they mean together does not matter here.
class LicenseParser {
 public:
  explicit LicenseParser(std::string_view text) : rest_(text) { next(); }

  LicenseExpression run() {
    parse_operands(0);
    if (!word_.empty()) fail(quoted(word_) + " is behind the end of the expression");
    return std::move(expression_);
  }

 private:
  void parse_operands(std::size_t depth) {
    parse_operand(depth);
    while (word_ == "AND" || word_ == "OR") {
      next();
      parse_operand(depth);
    }
  }

  void parse_operand(std::size_t depth) {
    if (word_ == "(") {
      if (depth == kMaxDepth) fail("its parentheses are nested too deeply");
      next();
      parse_operands(depth + 1);
      if (word_ != ")") fail("a parenthesis is not closed");
      next();
      return;
    }
    if (word_.empty()) fail("an identifier is missing at its end");
    if (is_operator(word_)) fail("an identifier is missing before " + quoted(word_));
    LicenseTerm term = parse_term(word_);
    next();
    if (word_ == "WITH") term.exception = take_exception();
    expression_.terms.push_back(std::move(term));
  }

  std::string take_exception() {
    next();
    if (!contains(license_exception_ids(), word_)) {
      fail(quoted(word_) + " is not an identifier of SPDX's list of license exceptions");
    }
    std::string exception(word_);
    next();
    return exception;
  }

  // The next word, a parenthesis or a run of other characters; "" at the end.
  void next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    std::size_t length = std::min(rest_.find_first_of(" ()"), rest_.size());
    if (length == 0 && !rest_.empty()) length = 1;
    word_ = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }

  std::string_view rest_;
  std::string_view word_;
  LicenseExpression expression_;
};

}  // namespace

LicenseExpression parse_license(std::string_view text) { return LicenseParser(text).run(); }

bool is_deprecated_license(std::string_view id) { return contains(deprecated_license_ids(), id); }

}  // namespace goldsmith::domain
