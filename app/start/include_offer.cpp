#include "app/start/include_offer.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/base/text.hpp"
#include "app/pawn/lexer.hpp"

namespace goldsmith::start {

namespace {

using pawn::Token;
using pawn::TokenSpan;

// The natives that call a function of the plugin: a number, the function's name, and what may be
// left out, such as RegisterHookChain(any:function_id, const callback[], post = 0).
bool is_hook(const pawn::CallArguments& parameters) {
  const auto has = [](TokenSpan parameter, std::string_view symbol) {
    return std::any_of(parameter.begin(), parameter.end(),
                       [&](const Token& token) { return token.is(symbol); });
  };
  if (parameters.size() < 2) return false;
  const TokenSpan number = parameters[0];
  const TokenSpan function = parameters[1];
  if (has(number, "[") || has(number, "&") || has(number, "...") || has(number, "=")) return false;
  if (function.empty() || !function.front().is_word("const") || !has(function, "[")) return false;
  return std::all_of(parameters.begin() + 2, parameters.end(),
                     [&](TokenSpan parameter) { return has(parameter, "="); });
}

}  // namespace

bool is_of(const Hook& hook, const Enumeration& enumeration) {
  constexpr std::size_t kStem = 4;
  const std::string stem = base::to_lower_ascii(hook.number).substr(0, kStem);
  return stem.size() == kStem &&
         base::to_lower_ascii(enumeration.name).find(stem) != std::string::npos;
}

void read_offer(const std::string& include, Offer& offer) {
  const pawn::PawnSource source = pawn::read_pawn(include);
  const TokenSpan tokens = source.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_native = tokens[i].is_word("native");
    if (!is_native && !tokens[i].is_word("enum")) continue;
    const std::string_view opening = is_native ? "(" : "{";
    std::size_t open = i + 1;
    while (open < tokens.size() && !tokens[open].is(opening) && !tokens[open].is(";")) ++open;
    if (open + 1 >= tokens.size() || !tokens[open].is(opening)) continue;
    if (!is_native) {
      const bool is_named = tokens[i + 1].kind == Token::Kind::word;
      if (is_named) offer.enumerations.push_back({tokens[i + 1].value, tokens[open + 1].value});
      continue;
    }
    const pawn::CallArguments parameters = pawn::arguments_at(tokens, open);
    if (is_hook(parameters) && !parameters[0].empty()) {
      offer.hooks.push_back({tokens[open - 1].value, parameters[0].back().value});
    }
  }
}

}  // namespace goldsmith::start
