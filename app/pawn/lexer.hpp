// What a Pawn source says without being compiled: its tokens, its includes and its first comment.
// Sources are hostile; the time is linear in their size.
#pragma once

#include <functional>
#include <map>
#include <optional>
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
  std::string value;  // of a text: without quotes, escapes resolved

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
  std::string head_comment;     // before all code, its decoration included
  std::string opening_comment;  // what of it is before all directives, too
  // The names after `#include` and `#tryinclude`, each once, in their order; those of branches that
  // are never compiled, too. At most 500.
  std::vector<std::string> includes;
};

// Both branches of a condition are read, unless it is `#if 0`.
PawnSource read_pawn(std::string_view source);
// The same, but each token is given to `take`, for the time of the call, and none is kept.
using TakeToken = std::function<void(const Token& token)>;
PawnSource read_pawn(std::string_view source, const TakeToken& take);

using CallArguments = std::vector<TokenSpan>;
// What is between the bracket at `open` and the one that closes it, split at commas; none if there
// is no such one within a statement of a usual length.
CallArguments arguments_at(TokenSpan tokens, std::size_t open);
// The arguments of each call of `function`; its declarations are left out.
std::vector<CallArguments> calls_of(TokenSpan tokens, std::string_view function);
// The arguments of a call in the order of `parameters`, whose names `.name = value` may give; one
// that is left out is empty.
CallArguments in_order(const CallArguments& call, std::span<const std::string_view> parameters);

}  // namespace goldsmith::pawn
