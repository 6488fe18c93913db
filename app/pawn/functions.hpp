// The functions that a Pawn source defines.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "app/pawn/lexer.hpp"

namespace goldsmith::pawn {

// Calls that never end: each costs much. Who looks for calls stops after so many.
inline constexpr std::size_t kMostUnclosed = 2000;

// A function and its parameters; its views are those of the tokens.
struct Function {
  struct Parameter {
    std::string_view name;  // "" = none
    bool is_const = false;  // the function does not write to it
  };
  std::string_view name;
  std::vector<Parameter> parameters;
  TokenSpan body;  // from its brace on, without the one that closes it

  // std::nullopt: it is no parameter.
  std::optional<std::size_t> place_of(TokenSpan expression) const;
};

// Those with a body in braces, in their order. The time is linear in the tokens.
std::vector<Function> functions_in(TokenSpan tokens);

}  // namespace goldsmith::pawn
