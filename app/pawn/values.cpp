#include "app/pawn/values.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/base/text.hpp"
#include "app/pawn/numbers.hpp"

namespace goldsmith::pawn {
namespace {

constexpr int kDeepestName = 16;
constexpr std::size_t kMostTexts = 512;      // of an expression
constexpr std::size_t kLongestName = 256;    // of a file
constexpr std::size_t kLongestFirst = 4096;  // of any text

TokenSpan without_parentheses(TokenSpan expression) {
  while (expression.size() > 1 && expression.front().is("(") &&
         expression.front().link + 1 == expression.size()) {
    expression = expression.subspan(1, expression.size() - 2);
  }
  return expression;
}

bool is_word(TokenSpan expression) {
  return expression.size() == 1 && expression[0].kind == Token::Kind::word;
}

// A format, in parts with a form such as 'd' between each two; std::nullopt if it ends in one.
struct Pattern {
  std::vector<std::string> parts{1};
  std::string forms;
  bool has_widths = false;
};
Pattern pattern_of(std::string_view format) {
  Pattern pattern;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      pattern.parts.back() += format[i];
      continue;
    }
    const std::size_t form =
        std::min(format.find_first_not_of("0123456789.-", i + 1), format.size());
    if (form == format.size() || format[form] == '%') {
      pattern.parts.back() += '%';
    } else {
      pattern.has_widths = pattern.has_widths || form > i + 1;
      pattern.forms += format[form];
      pattern.parts.emplace_back();
    }
    i = form;
  }
  return pattern;
}

}  // namespace

Values::Values(const Source& source, std::span<const Source> includes) : source_(source) {
  sources_.push_back(&source);
  for (const Source& include : includes) sources_.push_back(&include);
  for (const Source* each : sources_) read_declarations(*each);
}

void Values::read_declarations(const Source& source) {
  for (const ArrayValue& array : source.arrays()) {
    const std::string_view name = source.tokens()[array.at].value;
    if (array.is_flat) first_.try_emplace(name, array.value);
    if (array.value.front().is("{")) first_list_.try_emplace(name, array.value);
    if (!array.is_global) continue;
    const auto [known, is_new] =
        declarations_.try_emplace(name, Declaration{array.value, array.is_const, false});
    if (!is_new && !same_values(array.value, known->second.value)) known->second.has_others = true;
  }
  for (const auto& [name, value] : source.constants()) {
    const auto [known, is_new] = constants_.try_emplace(name, value);
    if (!is_new && known->second && !same_values(*known->second, value)) known->second.reset();
  }
}

const Values::Enumerated* Values::enumerated(std::string_view name) {
  if (!enumerated_) {
    enumerated_.emplace();
    for (const Source* source : sources_) {
      for (const Enumeration& enumeration : source->enumerations()) read_enumeration(enumeration);
    }
  }
  const auto found = enumerated_->find(name);
  return found == enumerated_->end() ? nullptr : &found->second;
}

void Values::read_enumeration(const Enumeration& enumeration) {
  const auto behind_equals = [](TokenSpan tokens) {
    const auto found =
        std::ranges::find_if(tokens, [](const auto& token) { return token.is("="); });
    return found == tokens.end() ? TokenSpan() : TokenSpan(found + 1, tokens.end());
  };
  // `<<= 1`, say.
  const TokenSpan step = enumeration.step;
  const bool has_step = step.size() > 1 && step[0].value.ends_with('=');
  bool is_counted = true;  // from 0 by one
  std::size_t position = 0;
  std::optional<std::int32_t> next = 0;
  for (const TokenSpan item : enumeration.items) {
    if (const TokenSpan value = behind_equals(item); !value.empty()) {
      is_counted = false;
      next = number(value);
    }
    enumerated_->insert_or_assign(
        item.front().value,
        Enumerated{is_counted ? std::optional(position++) : std::nullopt, next});
    const bool is_array = item.size() > 3 && item[1].is("[") && item[1].link > 1;
    const std::optional<std::int32_t> width = has_step   ? number(step.subspan(1))
                                              : is_array ? number(item.subspan(2, item[1].link - 1))
                                                         : 1;
    const std::string_view operation = has_step ? std::string_view(step[0].value) : "+=";
    next = next && width ? applied(operation.substr(0, operation.size() - 1), *next, *width)
                         : std::nullopt;
  }
}

