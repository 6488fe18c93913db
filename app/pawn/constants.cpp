#include "app/pawn/constants.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/pawn/lexer.hpp"

namespace goldsmith::pawn {

namespace {

constexpr int kDeepest = 8;
constexpr std::size_t kLongestConstant = 4096;

constexpr std::array<std::pair<std::string_view, char>, 24> kFlags{{
    {"ADMIN_IMMUNITY", 'a'}, {"ADMIN_RESERVATION", 'b'}, {"ADMIN_KICK", 'c'},
    {"ADMIN_BAN", 'd'},      {"ADMIN_SLAY", 'e'},        {"ADMIN_MAP", 'f'},
    {"ADMIN_CVAR", 'g'},     {"ADMIN_CFG", 'h'},         {"ADMIN_CHAT", 'i'},
    {"ADMIN_VOTE", 'j'},     {"ADMIN_PASSWORD", 'k'},    {"ADMIN_RCON", 'l'},
    {"ADMIN_LEVEL_A", 'm'},  {"ADMIN_LEVEL_B", 'n'},     {"ADMIN_LEVEL_C", 'o'},
    {"ADMIN_LEVEL_D", 'p'},  {"ADMIN_LEVEL_E", 'q'},     {"ADMIN_LEVEL_F", 'r'},
    {"ADMIN_LEVEL_G", 's'},  {"ADMIN_LEVEL_H", 't'},     {"ADMIN_MENU", 'u'},
    {"ADMIN_BAN_TEMP", 'v'}, {"ADMIN_ADMIN", 'y'},       {"ADMIN_USER", 'z'},
}};

TokenSpan without_parentheses(TokenSpan expression) {
  while (expression.size() > 1 && expression.front().is("(") && expression.back().is(")")) {
    expression = expression.subspan(1, expression.size() - 2);
  }
  return expression;
}

// `NAME[…] = "…"`: the texts behind the equals sign, std::nullopt for anything else.
std::optional<TokenSpan> value_at(TokenSpan tokens, std::size_t name) {
  std::size_t i = name + 1;
  if (i >= tokens.size() || !tokens[i].is("[")) return std::nullopt;
  for (std::size_t end = std::min(tokens.size(), i + 12); i < end && !tokens[i].is("]");) ++i;
  if (i + 2 >= tokens.size() || !tokens[i].is("]") || !tokens[i + 1].is("=")) return std::nullopt;
  const std::size_t from = i + 2;
  std::size_t end = from;
  while (end < tokens.size() && !tokens[end].is(",") && !tokens[end].is(";") &&
         (end == from || tokens[end].kind == Token::Kind::text || tokens[end].is("...") ||
          tokens[end - 1].is("..."))) {
    if (tokens[end].kind == Token::Kind::symbol && !tokens[end].is("...")) break;
    ++end;
  }
  if (end == from) return std::nullopt;
  return tokens.subspan(from, end - from);
}

}  // namespace

Constants::Constants(const PawnSource& source) { add(source); }

void Constants::add_include(const PawnSource& include) { add(include); }

void Constants::add(const PawnSource& source) {
  sources_.push_back(&source);
  const TokenSpan tokens = source.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Kind::word) continue;
    const std::optional<TokenSpan> value = value_at(tokens, i);
    if (value) values_.try_emplace(tokens[i].value, *value);
  }
  for (const char* function : {"formatex", "format", "copy"}) {
    for (CallArguments& call : calls_of(tokens, function)) {
      if (call.size() < 3 || call[0].size() != 1) continue;
      written_.try_emplace(call[0][0].value, std::move(call));
    }
  }
}

bool Constants::may_go_on(TokenSpan expression, int depth) const {
  if (depth > kDeepest || steps_left_ <= expression.size()) return false;
  steps_left_ -= expression.size() + 1;
  return true;
}

const Tokens* Constants::find_define(std::string_view word) const {
  for (const PawnSource* source : sources_) {
    const auto found = source->defines.find(word);
    if (found != source->defines.end()) return &found->second;
  }
  return nullptr;
}

std::vector<std::string> Constants::other_texts(TokenSpan expression) const {
  std::vector<std::string> texts;
  expression = without_parentheses(expression);
  if (expression.size() != 1 || expression[0].kind != Token::Kind::word) return texts;
  for (const PawnSource* source : sources_) {
    const auto values = source->redefined.find(expression[0].value);
    if (values == source->redefined.end()) continue;
    for (const Tokens& value : values->second) {
      texts.push_back(resolve(value, 1).value_or(""));
    }
  }
  return texts;
}

