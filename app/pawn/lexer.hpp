// What a Pawn source says without being compiled: its tokens, its includes and its first comment.
// Sources are hostile; the time is linear in their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::pawn {

// The compilers take every byte up to the space for white space.
constexpr bool is_blank(char byte) { return static_cast<unsigned char>(byte) <= ' '; }

struct Token {
  enum class Kind { word, text, number, symbol };
  Kind kind = Kind::symbol;
  // Of a bracket: how far behind it the one is that closes it; 0 = there is none, or it closes one.
  std::uint32_t link = 0;
  std::uint32_t outer = 0;  // how far before it the innermost bracket around it is; 0 = none
  std::uint32_t place = 0;  // how many commas are between that bracket and it
  std::string value;        // of a text: without quotes, escapes resolved

  bool opens() const { return is("(") || is("[") || is("{"); }
  bool joins_texts() const { return is("...") || is("+"); }  // "+" for AMX Mod X 1.9 and later
  bool is(std::string_view symbol) const { return kind == Kind::symbol && value == symbol; }
  bool is_word(std::string_view word) const { return kind == Kind::word && value == word; }
};
using Tokens = std::vector<Token>;
using TokenSpan = std::span<const Token>;

struct PawnSource {
  Tokens tokens;                                       // without comments and directives
  std::map<std::string, Tokens, std::less<>> defines;  // without parameters; the first of a name
  // The other values of names that have several.
  std::map<std::string, std::vector<Tokens>, std::less<>> redefined;
  // All names of `#define`, in the text that was read; those of branches that are never compiled,
  // too.
  std::vector<std::string_view> macros;
  std::string head_comment;     // before all code, its decoration included
  std::string opening_comment;  // what of it is before all directives, too
  // The names after `#include` and `#tryinclude`, each once, in their order; those of branches that
  // are never compiled, too. At most 500.
  std::vector<std::string> includes;
  std::vector<std::string> never_included;  // of these: in such branches alone
};

// Both branches of a condition are read, unless it is `#if 0`, or `#if defined NAME` where a
// comment
// `//#define NAME` has turned NAME off. `most`: so many tokens are kept, the
// first.
PawnSource read_pawn(std::string_view source, std::size_t most = SIZE_MAX);

bool same_values(TokenSpan one, TokenSpan other);

using CallArguments = std::vector<TokenSpan>;
// What is between the bracket at `open` and the one that closes it, split at commas; none if there
// is no such one within the statement.
CallArguments arguments_at(TokenSpan tokens, std::size_t open);
// The place behind the token at `at`, and if it is a bracket, behind the one that closes it.
std::size_t behind(TokenSpan tokens, std::size_t at);
// The arguments of a call in the order of `parameters`, whose names `.name = value` may give; one
// that is left out is empty.
CallArguments in_order(const CallArguments& call, std::span<const std::string_view> parameters);

}  // namespace goldsmith::pawn