void Values::append(Texts& all, Texts texts) {
  for (std::string& text : texts) {
    if (all.size() < kMostTexts) all.push_back(std::move(text));
  }
}

bool Values::may_go_on(std::size_t steps, int depth) {
  if (depth > kDeepestName || steps_left_ <= steps) return false;
  steps_left_ -= steps + 1;
  return true;
}

const Tokens* Values::define(std::string_view word) const {
  for (const Source* source : sources_) {
    const auto found = source->read().defines.find(word);
    if (found != source->read().defines.end()) return &found->second;
  }
  return nullptr;
}

void Values::each_define(std::string_view word,
                         const std::function<void(TokenSpan value)>& take) const {
  for (const Source* source : sources_) {
    const PawnSource& read = source->read();
    if (const auto first = read.defines.find(word); first != read.defines.end()) {
      take(first->second);
    }
    if (const auto others = read.redefined.find(word); others != read.redefined.end()) {
      std::ranges::for_each(others->second, take);
    }
  }
}

std::optional<std::string> Values::text(TokenSpan expression) {
  Texts texts = texts_of(expression, {.is_first = true});
  return texts.size() == 1 ? std::optional(std::move(texts.front())) : std::nullopt;
}

std::vector<std::string> Values::other_texts(TokenSpan expression) {
  std::vector<std::string> texts;
  expression = without_parentheses(expression);
  if (!is_word(expression)) return texts;
  for (const Source* source : sources_) {
    const auto values = source->read().redefined.find(expression[0].value);
    if (values == source->read().redefined.end()) continue;
    for (const Tokens& value : values->second) {
      Texts other = texts_of(value, {.is_first = true, .depth = 1});
      texts.push_back(other.size() == 1 ? std::move(other.front()) : "");
    }
  }
  return texts;
}

bool Values::is_ambiguous(TokenSpan expression, int depth) {
  if (!may_go_on(expression.size(), depth)) return false;
  return std::ranges::any_of(expression, [&](const Token& token) {
    if (token.kind != Token::Kind::word) return false;
    const bool is_redefined = std::ranges::any_of(sources_, [&](const Source* source) {
      return source->read().redefined.contains(token.value);
    });
    const Tokens* const defined = define(token.value);
    return is_redefined || (defined && is_ambiguous(*defined, depth + 1));
  });
}

std::optional<std::int32_t> Values::number(TokenSpan expression, const Scope& scope) {
  if (!may_go_on(expression.size(), scope.depth)) return std::nullopt;
  return number_in(expression, [&](TokenSpan named) { return number_of(named, scope.deeper()); });
}

std::optional<std::int32_t> Values::number_of(TokenSpan named, const Scope& scope) {
  const std::string_view word = named[0].value;
  if (named.size() > 1) {
    const CallArguments call = word == "read_flags" ? arguments_at(named, 1) : CallArguments();
    Scope texts = scope;
    texts.is_number = false;
    const Texts letters = call.empty() ? Texts() : texts_of(call[0], texts);
    return letters.size() == 1 ? std::optional(access_of(letters.front())) : std::nullopt;
  }
  if (word == "true" || word == "false") return word == "true" ? 1 : 0;
  if (const auto constant = platform_constant(word)) return constant;
  if (const Tokens* const defined = define(word)) return number(*defined, scope);
  if (const auto constant = constants_.find(word); constant != constants_.end()) {
    return constant->second ? number(*constant->second, scope) : std::nullopt;
  }
  if (const Enumerated* const item = enumerated(word)) return item->number;
  return scope.source != nullptr ? only_number_of(word, scope) : std::nullopt;
}

// Of an index, as far as the source says it. The items of an enumeration count as they are written
// in the braces of an array.
std::optional<std::size_t> Values::index_of(TokenSpan index) {
  index = without_tags(index);
  if (is_word(index) && define(index[0].value) == nullptr) {
    if (const Enumerated* const item = enumerated(index[0].value)) return item->position;
  }
  const auto known = is_ambiguous(index) ? std::nullopt : number(index);
  return known && *known >= 0 ? std::optional<std::size_t>(*known) : std::nullopt;
}