bool Constants::is_ambiguous(TokenSpan expression, int depth) const {
  if (!may_go_on(expression, depth)) return false;
  return std::any_of(expression.begin(), expression.end(), [&](const Token& token) {
    if (token.kind != Token::Kind::word) return false;
    const bool is_redefined = std::any_of(
        sources_.begin(), sources_.end(),
        [&](const PawnSource* source) { return source->redefined.contains(token.value); });
    const Tokens* const define = find_define(token.value);
    return is_redefined || (define && is_ambiguous(*define, depth + 1));
  });
}

std::optional<std::string> Constants::resolve(TokenSpan expression, int depth) const {
  expression = without_parentheses(expression);
  if (expression.empty() || !may_go_on(expression, depth)) return std::nullopt;
  if (expression.front().is_word("fmt")) {
    const std::vector<CallArguments> calls = calls_of(expression, "fmt");
    if (calls.empty()) return std::nullopt;
    return formatted(calls[0][0], std::span(calls[0]).subspan(1), depth + 1);
  }
  std::string text;
  for (const Token& token : expression) {
    if (token.is("...") || token.is("!") || token.is("#")) continue;
    const bool is_number =
        token.kind == Token::Kind::number && (expression.size() > 1 || depth > 0);
    if (token.kind == Token::Kind::word) {
      const std::optional<std::string> value = resolve_word(token.value, depth + 1);
      if (!value) return std::nullopt;
      text += *value;
    } else if (token.kind == Token::Kind::text || is_number) {
      text += token.value;
    } else {
      return std::nullopt;
    }
    if (text.size() > kLongestConstant) return std::nullopt;
  }
  return text;
}

std::optional<std::string> Constants::resolve_word(std::string_view word, int depth) const {
  if (const Tokens* define = find_define(word)) return resolve(*define, depth);
  const auto value = values_.find(word);
  if (value != values_.end()) return resolve(value->second, depth);
  return assigned(word, depth);
}

// What a call such as formatex() writes to a variable.
std::optional<std::string> Constants::assigned(std::string_view variable, int depth) const {
  const auto call = written_.find(variable);
  if (call == written_.end()) return std::nullopt;
  return formatted(call->second[2], std::span(call->second).subspan(3), depth + 1);
}

std::optional<std::string> Constants::formatted(TokenSpan format, std::span<const TokenSpan> values,
                                                int depth) const {
  const std::optional<std::string> pattern = resolve(format, depth);
  if (!pattern) return std::nullopt;
  std::string text;
  std::size_t next = 0;
  for (std::size_t i = 0; i < pattern->size(); ++i) {
    if ((*pattern)[i] != '%') {
      text += (*pattern)[i];
      continue;
    }
    do {
      ++i;
    } while (i < pattern->size() &&
             std::string_view("0123456789.-").find((*pattern)[i]) != std::string_view::npos);
    if (i >= pattern->size() || (*pattern)[i] == '%') {
      text += '%';
      continue;
    }
    if (next >= values.size()) return std::nullopt;
    const std::optional<std::string> value = resolve(values[next++], depth);
    if (!value) return std::nullopt;
    text += *value;
    if (text.size() > kLongestConstant) return std::nullopt;
  }
  return text;
}

std::optional<std::string> Constants::letters(TokenSpan expression, int depth) const {
  expression = without_parentheses(expression);
  if (!may_go_on(expression, depth)) return std::nullopt;
  std::string flags;
  for (const Token& token : expression) {
    if (token.is("|") || token.is("-") || token.is_word("ADMIN_ALL")) continue;
    if (token.kind == Token::Kind::number) {
      if (token.value != "0" && token.value != "1") return std::nullopt;  // 0, and -1: the default
      continue;
    }
    if (token.kind != Token::Kind::word) return std::nullopt;
    const auto known = std::find_if(kFlags.begin(), kFlags.end(),
                                    [&](const auto& flag) { return flag.first == token.value; });
    if (known != kFlags.end()) {
      flags += known->second;
      continue;
    }
    const Tokens* define = find_define(token.value);
    const auto inner = define ? letters(*define, depth + 1) : std::nullopt;
    if (!inner) return std::nullopt;
    flags += *inner;
  }
  std::sort(flags.begin(), flags.end());
  flags.erase(std::unique(flags.begin(), flags.end()), flags.end());
  return flags;
}

}  // namespace goldsmith::pawn
