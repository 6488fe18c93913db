#include "app/pawn/functions.hpp"

#include <algorithm>

namespace goldsmith::pawn {
namespace {

// What `const Float:NAME[] = …` declares.
Function::Parameter declared_in(TokenSpan parameter) {
  Function::Parameter declared;
  for (const Token& token : parameter) {
    if (token.is("[") || token.is("=")) break;
    if (token.kind != Token::Kind::word) continue;
    declared.is_const = declared.is_const || token.value == "const";
    declared.name = token.value;
  }
  return declared;
}

}  // namespace

std::optional<std::size_t> Function::place_of(TokenSpan expression) const {
  if (expression.size() != 1 || expression[0].kind != Token::Kind::word) return std::nullopt;
  const auto found = std::find_if(
      parameters.begin(), parameters.end(),
      [&](const Parameter& parameter) { return parameter.name == expression[0].value; });
  if (found == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameters.begin());
}

std::vector<Function> functions_in(TokenSpan tokens) {
  std::vector<Function> functions;
  std::size_t unclosed = 0;
  int depth = 0;
  std::optional<std::size_t> body;  // where that of the last function begins
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("{")) ++depth;
    if (tokens[i].is("}") && depth > 0 && --depth == 0 && body) {
      functions.back().body = tokens.subspan(*body, i - *body);
      body.reset();
    }
    const bool is_call =
        depth == 0 && i > 0 && tokens[i].is("(") && tokens[i - 1].kind == Token::Kind::word;
    if (!is_call) continue;
    const CallArguments parameters = arguments_at(tokens, i);
    if (parameters.empty() && ++unclosed > kMostUnclosed) break;
    if (parameters.empty()) continue;
    const TokenSpan& last = parameters.back();
    const std::size_t close = static_cast<std::size_t>(last.data() + last.size() - tokens.data());
    if (close + 1 >= tokens.size() || !tokens[close + 1].is("{")) continue;
    functions.push_back({tokens[i - 1].value, {}, {}});
    for (const TokenSpan parameter : parameters) {
      functions.back().parameters.push_back(declared_in(parameter));
    }
    body = close + 1;
    i = close;
  }
  return functions;
}

}  // namespace goldsmith::pawn
