// Expressions in Pawn whose numbers are known when they are compiled.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/pawn/lexer.hpp"

namespace goldsmith::pawn {

// What a name stands for, or a call or an element of an array; std::nullopt = nothing that is
// known.
using NumberOf = std::function<std::optional<std::int32_t>(TokenSpan named)>;

// The number of an expression of numbers, names, calls, parentheses and operators, as a cell has
// it: of 32 bits. std::nullopt for any other. The time is linear in its size, without that of
// `number_of`.
std::optional<std::int32_t> number_in(TokenSpan expression, const NumberOf& number_of);

// What one of the operators | ^ & << >> + - * / makes of two numbers; std::nullopt: nothing.
std::optional<std::int32_t> applied(std::string_view operation, std::int32_t left,
                                    std::int32_t right);

// The access that AMX Mod X takes a number for, as letters: "" = everybody has it, which a negative
// number says, too. std::nullopt: it has bits without a letter.
std::optional<std::string> access_letters(std::int32_t access);
// The number of letters, as AMX Mod X reads them: what is none does not count.
std::int32_t access_of(std::string_view letters);

}  // namespace goldsmith::pawn