Values::Texts Values::texts_of(TokenSpan expression, const Scope& scope) {
  expression = without_parentheses(expression);
  if (expression.empty() || !may_go_on(expression.size(), scope.depth)) return {};
  if (is_word(expression)) return texts_of_word(expression, scope);
  if (expression.front().kind == Token::Kind::word && expression[1].is("[")) {
    return element(expression, scope);
  }
  if (expression.front().is_word("fmt") && expression[1].is("(")) {
    const CallArguments call = arguments_at(expression, 1);
    if (call.empty()) return {};
    return formatted(call[0], std::span(call).subspan(1), scope.deeper());
  }
  const bool is_sum =
      std::ranges::any_of(expression, [](const auto& each) { return each.is("+"); });
  const bool has_numbers = scope.is_first && !is_sum && (expression.size() > 1 || scope.depth > 0);
  std::string text;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const Token& token = expression[i];
    if (token.joins_texts() || (scope.is_first && (token.is("!") || token.is("#")))) continue;
    if (token.kind == Token::Kind::text || (token.kind == Token::Kind::number && has_numbers)) {
      text += token.value;
    } else if (token.kind == Token::Kind::word) {
      const Texts inner = texts_of_word(expression.subspan(i, 1), scope.deeper());
      if (inner.size() != 1) return {};
      text += inner.front();
    } else {
      return {};
    }
    if (text.size() > (scope.is_first ? kLongestFirst : kLongestName)) return {};
  }
  return {std::move(text)};
}

// `word`: a span of that token.
Values::Texts Values::texts_of_word(TokenSpan word, const Scope& scope) {
  const std::string_view name = word[0].value;
  if (!may_go_on(1, scope.depth)) return {};
  if (const Tokens* const defined = define(name)) {
    if (!scope.is_first && is_ambiguous(word)) return {};
    return texts_of(*defined, scope.deeper());
  }
  if (scope.is_first) return first_texts_of(name, scope);
  if (scope.function != nullptr) {
    if (std::optional<Texts> written = written_before(word, scope)) return *written;
    if (const auto place = scope.function->place_of(word)) {
      return argument('s', *place, scope);
    }
  }
  return elements(declaration(name), {}, scope.deeper());
}

Values::Texts Values::first_texts_of(std::string_view name, const Scope& scope) {
  if (const auto array = first_.find(name); array != first_.end()) {
    return texts_of(array->second, scope.deeper());
  }
  if (!written_) {
    written_.emplace();
    for (const Source* source : sources_) {
      for (const char* function : {"formatex", "format", "copy"}) {
        for (Call& call : source->calls(function)) {
          if (call.arguments.size() < 3 || call.arguments[0].size() != 1) continue;
          written_->try_emplace(call.arguments[0][0].value, std::move(call.arguments));
        }
      }
    }
  }
  const auto call = written_->find(name);
  if (call == written_->end()) return {};
  return formatted(call->second[2], std::span(call->second).subspan(3), scope.deeper());
}

// `NAME[…][…]`.
Values::Texts Values::element(TokenSpan expression, const Scope& scope) {
  std::vector<TokenSpan> indexes;
  std::size_t i = 1;
  while (i < expression.size() && expression[i].is("[")) {
    const std::size_t end = behind(expression, i);
    if (end == i + 1 || end > expression.size() || !expression[end - 1].is("]")) return {};
    indexes.push_back(expression.subspan(i + 1, end - i - 2));
    i = end;
  }
  if (i != expression.size()) return {};
  const std::string_view name = expression[0].value;
  TokenSpan value;
  if (scope.is_first) {
    const auto list = first_list_.find(name);
    if (list != first_list_.end()) value = list->second;
  } else if (value = declaration_near(name, scope);
             value.empty() && !declarations_.contains(name) && indexes.size() == 1) {
    return filled(name, indexes[0], scope.deeper());
  }
  Texts texts = elements(value, indexes, scope.deeper());
  std::erase_if(indexes, [&](TokenSpan index) { return index_of(index).has_value(); });
  // What is at `i` and at `i + 1` varies with `i`.
  varies_ = indexes.size() == 1 ? indexes[0].first(std::min<std::size_t>(indexes[0].size(), 1))
                                : expression;
  return texts;
}

