// The texts that names of a Pawn source stand for.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/pawn/lexer.hpp"

namespace goldsmith::pawn {

// Resolves names to texts: through `#define`, constants with a value and format strings. A name
// that the source lacks is looked up in its own includes.
class Constants {
 public:
  explicit Constants(const PawnSource& source);  // must outlive this object
  void add_include(const PawnSource& include);   // must outlive this object

  // std::nullopt for an expression whose value is not in the source.
  std::optional<std::string> text(TokenSpan expression) const { return resolve(expression, 0); }
  // The bits of an expression such as ADMIN_KICK|ADMIN_BAN as letters.
  std::optional<std::string> flags(TokenSpan expression) const { return letters(expression, 0); }
  // What else a name may be that was defined in different ways.
  std::vector<std::string> other_texts(TokenSpan expression) const;
  // True if a name in it, or in what it stands for, was defined in different ways.
  bool is_ambiguous(TokenSpan expression) const { return is_ambiguous(expression, 0); }
  // What `#define` says of a word; null = nothing.
  const Tokens* define(std::string_view word) const { return find_define(word); }
  // The source first, then its includes.
  std::span<const PawnSource* const> sources() const { return sources_; }

 private:
  void add(const PawnSource& source);
  std::optional<std::string> resolve(TokenSpan expression, int depth) const;
  std::optional<std::string> resolve_word(std::string_view word, int depth) const;
  std::optional<std::string> assigned(std::string_view variable, int depth) const;
  std::optional<std::string> formatted(TokenSpan format, std::span<const TokenSpan> values,
                                       int depth) const;
  std::optional<std::string> letters(TokenSpan expression, int depth) const;
  bool is_ambiguous(TokenSpan expression, int depth) const;
  bool may_go_on(TokenSpan expression, int depth) const;
  const Tokens* find_define(std::string_view word) const;

  std::vector<const PawnSource*> sources_;
  std::map<std::string, TokenSpan, std::less<>> values_;       // of constants
  std::map<std::string, CallArguments, std::less<>> written_;  // by formatex() and others
  mutable std::size_t steps_left_ = 4'000'000;                 // names can multiply each other
};

}  // namespace goldsmith::pawn
