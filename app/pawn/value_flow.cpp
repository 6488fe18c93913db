// What variables and parameters can be at a place of a function.
#include <algorithm>
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

}  // namespace

void Values::texts_at(TokenSpan expression, std::optional<std::size_t> place,
                      const TakeTexts& take) {
  const Scope scope = place ? scope_at(*place, false) : Scope();
  wants_callers_ = false;
  take(texts_of(expression, scope, 0));
  if (!wants_callers_ || scope.function == nullptr) return;
  for (const Caller& caller : callers_of(*scope.function)) {
    take(texts_of(expression, {.function = scope.function, .at = scope.at, .caller = &caller}, 0));
  }
}

Values::Scope Values::scope_at(std::size_t place, bool is_any) const {
  return {.function = source_.function_at(place), .at = place, .is_any = is_any};
}

Values::Scope Values::moved(Scope scope, std::size_t place) {
  scope.at = place;
  return scope;
}

const std::vector<Values::Caller>& Values::callers_of(const Function& function) {
  const auto [known, is_new] = callers_.try_emplace(&function);
  if (!is_new) return known->second;
  for (const std::size_t at : source_.places(function.name)) {
    const Scope scope = scope_at(at, true);
    const bool is_call = source_.is_call(at) && scope.function != nullptr;
    if (!is_call || scope.function == &function) continue;
    if (known->second.size() >= kMostCallers || !may_go_on(source_.tokens()[at + 1].link)) break;
    CallArguments arguments = arguments_at(source_.tokens(), at + 1);
    if (!arguments.empty()) known->second.push_back({std::move(arguments), scope});
  }
  return known->second;
}

// What the parameter at `place` may be.
Values::Texts Values::argument(std::size_t place, const Scope& scope, int depth) {
  const auto of = [&](const Caller& caller) {
    return place < caller.arguments.size()
               ? texts_of(caller.arguments[place], caller.scope, depth + 1)
               : Texts();
  };
  if (scope.caller != nullptr) return of(*scope.caller);
  if (!scope.is_any) {
    wants_callers_ = true;
    return {};
  }
  Texts all;
  for (const Caller& caller : callers_of(*scope.function)) append(all, of(caller));
  return all;
}

// The declaration of a name outside of functions that nothing changes.
const Values::Declaration* Values::declaration(std::string_view name) {
  const auto found = declarations_.find(name);
  if (found == declarations_.end() || found->second.has_others) return nullptr;
  return found->second.is_const || !is_changed(name) ? &found->second : nullptr;
}

bool Values::is_changed(std::string_view name) {
  const auto [known, is_new] = changed_.try_emplace(name, false);
  if (!is_new) return known->second;
  for (const std::size_t at : source_.places(name)) {
    if (source_.function_at(at) == nullptr) continue;
    const Use use = use_at(at);
    if (use.kind == Use::Kind::unknown || use.kind == Use::Kind::written) {
      return changed_[name] = true;
    }
  }
  return false;
}

// That in the function before the place, or else outside of functions.
const Values::Declaration* Values::declaration_near(std::string_view name, const Scope& scope) {
  if (scope.function == nullptr) return declaration(name);
  const auto places = source_.places(name);
  auto place = std::ranges::lower_bound(places, scope.at);
  while (place != places.begin() && *--place >= scope.function->from) {
    const Use use = use_at(*place);
    if (use.kind == Use::Kind::read) continue;
    if (use.kind != Use::Kind::declared || use.value.empty()) return nullptr;
    local_ = {use.value, true, false};
    return &local_;
  }
  return declaration(name);
}

Values::Use Values::use_at(std::size_t at) {
  const TokenSpan tokens = source_.tokens();
  if (at == 0 || at + 1 >= tokens.size()) return {};
  const std::size_t equals = source_.behind_indexes(at + 1);
  if (!may_go_on(equals - at)) return {Use::Kind::unknown};
  const bool has_value = equals + 1 < tokens.size() && tokens[equals].is("=") &&
                         !tokens[equals + 1].is("=") && !tokens[equals - 1].is("=");
  if (is_declared(tokens, at)) {
    return {Use::Kind::declared, has_value ? source_.value_at(equals + 1) : TokenSpan()};
  }
  if (has_value && equals == at + 1) {
    if (tokens[at - 1].is(".")) return {};  // an argument's name
    return {Use::Kind::assigned, source_.value_at(equals + 1)};
  }
  if (has_value) return {Use::Kind::unknown};
  const bool is_argument = (tokens[at - 1].is("(") || tokens[at - 1].is(",")) &&
                           (tokens[at + 1].is(",") || tokens[at + 1].is(")"));
  return is_argument ? use_as_argument(at) : Use();
}

