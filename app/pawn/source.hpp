// A text in Pawn, read once: its tokens, and where its calls and declarations are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/pawn/lexer.hpp"

namespace goldsmith::pawn {

// A function that is defined, and its parameters.
struct Function {
  struct Parameter {
    std::string_view name;  // "" = none
    bool is_const = false;  // the function does not write to it
    TokenSpan value = {};   // that it has without an argument
  };
  std::string_view name;
  std::vector<Parameter> parameters;
  // Its brace, or the only statement that it has without braces, and behind that.
  std::size_t from = 0;
  std::size_t end = 0;

  // std::nullopt: it is no parameter.
  std::optional<std::size_t> place_of(TokenSpan expression) const;
};

// `NAME[…] = VALUE`: a text, a name, what `...` or `+` joins, or what is in braces.
struct ArrayValue {
  std::size_t at = 0;  // its name
  TokenSpan value;
  bool is_const = false;
  bool is_global = false;  // outside of functions
  bool is_flat = false;    // it has one dimension, and no braces
};

using NamedValue = std::pair<std::string_view, TokenSpan>;

struct Enumeration {
  std::string_view name;         // "" = none
  TokenSpan step;                // in `enum (<<= 1)` what is in parentheses
  std::vector<TokenSpan> items;  // without tags: `NAME`, `NAME[SIZE]`, `NAME = VALUE`
};

struct Call {
  std::size_t at = 0;  // the name of the function
  CallArguments arguments;
};

// Its first 400,000 tokens count, more than a source that people write has. All views are of this
// object's texts and stay valid when it is moved. The time is linear in the text, for a call of
// calls() in the calls that it returns.
class Source {
 public:
  explicit Source(std::string_view text);  // must outlive this object

  std::string_view text() const { return text_; }
  const PawnSource& read() const { return read_; }  // directives and comments
  TokenSpan tokens() const { return read_.tokens; }

  // Where a word stands, in order.
  std::span<const std::uint32_t> places(std::string_view word) const;
  bool is_call(std::size_t at) const {
    return at + 1 < tokens().size() && tokens()[at + 1].is("(");
  }
  // Those of a function; its declarations are left out.
  std::vector<Call> calls(std::string_view function) const;

  const std::vector<Function>& functions() const { return functions_; }  // in their order
  const Function* function(std::string_view name) const;                 // the first; null = none
  const Function* function_at(std::size_t at) const;                     // null = outside of them
  int braces_around(std::size_t at) const { return braces_[at]; }

  const std::vector<ArrayValue>& arrays() const { return arrays_; }
  // `const NAME = VALUE`, at any place.
  const std::vector<NamedValue>& constants() const { return constants_; }
  const std::vector<Enumeration>& enumerations() const { return enumerations_; }

  // The value of `… = VALUE` from `from` on: what is in braces, or an expression.
  TokenSpan value_at(std::size_t from) const;
  // Behind `[…][…]` at `at`.
  std::size_t behind_indexes(std::size_t at) const;

 private:
  void index();
  bool is_in_function(std::size_t at) const {  // of the last one that was found
    return !functions_.empty() && at < functions_.back().end;
  }
  TokenSpan text_at(std::size_t from) const;
  void add_function(std::size_t open);
  void add_array(std::size_t name, bool is_const);
  void add_constants(std::size_t from);
  void add_enumeration(std::size_t at);

  std::string_view text_;
  PawnSource read_;
  std::vector<int> braces_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> places_;
  std::vector<Function> functions_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  // in functions_
  std::vector<ArrayValue> arrays_;
  std::vector<NamedValue> constants_;
  std::vector<Enumeration> enumerations_;
};

// Whether the name at `at` is that of a function that is declared or defined there. `braces`: that
// are around it.
bool is_declared_at(TokenSpan tokens, std::size_t at, int braces);
// Where the tags before the name at `at` begin, as of `Float:NAME`.
std::size_t before_tags(TokenSpan tokens, std::size_t at);
// Without `TAG:` before it.
TokenSpan without_tags(TokenSpan expression);

}  // namespace goldsmith::pawn
