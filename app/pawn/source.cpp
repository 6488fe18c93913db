#include "app/pawn/source.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostTokens = 400'000;

// What `const Float:NAME[] = …` declares.
Function::Parameter declared_in(TokenSpan parameter) {
  Function::Parameter declared;
  for (std::size_t i = 0; i < parameter.size(); ++i) {
    const Token& token = parameter[i];
    if (token.is("=")) declared.value = parameter.subspan(i + 1);
    if (token.is("=")) break;
    if (token.is("[")) i += token.link;
    if (token.kind != Token::Kind::word) continue;
    declared.is_const = declared.is_const || token.value == "const";
    declared.name = token.value;
  }
  return declared;
}

bool is_any_of(const Token& token, std::initializer_list<std::string_view> words) {
  return token.kind == Token::Kind::word && std::ranges::find(words, token.value) != words.end();
}

bool declares(const Token& token) {
  return is_any_of(token,
                   {"public", "stock", "static", "native", "forward", "new", "const", "enum"});
}

// A semicolon ends it, and where a line ends, too, two operands without an operator. `lists`: it
// goes on behind a comma.
std::size_t end_of_expression(TokenSpan tokens, std::size_t from, bool lists = false) {
  bool is_behind_operand = false;
  std::size_t end = from;
  for (; end < tokens.size(); end = behind(tokens, end)) {
    const Token& token = tokens[end];
    const bool is_operand = token.kind != Token::Kind::symbol;
    const bool ends = token.is(";") || token.is("}") || token.is(")") || token.is("]") ||
                      token.is("{") || (token.is(",") && !lists);
    if (ends || (is_operand && is_behind_operand) || declares(token)) break;
    const bool is_operator = is_any_of(token, {"return", "sizeof", "tagof", "defined"});
    is_behind_operand = (is_operand && !is_operator) || token.link > 0;
  }
  return std::min(end, tokens.size());
}

std::size_t end_of_statement(TokenSpan tokens, std::size_t from) {
  bool is_repeated = false;  // `do … while (…)`
  std::size_t at = from;
  while (at < tokens.size()) {
    const Token& token = tokens[at];
    is_repeated = is_repeated || token.is_word("do");
    if (token.is_word("do") || token.is_word("else")) {
      ++at;
    } else if (is_any_of(token, {"for", "while", "if", "switch"}) && at + 1 < tokens.size() &&
               tokens[at + 1].link > 0) {
      at = behind(tokens, at + 1);
    } else {
      at = token.is("{") ? behind(tokens, at) : end_of_expression(tokens, at, true);
      if (at < tokens.size() && tokens[at].is(";")) ++at;
      const bool goes_on = at < tokens.size() && (tokens[at].is_word("else") ||
                                                  (is_repeated && tokens[at].is_word("while")));
      if (!goes_on) break;
    }
  }
  return std::min(at, tokens.size());
}

}  // namespace

std::optional<std::size_t> Function::place_of(TokenSpan expression) const {
  if (expression.size() != 1 || expression[0].kind != Token::Kind::word) return std::nullopt;
  const auto found =
      std::ranges::find(parameters, std::string_view(expression[0].value), &Parameter::name);
  if (found == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameters.begin());
}

TokenSpan without_tags(TokenSpan expression) {
  while (expression.size() > 2 && expression[1].is(":")) expression = expression.subspan(2);
  return expression;
}

std::size_t before_tags(TokenSpan tokens, std::size_t at) {
  constexpr int kMostTags = 4;
  for (int i = 0; i < kMostTags && at >= 2 && tokens[at - 1].is(":"); ++i) at -= 2;
  return at;
}

bool is_declared_at(TokenSpan tokens, std::size_t at, int braces) {
  at = before_tags(tokens, at);
  if (at == 0) return true;
  const Token& before = tokens[at - 1];
  return is_any_of(before, {"public", "stock", "static", "native", "forward"}) ||
         (braces <= 0 && (before.is("}") || before.is(";")));
}

Source::Source(std::string_view text) : text_(text), read_(read_pawn(text, kMostTokens)) {
  index();
}

void Source::index() {
  const TokenSpan all = tokens();
  braces_.reserve(all.size());
  int braces = 0;
  bool is_const = false;  // the declaration outside of functions
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Token& token = all[i];
    if (token.is("{")) ++braces;
    if (token.is("}")) braces = std::max(braces - 1, 0);
    braces_.push_back(braces);
    if (token.outer == 0) {
      if (token.is(";") || declares(token)) is_const = token.is_word("const");
      if (token.is("(") && !is_in_function(i)) add_function(i);
    }
    if (token.kind != Token::Kind::word) continue;
    places_[token.value].push_back(static_cast<std::uint32_t>(i));
    if (token.value == "enum") add_enumeration(i);
    if (token.value == "const") add_constants(i + 1);
    add_array(i, is_const);
  }
}

std::span<const std::uint32_t> Source::places(std::string_view word) const {
  const auto found = places_.find(word);
  if (found == places_.end()) return {};
  return found->second;
}

std::vector<Call> Source::calls(std::string_view function) const {
  std::vector<Call> calls;
  for (const std::size_t at : places(function)) {
    const bool is_declaration =
        at > 0 && is_any_of(tokens()[at - 1], {"native", "stock", "public", "forward"});
    if (!is_call(at) || is_declaration) continue;
    CallArguments arguments = arguments_at(tokens(), at + 1);
    if (!arguments.empty()) calls.push_back({at, std::move(arguments)});
  }
  return calls;
}

