#include "app/pawn/numbers.hpp"

#include <array>
#include <limits>

#include "app/base/text.hpp"

namespace goldsmith::pawn {
namespace {

using Number = std::optional<std::int32_t>;

constexpr int kDeepest = 50;

Number literal(std::string_view digits) {
  int base = 10;
  if (digits.starts_with("0x")) base = 16;
  if (digits.starts_with("0b")) base = 2;
  if (base != 10) digits.remove_prefix(2);
  const auto number = base::parse_number<std::uint32_t>(digits, base);
  return number ? Number(static_cast<std::int32_t>(*number)) : std::nullopt;
}

class Expression {
 public:
  Expression(TokenSpan tokens, const NumberOf& number_of)
      : tokens_(tokens), number_of_(number_of) {}

  Number read() {
    const Number number = operations(0);
    return at_ == tokens_.size() ? number : std::nullopt;
  }

 private:
  // From those that bind least on.
  static constexpr std::array<std::array<std::string_view, 2>, 6> kOperations{
      {{"|", "|"}, {"^", "^"}, {"&", "&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/"}}};

  bool is(std::string_view symbol) const { return at_ < tokens_.size() && tokens_[at_].is(symbol); }

  Number operations(std::size_t level) {
    if (level == kOperations.size()) return operand();
    Number left = operations(level + 1);
    while (left && (is(kOperations[level][0]) || is(kOperations[level][1]))) {
      const std::string_view operation = tokens_[at_++].value;
      const Number right = operations(level + 1);
      left = right ? applied(operation, *left, *right) : std::nullopt;
    }
    return left;
  }

  Number operand() {
    while (at_ + 1 < tokens_.size() && tokens_[at_ + 1].is(":")) at_ += 2;  // tags
    if (at_ >= tokens_.size() || ++depth_ > kDeepest) return std::nullopt;
    const Token& token = tokens_[at_++];
    Number number;
    if (token.kind == Token::Kind::number) {
      number = literal(token.value);
    } else if (token.kind == Token::Kind::word) {
      const std::size_t from = at_ - 1;
      while ((is("(") || is("[")) && tokens_[at_].link > 0) at_ = behind(tokens_, at_);
      if (at_ > tokens_.size()) return std::nullopt;
      number = number_of_(tokens_.subspan(from, at_ - from));
    } else if (token.is("(")) {
      number = operations(0);
      if (!is(")")) return std::nullopt;
      ++at_;
    } else if (token.is("-") || token.is("~")) {
      number = operand();
      if (number) number = applied(token.is("-") ? "-" : "^", token.is("-") ? 0 : -1, *number);
    }
    --depth_;
    return number;
  }

  const TokenSpan tokens_;
  const NumberOf& number_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Number applied(std::string_view operation, std::int32_t left, std::int32_t right) {
  const auto one = static_cast<std::uint32_t>(left);
  const auto other = static_cast<std::uint32_t>(right);
  const auto cell = [](std::uint32_t bits) { return static_cast<std::int32_t>(bits); };
  if (operation == "|") return cell(one | other);
  if (operation == "^") return cell(one ^ other);
  if (operation == "&") return cell(one & other);
  if (operation == "+") return cell(one + other);
  if (operation == "-") return cell(one - other);
  if (operation == "*") return cell(one * other);
  if (operation == "/") {
    const bool overflows = left == std::numeric_limits<std::int32_t>::min() && right == -1;
    return right == 0 || overflows ? std::nullopt : Number(left / right);
  }
  if (other >= 32) return std::nullopt;
  return operation == "<<" ? cell(one << other) : left >> right;
}

Number number_in(TokenSpan expression, const NumberOf& number_of) {
  return Expression(expression, number_of).read();
}

std::int32_t access_of(std::string_view letters) {
  std::uint32_t access = 0;
  for (const char letter : letters) {
    if (letter >= 'a' && letter <= 'z') access |= 1U << (letter - 'a');
  }
  return static_cast<std::int32_t>(access);
}

std::optional<std::string> access_letters(std::int32_t access) {
  std::string letters;
  if (access < 0) return letters;
  for (char letter = 'a'; letter <= 'z'; ++letter, access >>= 1) {
    if ((access & 1) != 0) letters += letter;
  }
  return access == 0 ? std::optional(letters) : std::nullopt;
}

}  // namespace goldsmith::pawn
