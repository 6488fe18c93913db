#include "app/pawn/include_offer.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/base/text.hpp"
#include "app/domain/plugin.hpp"
#include "app/pawn/lexer.hpp"

namespace goldsmith::pawn {

namespace {

// The natives that call a function of the plugin: a number, the function's name, and what may be
// left out, such as RegisterHookChain(any:function_id, const callback[], post = 0).
bool is_hook(const CallArguments& parameters) {
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

// Where the head of a declaration ends, or there is none.
bool ends_head(const Token& token, std::string_view opening) {
  return token.is(opening) || token.is(";") || token.is_word("native") || token.is_word("enum");
}

bool is_name(const Token& token) {
  return token.kind == Token::Kind::word && domain::is_native_name(token.value);
}

void add_hook(const Token& native, const CallArguments& parameters, Offer& offer) {
  if (!is_hook(parameters) || parameters[0].empty()) return;
  const Token& number = parameters[0].back();
  if (!is_name(native) || !is_name(number) || offer.hooks.size() == kMostOffered) return;
  offer.hooks.push_back({native.value, number.value});
}

void add_enumeration(const Token& name, const Token& first, Offer& offer) {
  if (!is_name(name) || !is_name(first) || offer.enumerations.size() == kMostOffered) return;
  offer.enumerations.push_back({name.value, first.value});
}

}  // namespace

bool is_of(const Hook& hook, const NamedEnum& enumeration) {
  constexpr std::size_t kStem = 4;
  const std::string stem = base::to_lower_ascii(hook.number).substr(0, kStem);
  return stem.size() == kStem &&
         base::to_lower_ascii(enumeration.name).find(stem) != std::string::npos;
}

// What is within a declaration is none: so each token is looked at once.
Offer read_offer(std::string_view include) {
  const PawnSource source = read_pawn(include);
  const TokenSpan tokens = source.tokens;
  Offer offer;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_native = tokens[i].is_word("native");
    if (!is_native && !tokens[i].is_word("enum")) continue;
    const std::string_view opening = is_native ? "(" : "{";
    std::size_t open = i + 1;
    while (open < tokens.size() && !ends_head(tokens[open], opening)) ++open;
    if (open + 1 >= tokens.size() || !tokens[open].is(opening)) {
      i = open - 1;
      continue;
    }
    if (is_native) {
      add_hook(tokens[open - 1], arguments_at(tokens, open), offer);
    } else {
      add_enumeration(tokens[i + 1], tokens[open + 1], offer);
    }
    i = behind(tokens, open) - 1;
  }
  for (const std::string& name : source.includes) {
    if (base::is_printable(name)) offer.includes.push_back(name);
  }
  return offer;
}

}  // namespace goldsmith::pawn