const Function* Source::function(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &functions_[found->second];
}

const Function* Source::function_at(std::size_t at) const {
  const auto next = std::ranges::upper_bound(functions_, at, {}, &Function::from);
  if (next == functions_.begin()) return nullptr;
  const Function& found = *std::prev(next);
  return at < found.end ? &found : nullptr;
}

// `NAME(…) {`, or `NAME(…) STATEMENT`, where `open` is the parenthesis.
void Source::add_function(std::size_t open) {
  const TokenSpan all = tokens();
  if (open == 0 || all[open - 1].kind != Token::Kind::word || all[open].link == 0) return;
  const std::size_t from = behind(all, open);
  if (from >= all.size()) return;
  if (all[from].kind == Token::Kind::word) {
    const std::size_t name = before_tags(all, open - 1);
    const bool is_behind_function = !functions_.empty() && functions_.back().end == name;
    const bool is_elsewhere =
        name > 0 && (all[name - 1].is_word("native") || all[name - 1].is_word("forward"));
    if (is_elsewhere || declares(all[from])) return;
    if (!is_behind_function && !is_declared_at(all, open - 1, 0)) return;
  } else if (!all[from].is("{") || all[from].link == 0) {
    return;
  }
  Function function{all[open - 1].value, {}, from, end_of_statement(all, from)};
  for (const TokenSpan parameter : arguments_at(all, open)) {
    function.parameters.push_back(declared_in(parameter));
  }
  by_name_.try_emplace(function.name, functions_.size());
  functions_.push_back(std::move(function));
}

std::size_t Source::behind_indexes(std::size_t at) const {
  const TokenSpan all = tokens();
  while (at < all.size() && all[at].is("[") && all[at].link > 0 && all[at + all[at].link].is("]")) {
    at = behind(all, at);
  }
  return at;
}

TokenSpan Source::value_at(std::size_t from) const {
  const TokenSpan all = tokens();
  if (from >= all.size()) return {};
  if (all[from].is("{")) {
    return all[from].link > 0 ? all.subspan(from, all[from].link + 1) : TokenSpan();
  }
  return all.subspan(from, end_of_expression(all, from) - from);
}

// A text, a name, or what `...` or `+` joins; empty if it is none of those.
TokenSpan Source::text_at(std::size_t from) const {
  const TokenSpan all = tokens();
  std::size_t end = from;
  const auto goes_on = [&] {
    const Token& token = all[end];
    if (token.kind == Token::Kind::text || (end > from && token.joins_texts())) return true;
    return token.kind == Token::Kind::word && (end == from || all[end - 1].joins_texts());
  };
  while (end < all.size() && goes_on()) ++end;
  // A call, or an element of an array.
  if (end < all.size() && (all[end].is("(") || all[end].is("["))) return {};
  return all.subspan(from, end - from);
}

void Source::add_array(std::size_t name, bool is_const) {
  const TokenSpan all = tokens();
  const std::size_t equals = behind_indexes(name + 1);
  if (equals == name + 1 || equals >= all.size() || !all[equals].is("=")) return;
  const bool is_list = equals + 1 < all.size() && all[equals + 1].is("{");
  const TokenSpan value = is_list ? value_at(equals + 1) : text_at(equals + 1);
  if (value.empty()) return;
  const std::size_t second = behind(all, name + 1);
  arrays_.push_back({name, value, is_const, all[name].outer == 0 && !is_in_function(name),
                     second == equals && !is_list});
}

// `NAME = VALUE, NAME = VALUE`.
void Source::add_constants(std::size_t from) {
  const TokenSpan all = tokens();
  while (from + 2 < all.size()) {
    if (all[from + 1].is(":")) from += 2;  // its tag
    const bool is_constant =
        from + 2 < all.size() && all[from].kind == Token::Kind::word && all[from + 1].is("=");
    if (!is_constant) return;
    // The default of a parameter is none.
    if (all[from].outer > 0 && all[from - all[from].outer].is("(")) return;
    const std::size_t end = end_of_expression(all, from + 2);
    constants_.push_back({all[from].value, all.subspan(from + 2, end - from - 2)});
    if (end >= all.size() || !all[end].is(",")) return;
    from = end + 1;
  }
}

void Source::add_enumeration(std::size_t at) {
  constexpr std::size_t kLongestHead = 12;
  const TokenSpan all = tokens();
  Enumeration enumeration;
  std::size_t open = at + 1;
  const std::size_t name = open + 1 < all.size() && all[open + 1].is(":") ? open + 2 : open;
  if (name < all.size() && all[name].kind == Token::Kind::word) enumeration.name = all[name].value;
  for (; open < std::min(all.size(), at + kLongestHead) && !all[open].is("{"); ++open) {
    if (all[open].is("(") && all[open].link > 0) {
      enumeration.step = all.subspan(open + 1, all[open].link - 1);
    }
  }
  if (open >= all.size() || !all[open].is("{")) return;
  for (const TokenSpan item : arguments_at(all, open)) {
    const TokenSpan named = without_tags(item);
    if (!named.empty() && named.front().kind == Token::Kind::word) {
      enumeration.items.push_back(named);
    }
  }
  enumerations_.push_back(std::move(enumeration));
}

}  // namespace goldsmith::pawn