// The texts in `{ "a", { "b", "c" } }`, or of an expression. An index that is not known is any.
Values::Texts Values::elements(TokenSpan value, std::span<const TokenSpan> indexes,
                               const Scope& scope) {
  if (value.empty() || !may_go_on(value.size(), scope.depth)) return {};
  if (!value.front().is("{")) {
    return scope.is_number ? texts_in_form('d', value, scope.deeper())
                           : texts_of(value, scope.deeper());
  }
  CallArguments all = arguments_at(value, 0);
  std::erase_if(all, [](TokenSpan each) { return each.empty(); });
  Turns turns;
  if (!indexes.empty()) {
    const auto number = index_of(indexes[0]);
    if (number && *number < all.size()) {
      return elements(all[*number], indexes.subspan(1), scope.deeper());
    }
    const auto found = number ? turns : turns_of(indexes[0], scope);
    if (!found) return {};
    turns = *found;
  }
  Texts texts;
  for (std::size_t turn = 0; turn < all.size(); turn += turns.step) {
    const std::size_t n = turn + turns.first;
    const auto others = indexes.empty() ? indexes : indexes.subspan(1);
    Texts inner = n < all.size() ? elements(all[n], others, scope.deeper()) : Texts();
    if (inner.empty()) inner.emplace_back();
    append(texts, std::move(inner));
  }
  return texts;
}

Values::Texts Values::formatted(TokenSpan format, std::span<const TokenSpan> values,
                                const Scope& scope) {
  const Texts formats = texts_of(format, scope.deeper());
  if (formats.size() != 1) return {};
  const Pattern pattern = pattern_of(formats.front());
  const std::string& forms = pattern.forms;
  if (forms.size() > values.size() || (pattern.has_widths && !scope.is_first)) return {};
  const Columns columns = columns_of(forms, values.first(forms.size()), scope);
  const std::vector<Texts>& between = columns.texts;
  if (std::ranges::any_of(between, [](const Texts& texts) { return texts.empty(); })) return {};
  varies_ = columns.varies;
  Texts all;
  for (std::size_t n = 0; n < columns.count; ++n) {
    std::string text = pattern.parts[0];
    for (std::size_t k = 0; k < between.size(); ++k) {
      const std::string& value = between[k][between[k].size() == 1 ? 0 : n];
      if (value.empty() && between[k].size() > 1) {
        text.clear();
        break;
      }
      text += value + pattern.parts[k + 1];
      if (text.size() > (scope.is_first ? kLongestFirst : kLongestName)) return {};
    }
    all.push_back(std::move(text));
  }
  return all;
}

// What varies with another expression than the first that varies is not known.
Values::Columns Values::columns_of(std::string_view forms, std::span<const TokenSpan> values,
                                   const Scope& scope) {
  Columns columns;
  for (std::size_t i = 0; i < values.size(); ++i) {
    varies_ = values[i];
    Texts texts = texts_in_form(forms[i], values[i], scope.deeper());
    if (texts.size() > 1 && columns.count == 1) {
      columns.count = texts.size();
      columns.varies = varies_;
    } else if (texts.size() > 1) {
      const bool is_same = texts.size() == columns.count && same_values(varies_, columns.varies);
      if (!is_same) texts.clear();
    }
    columns.texts.push_back(std::move(texts));
  }
  return columns;
}

Values::Texts Values::texts_in_form(char form, TokenSpan value, const Scope& scope) {
  if (form == 's' || scope.is_first) return texts_of(value, scope);
  if ((form != 'd' && form != 'i') || value.empty()) return {};
  if (scope.function != nullptr) {
    const auto place = scope.function->place_of(value);
    if (place) return argument('d', *place, scope);
  }
  if (value.size() > 3 && value.front().kind == Token::Kind::word && value[1].is("[")) {
    Scope numbers = scope;
    numbers.is_number = true;
    return element(value, numbers.deeper());
  }
  const auto known = is_ambiguous(value) ? std::nullopt : number(value, scope);
  return known ? Texts{std::to_string(*known)} : Texts();
}

}  // namespace goldsmith::pawn
