// What variables and parameters can be at a place of a function.
#include <algorithm>
#include <array>
#include <utility>

#include "app/pawn/values.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostCallers = 256;

// `new NAME`, `static const NAME`, with a tag or without.
bool is_declared(TokenSpan tokens, std::size_t at) {
  at = before_tags(tokens, at);
  if (at == 0) return false;
  const Token& before = tokens[at - 1];
  return before.is_word("new") || before.is_word("static") || before.is_word("const") ||
         before.is_word("stock");
}

// `NAME |= …`, `NAME++`, `--NAME`.
bool is_counted(TokenSpan tokens, std::size_t at) {
  static constexpr auto kBehind = std::to_array<std::string_view>(
      {"++", "--", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="});
  const Token& next = tokens[at + 1];
  return tokens[at - 1].is("++") || tokens[at - 1].is("--") ||
         (next.kind == Token::Kind::symbol &&
          std::ranges::find(kBehind, next.value) != kBehind.end());
}

}  // namespace

bool Values::rows_at(std::string_view forms, std::span<const TokenSpan> expressions, Place place,
                     const TakeRow& take) {
  bool is_known = false;
  const auto take_rows = [&](const Scope& scope) {
    const Columns columns = columns_of(forms, expressions, scope);
    const std::size_t count = columns.texts[0].empty() ? 0 : columns.count;
    for (std::size_t n = 0; n < count; ++n) {
      Texts row;
      for (const Texts& texts : columns.texts) {
        row.push_back(texts.empty() ? "" : texts[texts.size() == 1 ? 0 : n]);
      }
      is_known = true;
      if (!row[0].empty()) take(row);
    }
  };
  Scope scope = place.source != nullptr ? scope_at(*place.source, place.at, false) : Scope();
  wants_callers_ = false;
  take_rows(scope);
  if (!wants_callers_ || scope.function == nullptr) return is_known;
  for (const Caller& caller : callers_of(*scope.function)) {
    scope.caller = &caller;
    take_rows(scope);
  }
  return true;
}

const std::vector<Values::Caller>& Values::callers_of(const Function& function) {
  const auto [known, is_new] = callers_.try_emplace(&function);
  if (!is_new) return known->second;
  std::vector<std::string_view> parameters;
  for (const Function::Parameter& each : function.parameters) parameters.push_back(each.name);
  for (const std::size_t at : source_.places(function.name)) {
    const Scope scope = scope_at(source_, at, true);
    const bool is_call = source_.is_call(at) && scope.function != nullptr;
    if (!is_call || scope.function == &function) continue;
    if (known->second.size() >= kMostCallers || !may_go_on(source_.tokens()[at + 1].link)) break;
    const CallArguments arguments = arguments_at(source_.tokens(), at + 1);
    if (!arguments.empty()) known->second.push_back({in_order(arguments, parameters), scope});
  }
  return known->second;
}

// What the parameter at `place` may be.
Values::Texts Values::argument(char form, std::size_t place, const Scope& scope) {
  const auto of = [&, depth = scope.depth + 1](const Caller& caller) {
    const TokenSpan given = caller.arguments[place];
    return given.empty() || (given.size() == 1 && given[0].is_word("_"))
               ? texts_in_form(form, scope.function->parameters[place].value, {.depth = depth})
               : texts_in_form(form, given, caller.scope.at_depth(depth));
  };
  if (scope.caller != nullptr) return of(*scope.caller);
  if (!scope.is_any) {
    wants_callers_ = true;
    return {};
  }
  Texts all;
  for (const Caller& caller : callers_of(*scope.function)) {
    append(all, of(caller));
    if (callers_of(*scope.function).size() > 1) varies_ = caller.arguments.front();
  }
  return all;
}

// What a name outside of functions is declared as that nothing changes; empty = there is none.
TokenSpan Values::declaration(std::string_view name) {
  const auto found = declarations_.find(name);
  if (found == declarations_.end() || found->second.has_others) return {};
  return found->second.is_const || !is_changed(name) ? found->second.value : TokenSpan();
}

bool Values::is_changed(std::string_view name) {
  const auto [known, is_new] = changed_.try_emplace(name, false);
  if (!is_new) return known->second;
  for (const Source* source : sources_) {
    for (const std::size_t at : source->places(name)) {
      if (source->function_at(at) == nullptr) continue;
      const Use use = use_at(*source, at);
      if (use.kind == Use::Kind::unknown || use.kind == Use::Kind::written) {
        return changed_[name] = true;
      }
    }
  }
  return false;
}

// That in the function before the place, or else outside of functions.
TokenSpan Values::declaration_near(std::string_view name, const Scope& scope) {
  if (scope.function == nullptr) return declaration(name);
  const auto places = scope.source->places(name);
  auto place = std::ranges::lower_bound(places, scope.at);
  while (place != places.begin() && *--place >= scope.function->from) {
    const Use use = use_at(*scope.source, *place);
    if (use.kind == Use::Kind::read) continue;
    return use.kind == Use::Kind::declared ? use.value : TokenSpan();
  }
  return declaration(name);
}

// The number of a variable that the source gives a value at one place alone.
std::optional<std::int32_t> Values::only_number_of(std::string_view name, const Scope& scope) {
  const Source& source = *scope.source;
  const auto places = source.places(name);
  const bool is_local = scope.function != nullptr && std::ranges::any_of(places, [&](auto at) {
                          return source.function_at(at) == scope.function &&
                                 use_at(source, at).kind == Use::Kind::declared;
                        });
  const Function* other = nullptr;  // has a variable of that name
  TokenSpan value;
  for (const std::size_t at : places) {
    const Function* const function = source.function_at(at);
    const bool is_parameter = function == nullptr && source.tokens()[at].outer > 0;
    const bool is_others = function != nullptr && function == other;
    if (is_parameter || (is_local ? function != scope.function : is_others)) continue;
    const Use use = use_at(source, at);
    if (use.kind == Use::Kind::unknown || use.kind == Use::Kind::written) return std::nullopt;
    if (use.kind == Use::Kind::declared && function != nullptr && !is_local) {
      other = function;
    } else if (!use.value.empty()) {
      if (!value.empty()) return std::nullopt;
      value = use.value;
    }
  }
  return value.empty() ? std::nullopt : number(value, scope);
}

Values::Use Values::use_at(const Source& source, std::size_t at) {
  const TokenSpan tokens = source.tokens();
  if (at == 0 || at + 1 >= tokens.size()) return {};
  const std::size_t equals = source.behind_indexes(at + 1);
  if (!may_go_on(equals - at)) return {Use::Kind::unknown};
  const bool has_value = equals + 1 < tokens.size() && tokens[equals].is("=");
  const bool is_whole = equals == at + 1;
  const bool is_declared_here = is_declared(tokens, at);
  if (has_value && is_whole && tokens[at - 1].is(".")) return {};  // an argument's name
  if (has_value && (is_whole || is_declared_here)) {
    const TokenSpan value = source.value_at(equals + 1);
    if (!may_go_on(value.size())) return {Use::Kind::unknown};
    return {is_declared_here ? Use::Kind::declared : Use::Kind::assigned, value};
  }
  if (is_declared_here) return {Use::Kind::declared};
  if (has_value || (is_whole && is_counted(tokens, at))) return {Use::Kind::unknown};
  const bool is_argument = (tokens[at - 1].is("(") || tokens[at - 1].is(",")) &&
                           (tokens[at + 1].is(",") || tokens[at + 1].is(")"));
  return is_argument ? use_as_argument(source, at) : Use();
}

Values::Use Values::use_as_argument(const Source& source, std::size_t at) const {
  const TokenSpan tokens = source.tokens();
  const std::size_t open = at - tokens[at].outer;
  if (open == at || open == 0 || !tokens[open].is("(")) return {};
  if (tokens[open - 1].kind != Token::Kind::word) return {};
  const std::string_view name = tokens[open - 1].value;
  const std::size_t place = tokens[at].place;
  if (const Writer* const writer = writer_of(name, place)) {
    return {Use::Kind::written, {}, writer, open - 1};
  }
  static const WordList readers("functions that only read");
  if (readers.has(name) || !precaches(name).empty()) return {};
  const Function* const own = source.function(name);
  const bool is_const =
      own != nullptr && place < own->parameters.size() && own->parameters[place].is_const;
  return {is_const ? Use::Kind::read : Use::Kind::unknown, {}, nullptr, open - 1};
}

// What a name has been given last in the function, and in branches that ended since;
// std::nullopt = nothing there.
std::optional<Values::Texts> Values::written_before(TokenSpan word, const Scope& scope) {
  const std::string_view name = word[0].value;
  const Source& source = *scope.source;
  const auto places = source.places(name);
  std::optional<Texts> all;
  std::size_t seen = scope.at;
  int outermost = source.braces_around(scope.at);  // since the place
  const bool is_parameter = scope.function->place_of(word).has_value();
  auto place = std::ranges::lower_bound(places, scope.at);
  while (place != places.begin() && *--place >= scope.function->from) {
    if (!may_go_on(seen - *place, scope.depth)) return Texts();
    while (seen > *place) outermost = std::min(outermost, source.braces_around(--seen));
    const Use use = use_at(source, *place);
    // A function that a parameter is passed on to rather reads it.
    const bool is_passed_on = use.kind == Use::Kind::unknown && use.call > 0;
    if (use.kind == Use::Kind::read || (is_passed_on && is_parameter)) continue;
    const bool is_in_branch = source.braces_around(*place) > outermost;
    // A branch may go on with the name itself, for itself alone.
    if (is_in_branch && writes_itself(use, source, name)) continue;
    const bool is_another = all.has_value();
    if (!is_another) all.emplace();
    append(*all, texts_of_use(use, scope.at_place(*place)));
    if (is_another) varies_ = source.tokens().subspan(*place, 1);
    if (!is_in_branch) return all;
  }
  return all;
}

Values::Texts Values::texts_of_use(const Use& use, const Scope& scope) {
  if (use.kind == Use::Kind::written) return written_by(use, scope.at_place(use.call).deeper());
  return elements(use.value, {}, scope.deeper());  // which has none for other kinds
}

CallArguments Values::arguments_of(const Use& use, const Source& source) {
  const std::size_t open = use.call + 1;
  return may_go_on(source.tokens()[open].link) ? arguments_at(source.tokens(), open)
                                               : CallArguments();
}

bool Values::writes_itself(const Use& use, const Source& source, std::string_view name) {
  if (use.kind != Use::Kind::written) return false;
  if (use.writer->form == Writer::Form::append) return true;
  const CallArguments call = arguments_of(use, source);
  const std::size_t from = std::max(use.writer->source, use.writer->target + 1);
  return call.size() > from &&
         std::ranges::any_of(std::span(call).subspan(from), [&](TokenSpan argument) {
           return argument.size() == 1 && argument[0].is_word(name);
         });
}

Values::Texts Values::written_by(const Use& use, const Scope& scope) {
  const Writer& writer = *use.writer;
  const CallArguments call =
      may_go_on(0, scope.depth) ? arguments_of(use, *scope.source) : CallArguments();
  if (call.size() <= writer.source) return {};
  switch (writer.form) {
    case Writer::Form::format:
      return formatted(call[writer.source], std::span(call).subspan(writer.source + 1), scope);
    case Writer::Form::copy:
      return texts_of(call[writer.source], scope);
    case Writer::Form::append: {
      const Texts end = texts_of(call[writer.source], scope);
      Texts all = texts_of(call[writer.target], scope);
      if (end.size() != 1) return {};
      for (std::string& text : all) text += end.front();
      return all;
    }
    case Writer::Form::element:
      return pushed_to(call[writer.source], scope.depth);
  }
  return {};
}

// All texts that the source appends to a dynamic array.
Values::Texts Values::pushed_to(TokenSpan array, int depth) {
  Texts all;
  for (const std::size_t at : source_.places("ArrayPushString")) {
    if (!source_.is_call(at)) continue;
    if (!may_go_on(source_.tokens()[at + 1].link, depth)) break;
    const CallArguments call = arguments_at(source_.tokens(), at + 1);
    if (call.size() < 2 || !same_values(call[0], array)) continue;
    append(all, texts_of(call[1], scope_at(source_, at, true).at_depth(depth + 1)));
  }
  return all;
}

// What the source writes to an element of an array that has no value; to all of them for an index
// that counts.
Values::Texts Values::filled(std::string_view name, TokenSpan index, const Scope& scope) {
  Texts all;
  if (scope.source == nullptr) return all;
  const auto wanted = index_of(index);
  const std::optional<Turns> turns = wanted ? std::nullopt : turns_of(index, scope);
  if (!wanted && (!turns || turns->step > 1)) return all;
  const TokenSpan tokens = scope.source->tokens();
  for (const std::size_t at : scope.source->places(name)) {
    const std::size_t end = scope.source->behind_indexes(at + 1);
    const Scope there = scope_at(*scope.source, at, true).at_depth(scope.depth + 1);
    if (!may_go_on(end - at, scope.depth)) break;
    if (end == at + 1 || end + 1 >= tokens.size() || there.function == nullptr) continue;
    if (wanted && index_of(tokens.subspan(at + 2, tokens[at + 1].link - 1)) != wanted) continue;
    Use use = use_as_argument(*scope.source, at);
    if (tokens[end].is("=")) use = {Use::Kind::assigned, scope.source->value_at(end + 1)};
    append(all, texts_of_use(use, there));
    varies_ = tokens.subspan(at, 1);
  }
  return all;
}

// Of the index of a loop that begins at 0: `NAME`, or, where it counts by more than one,
// `NAME + NUMBER`. std::nullopt: it is no such index.
std::optional<Values::Turns> Values::turns_of(TokenSpan index, const Scope& scope) {
  const bool has_first = index.size() == 3 && index[1].is("+");
  if (scope.function == nullptr || (index.size() != 1 && !has_first)) return std::nullopt;
  const TokenSpan tokens = scope.source->tokens();
  const auto places = scope.source->places(index[0].value);
  auto place = std::ranges::lower_bound(places, scope.function->from);
  std::optional<std::int32_t> step;  // the last one counts
  for (; place != places.end() && *place + 1 < scope.at; ++place) {
    if (!may_go_on(1)) return std::nullopt;
    std::size_t open = *place - tokens[*place].outer;
    while (tokens[open].is("[") && tokens[open].outer > 0) open -= tokens[open].outer;
    if (open == 0 || !tokens[open].is("(")) continue;
    if (!tokens[open - 1].is_word("for") && !tokens[open - 1].is_word("while")) continue;
    step = tokens[*place + 1].is("+=") ? number(scope.source->value_at(*place + 2)) : 1;
  }
  const auto first = has_first ? number(index.subspan(2)) : 0;
  if (!step || !first || *first < 0 || *first >= *step) return std::nullopt;
  return Turns{static_cast<std::size_t>(*first), static_cast<std::size_t>(*step)};
}

}  // namespace goldsmith::pawn