Values::Use Values::use_as_argument(std::size_t at) const {
  const TokenSpan tokens = source_.tokens();
  const std::size_t open = at - tokens[at].outer;
  if (open == at || open == 0 || !tokens[open].is("(")) return {};
  if (tokens[open - 1].kind != Token::Kind::word) return {};
  const std::string_view name = tokens[open - 1].value;
  const std::size_t place = tokens[at].place;
  if (const Writer* const writer = writer_of(name, place)) {
    return {Use::Kind::written, {}, writer, open - 1};
  }
  if (only_reads(name)) return {};
  const Function* const own = source_.function(name);
  const bool reads =
      own != nullptr && place < own->parameters.size() && own->parameters[place].is_const;
  return {reads ? Use::Kind::read : Use::Kind::unknown};
}

// What a name has been given last in the function, and in branches that ended since;
// std::nullopt = nothing there.
std::optional<Values::Texts> Values::written_before(std::string_view name, const Scope& scope,
                                                    int depth) {
  const auto places = source_.places(name);
  std::optional<Texts> all;
  std::size_t seen = scope.at;
  int outermost = source_.braces_around(scope.at);  // since the place
  auto place = std::ranges::lower_bound(places, scope.at);
  while (place != places.begin() && *--place >= scope.function->from) {
    if (!may_go_on(seen - *place, depth)) return Texts();
    while (seen > *place) outermost = std::min(outermost, source_.braces_around(--seen));
    const Use use = use_at(*place);
    if (use.kind == Use::Kind::read) continue;
    const bool is_in_branch = source_.braces_around(*place) > outermost;
    // A branch may go on with the name itself, for itself alone.
    if (is_in_branch && writes_itself(use, name)) continue;
    if (!all) all.emplace();
    append(*all, texts_of_use(use, moved(scope, *place), depth));
    if (!is_in_branch) return all;
  }
  return all;
}

Values::Texts Values::texts_of_use(const Use& use, const Scope& scope, int depth) {
  switch (use.kind) {
    case Use::Kind::declared:
    case Use::Kind::assigned:
      return elements(use.value, {}, scope, depth + 1);
    case Use::Kind::written:
      return written_by(use, moved(scope, use.call), depth + 1);
    case Use::Kind::read:
    case Use::Kind::unknown:
      break;
  }
  return {};
}

CallArguments Values::arguments_of(const Use& use) {
  const std::size_t open = use.call + 1;
  const bool is_found = may_go_on(source_.tokens()[open].link, 0);
  return is_found ? arguments_at(source_.tokens(), open) : CallArguments();
}

bool Values::writes_itself(const Use& use, std::string_view name) {
  if (use.kind != Use::Kind::written) return false;
  if (use.writer->form == Writer::Form::append) return true;
  const CallArguments call = arguments_of(use);
  const std::size_t from = std::max(use.writer->source, use.writer->target + 1);
  return call.size() > from &&
         std::ranges::any_of(std::span(call).subspan(from), [&](TokenSpan argument) {
           return argument.size() == 1 && argument[0].is_word(name);
         });
}

Values::Texts Values::written_by(const Use& use, const Scope& scope, int depth) {
  const Writer& writer = *use.writer;
  const CallArguments call = may_go_on(0, depth) ? arguments_of(use) : CallArguments();
  if (call.size() <= writer.source) return {};
  switch (writer.form) {
    case Writer::Form::format:
      return formatted(call[writer.source], std::span(call).subspan(writer.source + 1), scope,
                       depth);
    case Writer::Form::copy:
      return texts_of(call[writer.source], scope, depth);
    case Writer::Form::append: {
      const Texts end = texts_of(call[writer.source], scope, depth);
      Texts all = texts_of(call[writer.target], scope, depth);
      if (end.size() != 1) return {};
      for (std::string& text : all) text += end.front();
      return all;
    }
    case Writer::Form::element:
      return pushed_to(call[writer.source], depth);
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
    append(all, texts_of(call[1], scope_at(at, true), depth + 1));
  }
  return all;
}

// The index of a loop, so that each element has its turn.
bool Values::counts(TokenSpan index, const Scope& scope) {
  if (scope.function == nullptr || index.size() != 1) return false;
  const TokenSpan tokens = source_.tokens();
  const auto places = source_.places(index[0].value);
  auto place = std::ranges::lower_bound(places, scope.function->from);
  for (; place != places.end() && *place < scope.at; ++place) {
    if (!may_go_on(1)) return false;
    std::size_t open = *place - tokens[*place].outer;
    while (tokens[open].is("[") && tokens[open].outer > 0) open -= tokens[open].outer;
    if (open == 0 || !tokens[open].is("(")) continue;
    if (tokens[open - 1].is_word("for") || tokens[open - 1].is_word("while")) return true;
  }
  return false;
}

}  // namespace goldsmith::pawn
