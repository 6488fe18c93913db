// What expressions of a source in Pawn can be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/pawn/source.hpp"
#include "app/pawn/words.hpp"

namespace goldsmith::pawn {

// Follows names through `#define`, constants, arrays, enumerations, what calls write to variables,
// and parameters. A name that the source lacks is looked up in its own includes. Names can multiply
// each other: all questions together have a bound of steps; what would take more is not known.
class Values {
 public:
  // None if it is not known; "" among several is one that is not.
  using Texts = std::vector<std::string>;

  // Both must outlive this object.
  explicit Values(const Source& source, std::span<const Source> includes = {});

  std::span<const Source* const> sources() const { return sources_; }  // the includes behind it

  // The text of an expression by what the source says first of its names, wherever that is;
  // std::nullopt if the source does not say it.
  std::optional<std::string> text(TokenSpan expression);
  // What else a name may be that was defined in different ways.
  std::vector<std::string> other_texts(TokenSpan expression);
  // True if a name in it, or in what it stands for, was defined in different ways.
  bool is_ambiguous(TokenSpan expression) { return is_ambiguous(expression, 0); }
  // As the compiler has it: no variables.
  std::optional<std::int32_t> number(TokenSpan expression) { return number(expression, {}); }
  // What `#define` says of a word; null = nothing.
  const Tokens* define(std::string_view word) const;
  // All that it says of a word, in any branch.
  void each_define(std::string_view word, const std::function<void(TokenSpan value)>& take) const;

  // Calls `take` with what expressions at that place can be together: what their names have been
  // given last, for parameters what each caller in the source gives, of an array in a loop each
  // element. Of each one text, "" if it is not known; the first is. `forms` says of each whether it
  // is a text ('s') or a number ('d'). False: the first is not known.
  struct Place {
    const Source* source = nullptr;  // null = in a `#define`
    std::size_t at = 0;
  };
  using TakeRow = std::function<void(const Texts& row)>;
  bool rows_at(std::string_view forms, std::span<const TokenSpan> expressions, Place place,
               const TakeRow& take);

  // Takes so many of the steps; false if they are not left.
  bool may_go_on(std::size_t steps, int depth = 0);

 private:
  struct Caller;
  // Where an expression stands.
  struct Scope {
    const Source* source = nullptr;
    const Function* function = nullptr;
    std::size_t at = 0;
    const Caller* caller = nullptr;  // that the function was reached by
    bool is_any = false;             // without a caller: by any
    bool is_first = false;           // nowhere: what is said first of a name counts
    bool is_number = false;          // elements of arrays are
    int depth = 0;                   // of names in names

    Scope deeper() const { return at_depth(depth + 1); }
    Scope at_depth(int other) const {
      return {source, function, at, caller, is_any, is_first, is_number, other};
    }
    Scope at_place(std::size_t other) const {
      return {source, function, other, caller, is_any, is_first, is_number, depth};
    }
  };
  struct Caller {
    CallArguments arguments;  // of each parameter; empty = none is given
    Scope scope;              // of the call
  };
  struct Declaration {
    TokenSpan value;
    bool is_const = false;
    bool has_others = false;  // that differ
  };
  struct Enumerated {
    std::optional<std::size_t> position;  // from 0 on, unless a value was given
    std::optional<std::int32_t> number;
  };
  // What a place does with a name.
  struct Use {
    enum class Kind { read, declared, assigned, written, unknown };
    Kind kind = Kind::read;
    TokenSpan value = {};            // of `declared` and `assigned`; empty = none
    const Writer* writer = nullptr;  // of `written`
    std::size_t call = 0;            // the name of the function that gets it; 0 = none
  };

  // Which elements of an array have their turn in a loop: the first, and each so many behind it.
  struct Turns {
    std::size_t first = 0;
    std::size_t step = 1;
  };

  // Of several expressions what they are at once: none if it is not known, one, or `count`.
  struct Columns {
    std::vector<Texts> texts;
    std::size_t count = 1;
    TokenSpan varies = {};  // what they vary with
  };

  static void append(Texts& all, Texts texts);
  static Scope scope_at(const Source& source, std::size_t at, bool is_any) {
    return {.source = &source, .function = source.function_at(at), .at = at, .is_any = is_any};
  }
  void read_declarations(const Source& source);
  const Enumerated* enumerated(std::string_view name);  // null: it is in no enumeration
  void read_enumeration(const Enumeration& enumeration);

  Texts texts_of(TokenSpan expression, const Scope& scope);
  Texts texts_of_word(TokenSpan word, const Scope& scope);
  Texts first_texts_of(std::string_view name, const Scope& scope);
  Texts element(TokenSpan expression, const Scope& scope);
  Texts elements(TokenSpan value, std::span<const TokenSpan> indexes, const Scope& scope);
  Texts formatted(TokenSpan format, std::span<const TokenSpan> values, const Scope& scope);
  Columns columns_of(std::string_view forms, std::span<const TokenSpan> values, const Scope& scope);
  Texts texts_in_form(char form, TokenSpan value, const Scope& scope);
  bool is_ambiguous(TokenSpan expression, int depth);
  std::optional<std::int32_t> number(TokenSpan expression, const Scope& scope);
  std::optional<std::int32_t> number_of(TokenSpan named, const Scope& scope);
  std::optional<std::size_t> index_of(TokenSpan index);

  // What happens to names in functions.
  Use use_at(const Source& source, std::size_t at);
  Use use_as_argument(const Source& source, std::size_t at) const;
  CallArguments arguments_of(const Use& use, const Source& source);
  bool is_changed(std::string_view name);
  std::optional<std::int32_t> only_number_of(std::string_view name, const Scope& scope);
  std::optional<Turns> turns_of(TokenSpan index, const Scope& scope);
  bool writes_itself(const Use& use, const Source& source, std::string_view name);
  TokenSpan declaration(std::string_view name);
  TokenSpan declaration_near(std::string_view name, const Scope& scope);
  std::optional<Texts> written_before(TokenSpan word, const Scope& scope);
  Texts texts_of_use(const Use& use, const Scope& scope);
  Texts written_by(const Use& use, const Scope& scope);
  Texts pushed_to(TokenSpan array, int depth);
  Texts filled(std::string_view name, TokenSpan index, const Scope& scope);
  Texts argument(char form, std::size_t place, const Scope& scope);
  const std::vector<Caller>& callers_of(const Function& function);

  const Source& source_;
  std::vector<const Source*> sources_;                              // it, then its includes
  std::unordered_map<std::string_view, Declaration> declarations_;  // outside of functions
  std::unordered_map<std::string_view, TokenSpan> first_;           // of all
  std::unordered_map<std::string_view, TokenSpan> first_list_;      // of those in braces
  std::unordered_map<std::string_view, std::optional<TokenSpan>> constants_;  // none: several
  std::optional<std::unordered_map<std::string_view, CallArguments>> written_;
  std::optional<std::unordered_map<std::string_view, Enumerated>> enumerated_;
  std::map<std::string_view, bool> changed_;
  std::map<const Function*, std::vector<Caller>> callers_;
  TokenSpan varies_;            // an index that counts, or what else the last texts have several of
  bool wants_callers_ = false;  // a parameter counts
  std::size_t steps_left_ = 4'000'000;
};

}  // namespace goldsmith::pawn
