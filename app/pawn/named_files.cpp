#include "app/pawn/named_files.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/functions.hpp"

namespace goldsmith::pawn {
namespace {

using domain::PrecachedFile;

constexpr std::size_t kMostTokens = 400'000;
constexpr std::size_t kMostSteps = 4'000'000;  // names can multiply each other
constexpr std::size_t kStepsOfCall = 50;       // to find its arguments
constexpr std::size_t kMostTexts = 512;        // of an expression
constexpr std::size_t kMostCalls = 256;        // of a function
constexpr std::size_t kLongestName = 256;
constexpr int kDeepestName = 16;

enum class Kind { model, sound, generic };

// `word`: the name of a function or of a constant of fakemeta.
std::optional<Kind> kind_of(std::string_view word) {
  static const std::map<std::string_view, Kind> kinds{
      {"precache_model", Kind::model},        {"precache_sound", Kind::sound},
      {"precache_generic", Kind::generic},    {"EngFunc_PrecacheModel", Kind::model},
      {"EngFunc_PrecacheSound", Kind::sound}, {"EngFunc_PrecacheGeneric", Kind::generic},
      {"EF_PrecacheModel", Kind::model},      {"EF_PrecacheSound", Kind::sound},
      {"EF_PrecacheGeneric", Kind::generic}};
  const auto found = kinds.find(word);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

// `name`, as a path below the game's folder.
std::optional<PrecachedFile> precached(std::string_view name, Kind kind) {
  if (name.find_first_of("%\"") != std::string_view::npos) return std::nullopt;
  std::string path = base::to_lower_ascii(name);
  std::replace(path.begin(), path.end(), '\\', '/');
  if (kind == Kind::sound) path.insert(0, "sound/");
  const bool is_path = path.find('.') != std::string::npos &&
                       path.find("//") == std::string::npos && domain::is_relative_path(path);
  if (!is_path) return std::nullopt;
  return PrecachedFile{std::move(path), kind == Kind::model};
}

// Whether a text of many, such as those of an array, can be a file of the kind.
bool suits(std::string_view name, Kind kind) {
  const std::string lower = base::to_lower_ascii(name);
  switch (kind) {
    case Kind::model:
      return lower.ends_with(".mdl") || lower.ends_with(".spr") || lower.ends_with(".bsp");
    case Kind::sound:
      return lower.ends_with(".wav");
    case Kind::generic:
      break;
  }
  return true;
}

// What a function with a text as its result writes to its first argument.
struct Writer {
  enum class Form { format, copy, append, element };
  std::string_view function;
  Form form;
  std::size_t target;
  std::size_t source;
};
constexpr std::array<Writer, 6> kWriters{{{"format", Writer::Form::format, 0, 2},
                                          {"formatex", Writer::Form::format, 0, 2},
                                          {"copy", Writer::Form::copy, 0, 2},
                                          {"add", Writer::Form::append, 0, 2},
                                          {"strcat", Writer::Form::append, 0, 1},
                                          {"ArrayGetString", Writer::Form::element, 2, 0}}};

// These change none of the texts that they are given.
bool only_reads(std::string_view function) {
  static const std::set<std::string_view> readers{"ArrayFindString",
                                                  "ArrayPushString",
                                                  "EF_SetModel",
                                                  "TrieGetCell",
                                                  "TrieKeyExists",
                                                  "TrieSetCell",
                                                  "TrieSetString",
                                                  "charsmax",
                                                  "client_cmd",
                                                  "client_print",
                                                  "client_print_color",
                                                  "console_print",
                                                  "contain",
                                                  "containi",
                                                  "copy",
                                                  "create_cvar",
                                                  "cs_set_user_model",
                                                  "cvar_exists",
                                                  "dllfunc",
                                                  "emit_sound",
                                                  "engfunc",
                                                  "entity_set_model",
                                                  "entity_set_string",
                                                  "equal",
                                                  "equali",
                                                  "file_exists",
                                                  "filesize",
                                                  "fmt",
                                                  "fopen",
                                                  "format",
                                                  "formatex",
                                                  "if",
                                                  "is_module_loaded",
                                                  "log_amx",
                                                  "log_error",
                                                  "log_message",
                                                  "log_to_file",
                                                  "register_cvar",
                                                  "rg_set_user_model",
                                                  "server_cmd",
                                                  "server_print",
                                                  "set_fail_state",
                                                  "set_entvar",
                                                  "set_msg_arg_string",
                                                  "set_pev",
                                                  "set_pev_string",
                                                  "sizeof",
                                                  "str_to_num",
                                                  "strcat",
                                                  "strcmp",
                                                  "strlen",
                                                  "write_string",
                                                  "fm_set_user_model",
                                                  "fm_entity_set_model",
                                                  "rh_emit_sound2"};
  return readers.contains(function) || kind_of(function).has_value();
}

std::string joined(TokenSpan tokens) {
  std::string text;
  for (const Token& token : tokens) (text += token.value) += ' ';
  return text;
}

// Follows the names of files to the texts that they stand for. A name has any number of texts, none
// if they are not known; "" is one of an array that is not.
class PrecacheSearch {
 public:
  using Texts = std::vector<std::string>;

  PrecacheSearch(const PawnSource& source, const Constants& constants)
      : tokens_(source.tokens), constants_(constants), functions_(functions_in(tokens_)) {
    depths_.reserve(tokens_.size());
    int depth = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].is("{")) ++depth;
      if (tokens_[i].is("}")) --depth;
      depths_.push_back(depth);
      if (tokens_[i].kind == Token::Kind::word) places_[tokens_[i].value].push_back(i);
    }
    for (const PawnSource* each : constants_.sources()) read_declarations(each->tokens);
  }

  // Each with its name in the source.
  std::map<PrecachedFile, std::string> run(const PawnSource& source) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) take(tokens_, i, {function_at(i), i, nullptr});
    for (const auto& [name, value] : source.defines) {
      for (std::size_t i = 0; i < value.size(); ++i) take(value, i, {});
    }
    return std::move(files_);
  }

 private:
  struct Call;
  // Where an expression stands.
  struct Scope {
    const Function* function = nullptr;
    std::size_t at = 0;          // in tokens_
    const Call* call = nullptr;  // that the function was reached by
    bool is_any = false;         // without a call: by any
  };
  struct Call {
    CallArguments arguments;
    Scope scope;  // of the call
  };
  struct Declaration {
    TokenSpan value;
    bool is_const = false;
    bool has_others = false;  // that differ
  };
  using Indexes = std::vector<TokenSpan>;

  bool may_go_on(std::size_t steps, int depth) {
    if (depth > kDeepestName || steps_left_ <= steps) return false;
    steps_left_ -= steps + 1;
    return true;
  }

  std::size_t position(TokenSpan span) const {
    return static_cast<std::size_t>(span.data() - tokens_.data());
  }

  const Function* function_at(std::size_t at) const {
    auto next = std::upper_bound(functions_.begin(), functions_.end(), at,
                                 [&](std::size_t place, const Function& each) {
                                   return each.body.empty() || place < position(each.body);
                                 });
    if (next == functions_.begin()) return nullptr;
    const Function& found = *--next;
    return at < position(found.body) + found.body.size() ? &found : nullptr;
  }

  // The file of a call at `i`: `FUNCTION(NAME` or, with a constant, `CONSTANT, NAME`.
  void take(TokenSpan tokens, std::size_t i, Scope scope) {
    if (tokens[i].kind != Token::Kind::word || i + 1 >= tokens.size()) return;
    const bool is_call = tokens[i + 1].is("(");
    if (!is_call && !tokens[i + 1].is(",")) return;
    const auto kind = kind_of(tokens[i].value);
    if (!kind) return;
    const TokenSpan name = expression_at(tokens, i + 2);
    if (!name.empty()) add(name, *kind, scope);
  }

  // Up to the comma or bracket that ends it; nothing if there is none.
  TokenSpan expression_at(TokenSpan tokens, std::size_t from) {
    constexpr std::size_t kLongest = 100;
    int depth = 0;
    for (std::size_t i = from; i < std::min(tokens.size(), from + kLongest); ++i) {
      const Token& token = tokens[i];
      if (depth == 0 && (token.is(",") || token.is(")"))) return tokens.subspan(from, i - from);
      if (token.is("(") || token.is("[") || token.is("{")) ++depth;
      if (token.is(")") || token.is("]") || token.is("}")) --depth;
      if (token.is(";") || depth < 0) break;
    }
    return {};
  }

  void add(TokenSpan name, Kind kind, const Scope& scope) {
    const bool is_literal = std::all_of(name.begin(), name.end(), [](const Token& token) {
      return token.kind == Token::Kind::text;
    });
    if (is_looked_for(name, scope)) return;
    wants_calls_ = false;
    add(texts_of(name, scope, 0), kind, is_literal);
    if (!wants_calls_ || scope.function == nullptr) return;
    for (const Call& call : calls_of_function(*scope.function)) {
      add(texts_of(name, {scope.function, scope.at, &call}, 0), kind, false);
    }
  }

  void add(const Texts& names, Kind kind, bool is_literal) {
    for (const std::string& name : names) {
      if (!is_literal && !suits(name, kind)) continue;
      auto file = precached(name, kind);
      if (file && files_.size() < kMaxPrecachedFiles) files_.try_emplace(*std::move(file), name);
    }
  }

  // The function asks whether the file is there before it precaches it.
  bool is_looked_for(TokenSpan name, const Scope& scope) {
    if (scope.function == nullptr) return false;
    const auto calls = places_.find("file_exists");
    if (calls == places_.end()) return false;
    const std::size_t body = position(scope.function->body);
    auto call = std::lower_bound(calls->second.begin(), calls->second.end(), body);
    for (; call != calls->second.end() && *call < scope.at; ++call) {
      const TokenSpan asked = expression_at(tokens_, *call + 2);
      if (!may_go_on(asked.size(), 0)) return false;
      const bool is_same =
          std::equal(asked.begin(), asked.end(), name.begin(), name.end(),
                     [](const Token& one, const Token& other) { return one.value == other.value; });
      if (is_same) return true;
    }
    return false;
  }

  const std::vector<Call>& calls_of_function(const Function& function) {
    const auto [place, is_new] = calls_.try_emplace(&function);
    const auto named = places_.find(function.name);
    if (!is_new || named == places_.end()) return place->second;
    for (const std::size_t at : named->second) {
      const bool is_call = at + 1 < tokens_.size() && tokens_[at + 1].is("(");
      const Function* const caller = is_call ? function_at(at) : nullptr;
      if (caller == nullptr || caller == &function) continue;
      if (place->second.size() >= kMostCalls || !may_go_on(kStepsOfCall, 0)) break;
      CallArguments arguments = arguments_at(tokens_, at + 1);
      if (arguments.empty()) continue;
      place->second.push_back({std::move(arguments), {caller, at, nullptr, true}});
    }
    return place->second;
  }

  Texts texts_of(TokenSpan expression, const Scope& scope, int depth) {
    if (expression.empty() || !may_go_on(expression.size(), depth)) return {};
    if (expression.front().is("(") && expression.back().is(")")) {
      return texts_of(expression.subspan(1, expression.size() - 2), scope, depth + 1);
    }
    const bool is_word = expression.front().kind == Token::Kind::word;
    if (is_word && expression.size() > 1 && expression[1].is("[")) {
      return element(expression, scope, depth);
    }
    if (expression.size() == 1 && is_word) return texts_of_word(expression, scope, depth);
    if (expression.front().is_word("fmt") && expression[1].is("(")) {
      const CallArguments call = arguments_at(expression, 1);
      if (call.empty()) return {};
      return formatted(call[0], std::span(call).subspan(1), scope, depth + 1);
    }
    std::string text;
    for (std::size_t i = 0; i < expression.size(); ++i) {
      const Token& token = expression[i];
      if (token.is("...")) continue;
      if (token.kind == Token::Kind::text) {
        text += token.value;
      } else if (token.kind == Token::Kind::word) {
        const Texts inner = texts_of(expression.subspan(i, 1), scope, depth + 1);
        if (inner.size() != 1) return {};
        text += inner.front();
      } else {
        return {};
      }
      if (text.size() > kLongestName) return {};
    }
    return {std::move(text)};
  }

  // `word`: a span of that token.
  Texts texts_of_word(TokenSpan word, const Scope& scope, int depth) {
    const std::string_view name = word[0].value;
    if (const Tokens* const define = constants_.define(name)) {
      if (constants_.is_ambiguous(word)) return {};
      return texts_of(*define, scope, depth + 1);
    }
    if (scope.function != nullptr) {
      if (std::optional<Texts> written = written_before(name, scope, depth)) return *written;
      if (const auto place = scope.function->place_of(word)) return argument(*place, scope, depth);
    }
    const Declaration* const declared = declaration(name);
    return declared != nullptr ? elements(declared->value, {}, scope, depth + 1) : Texts();
  }

  // What the parameter at `place` may be.
  Texts argument(std::size_t place, const Scope& scope, int depth) {
    const auto of = [&](const Call& call) {
      return place < call.arguments.size() ? texts_of(call.arguments[place], call.scope, depth + 1)
                                           : Texts();
    };
    if (scope.call != nullptr) return of(*scope.call);
    if (!scope.is_any) {
      wants_calls_ = true;
      return {};
    }
    Texts all;
    for (const Call& call : calls_of_function(*scope.function)) {
      for (std::string& text : of(call)) {
        if (all.size() < kMostTexts) all.push_back(std::move(text));
      }
    }
    return all;
  }

  // The declaration of a name outside of functions that nothing changes.
  const Declaration* declaration(std::string_view name) {
    const auto found = declarations_.find(name);
    if (found == declarations_.end() || found->second.has_others) return nullptr;
    return found->second.is_const || !is_changed(name) ? &found->second : nullptr;
  }

  bool is_changed(std::string_view name) {
    const auto [known, is_new] = changed_.try_emplace(name, false);
    if (!is_new) return known->second;
    const auto places = places_.find(name);
    if (places == places_.end()) return false;
    for (const std::size_t at : places->second) {
      if (function_at(at) == nullptr) continue;
      const Use use = use_at(at);
      if (use.kind == Use::Kind::unknown || use.kind == Use::Kind::written) {
        return changed_[name] = true;
      }
    }
    return false;
  }

  // What a place does with a name.
  struct Use {
    enum class Kind { read, declared, assigned, written, unknown };
    Kind kind = Kind::read;
    TokenSpan value = {};            // of `declared` and `assigned`
    const Writer* writer = nullptr;  // of `written`
    std::size_t call = 0;            // of `written`: the function's name
  };

  Use use_at(std::size_t at) {
    if (!may_go_on(4, 0)) return {Use::Kind::unknown};
    if (at == 0 || at + 1 >= tokens_.size()) return {};
    const std::size_t behind = behind_brackets(tokens_, at + 1);
    const bool has_value = behind + 1 < tokens_.size() && tokens_[behind].is("=") &&
                           !tokens_[behind + 1].is("=") && !tokens_[behind - 1].is("=");
    if (is_declared(tokens_, at)) {
      return {Use::Kind::declared, has_value ? value_at(tokens_, behind + 1) : TokenSpan()};
    }
    if (has_value && behind == at + 1) {
      if (tokens_[at - 1].is(".")) return {};  // an argument's name
      return {Use::Kind::assigned, value_at(tokens_, behind + 1)};
    }
    if (has_value) return {Use::Kind::unknown};
    const bool is_argument = (tokens_[at - 1].is("(") || tokens_[at - 1].is(",")) &&
                             (tokens_[at + 1].is(",") || tokens_[at + 1].is(")"));
    return is_argument ? use_as_argument(at) : Use();
  }

  Use use_as_argument(std::size_t at) {
    constexpr std::size_t kLongest = 100;
    std::size_t place = 0;
    int depth = 0;
    for (std::size_t i = at; i-- > 0 && at - i < kLongest;) {
      const Token& token = tokens_[i];
      if (token.is(")") || token.is("]") || token.is("}")) ++depth;
      if (depth == 0 && token.is(",")) ++place;
      if (token.is(";")) break;
      const bool opens = token.is("(") || token.is("[") || token.is("{");
      if (!opens || depth-- > 0) continue;
      if (!token.is("(") || i == 0 || tokens_[i - 1].kind != Token::Kind::word) return {};
      return use_by(i - 1, place);
    }
    return {};
  }

  // `function`: the place of its name.
  Use use_by(std::size_t function, std::size_t place) {
    const std::string_view name = tokens_[function].value;
    for (const Writer& writer : kWriters) {
      if (writer.function != name || writer.target != place) continue;
      return {Use::Kind::written, {}, &writer, function};
    }
    if (only_reads(name)) return {};
    const auto own = std::find_if(functions_.begin(), functions_.end(),
                                  [&](const Function& each) { return each.name == name; });
    const bool reads = own != functions_.end() && place < own->parameters.size() &&
                       own->parameters[place].is_const;
    return {reads ? Use::Kind::read : Use::Kind::unknown};
  }

  // What a name has been given last in the function, and in branches that ended since;
  // std::nullopt = nothing there.
  std::optional<Texts> written_before(std::string_view name, const Scope& scope, int depth) {
    const auto places = places_.find(name);
    if (places == places_.end()) return std::nullopt;
    const std::size_t body = position(scope.function->body);
    std::optional<Texts> all;
    std::size_t seen = scope.at;
    int outermost = depths_[scope.at];  // since the place
    auto place = std::lower_bound(places->second.begin(), places->second.end(), scope.at);
    while (place != places->second.begin() && *--place >= body) {
      if (!may_go_on(seen - *place, depth)) return Texts();
      while (seen > *place) outermost = std::min(outermost, depths_[--seen]);
      const Use use = use_at(*place);
      if (use.kind == Use::Kind::read) continue;
      const bool is_in_branch = depths_[*place] > outermost;
      // A branch may go on with the name itself, for itself alone.
      if (is_in_branch && writes_itself(use, name)) continue;
      if (!all) all.emplace();
      for (std::string& text : texts_of_use(use, at(scope, *place), depth)) {
        if (all->size() < kMostTexts) all->push_back(std::move(text));
      }
      if (!is_in_branch) return all;
    }
    return all;
  }

  Texts texts_of_use(const Use& use, const Scope& scope, int depth) {
    switch (use.kind) {
      case Use::Kind::declared:
      case Use::Kind::assigned:
        return elements(use.value, {}, scope, depth + 1);
      case Use::Kind::written:
        return written_by(use, at(scope, use.call), depth + 1);
      case Use::Kind::read:
      case Use::Kind::unknown:
        break;
    }
    return {};
  }

  bool writes_itself(const Use& use, std::string_view name) {
    if (use.kind != Use::Kind::written || !may_go_on(kStepsOfCall, 0)) return false;
    const CallArguments call = arguments_at(tokens_, use.call + 1);
    if (use.writer->form == Writer::Form::append) return true;
    return std::any_of(
        call.begin() + static_cast<std::ptrdiff_t>(std::min(
                           call.size(), std::max(use.writer->source, use.writer->target + 1))),
        call.end(),
        [&](TokenSpan argument) { return argument.size() == 1 && argument[0].is_word(name); });
  }

  static Scope at(Scope scope, std::size_t place) {
    scope.at = place;
    return scope;
  }

  Texts written_by(const Use& use, const Scope& scope, int depth) {
    const Writer& writer = *use.writer;
    if (!may_go_on(kStepsOfCall, depth)) return {};
    const CallArguments call = arguments_at(tokens_, use.call + 1);
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
  Texts pushed_to(TokenSpan array, int depth) {
    Texts all;
    const auto calls = places_.find("ArrayPushString");
    if (calls == places_.end()) return all;
    for (const std::size_t at : calls->second) {
      if (at + 1 >= tokens_.size() || !tokens_[at + 1].is("(")) continue;
      if (!may_go_on(kStepsOfCall, depth)) break;
      const CallArguments call = arguments_at(tokens_, at + 1);
      if (call.size() < 2 || joined(call[0]) != joined(array)) continue;
      for (std::string& text : texts_of(call[1], {function_at(at), at, nullptr, true}, depth + 1)) {
        if (all.size() < kMostTexts) all.push_back(std::move(text));
      }
    }
    return all;
  }

  // `NAME[…][…]`.
  Texts element(TokenSpan expression, const Scope& scope, int depth) {
    Indexes indexes;
    std::size_t i = 1;
    while (i < expression.size() && expression[i].is("[")) {
      const std::size_t close = close_of(expression, i);
      if (close == expression.size()) return {};
      indexes.push_back(expression.subspan(i + 1, close - i - 1));
      i = close + 1;
    }
    if (i != expression.size()) return {};
    const std::string_view name = expression[0].value;
    if (const Declaration* const declared = declaration_near(name, scope)) {
      return elements(declared->value, indexes, scope, depth + 1);
    }
    return {};
  }

  // That in the function before the place, or else outside of functions.
  const Declaration* declaration_near(std::string_view name, const Scope& scope) {
    const auto places = places_.find(name);
    if (scope.function == nullptr || places == places_.end()) return declaration(name);
    const std::size_t body = position(scope.function->body);
    auto place = std::lower_bound(places->second.begin(), places->second.end(), scope.at);
    while (place != places->second.begin() && *--place >= body) {
      const Use use = use_at(*place);
      if (use.kind == Use::Kind::read) continue;
      if (use.kind != Use::Kind::declared || use.value.empty()) return nullptr;
      local_ = {use.value, true, false};
      return &local_;
    }
    return declaration(name);
  }

  // The texts in `{ "a", { "b", "c" } }`, or of an expression. An index that is not known is any.
  Texts elements(TokenSpan value, std::span<const TokenSpan> indexes, const Scope& scope,
                 int depth) {
    if (value.empty() || !may_go_on(value.size(), depth)) return {};
    if (!value.front().is("{")) return texts_of(value, scope, depth + 1);
    const CallArguments all = split(value);
    if (!indexes.empty()) {
      const auto number = number_of(indexes[0]);
      if (number && *number < all.size()) {
        return elements(all[*number], indexes.subspan(1), scope, depth + 1);
      }
      if (!number && !counts(indexes[0], scope)) return {};
    }
    Texts texts;
    for (const TokenSpan each : all) {
      Texts inner =
          elements(each, indexes.empty() ? indexes : indexes.subspan(1), scope, depth + 1);
      if (inner.empty()) inner.emplace_back();
      for (std::string& text : inner) {
        if (texts.size() < kMostTexts) texts.push_back(std::move(text));
      }
    }
    return texts;
  }

  // What is between braces, split at commas; `{` is the first token.
  CallArguments split(TokenSpan value) {
    CallArguments parts;
    int depth = 0;
    std::size_t from = 1;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Token& token = value[i];
      if (token.is("(") || token.is("[") || token.is("{")) ++depth;
      if (token.is(")") || token.is("]") || token.is("}")) --depth;
      if (depth > 1 || (depth == 1 && !token.is(","))) continue;
      if (i > from) parts.push_back(value.subspan(from, i - from));
      from = i + 1;
      if (depth == 0) break;
    }
    return parts;
  }

  // The index of a loop, so that each element has its turn.
  bool counts(TokenSpan index, const Scope& scope) {
    constexpr std::size_t kLongest = 40;
    if (scope.function == nullptr || index.size() != 1) return false;
    const auto places = places_.find(index[0].value);
    if (places == places_.end()) return false;
    const std::size_t body = position(scope.function->body);
    auto place = std::lower_bound(places->second.begin(), places->second.end(), body);
    for (; place != places->second.end() && *place < scope.at; ++place) {
      if (!may_go_on(kLongest, 0)) return false;
      int depth = 0;
      for (std::size_t i = *place; i-- > body && *place - i < kLongest;) {
        if (tokens_[i].is("{") || tokens_[i].is("}")) break;
        if (tokens_[i].is(")")) ++depth;
        if (!tokens_[i].is("(") || depth-- > 0 || i == 0) continue;
        if (tokens_[i - 1].is_word("for") || tokens_[i - 1].is_word("while")) return true;
        break;
      }
    }
    return false;
  }

  // Of an index, as far as the source says it: a number or a name of an enumeration.
  std::optional<std::size_t> number_of(TokenSpan index) {
    while (index.size() > 2 && index[1].is(":")) index = index.subspan(2);  // its tag
    if (index.size() != 1) return std::nullopt;
    if (index[0].kind == Token::Kind::number) {
      return base::parse_number<std::size_t>(index[0].value);
    }
    if (const Tokens* const define = constants_.define(index[0].value)) {
      if (define->size() != 1 || constants_.is_ambiguous(index)) return std::nullopt;
      return base::parse_number<std::size_t>(define->front().value);
    }
    const auto known = enumerated_.find(index[0].value);
    return known == enumerated_.end() ? std::nullopt : known->second;
  }

  Texts formatted(TokenSpan format, std::span<const TokenSpan> values, const Scope& scope,
                  int depth) {
    const Texts patterns = texts_of(format, scope, depth + 1);
    if (patterns.size() != 1) return {};
    const std::string& pattern = patterns.front();
    // Between each two parts is a value.
    std::vector<std::string> parts(1);
    std::vector<Texts> between;
    std::string varies;  // the expression that has several texts
    std::size_t count = 1;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '%') {
        parts.back() += pattern[i];
        continue;
      }
      const char form = ++i < pattern.size() ? pattern[i] : ' ';
      if (form == '%') {
        parts.back() += '%';
        continue;
      }
      if ((form != 's' && form != 'd' && form != 'i') || between.size() >= values.size()) return {};
      const TokenSpan value = values[between.size()];
      Texts texts = form == 's' ? texts_of(value, scope, depth + 1) : number_text(value);
      if (texts.empty()) return {};
      if (texts.size() > 1) {
        const std::string what = varying(value);
        if (count > 1 && (texts.size() != count || what != varies)) return {};
        count = texts.size();
        varies = what;
      }
      between.push_back(std::move(texts));
      parts.emplace_back();
    }
    Texts all;
    for (std::size_t n = 0; n < count; ++n) {
      std::string text = parts[0];
      for (std::size_t k = 0; k < between.size(); ++k) {
        const std::string& value = between[k][between[k].size() == 1 ? 0 : n];
        if (value.empty() && between[k].size() > 1) {
          text.clear();
          break;
        }
        text += value + parts[k + 1];
        if (text.size() > kLongestName) return {};
      }
      all.push_back(std::move(text));
    }
    return all;
  }

  Texts number_text(TokenSpan value) {
    const auto number = number_of(value);
    return number ? Texts{std::to_string(*number)} : Texts();
  }

  // What two expressions have in common whose texts belong together: the index of an array where
  // the others are known, or the whole expression.
  std::string varying(TokenSpan expression) {
    if (expression.size() < 4 || !expression[1].is("[")) return joined(expression);
    const std::size_t close = close_of(expression, 1);
    if (close == expression.size()) return joined(expression);
    const TokenSpan rest = expression.subspan(close + 1);
    const bool is_known =
        rest.empty() || (rest.size() > 2 && number_of(rest.subspan(1, rest.size() - 2)));
    return is_known ? "[" + joined(expression.subspan(2, close - 2)) : joined(expression);
  }

  // Where the bracket at `open` is closed; the end if it is not.
  static std::size_t close_of(TokenSpan tokens, std::size_t open) {
    constexpr std::size_t kLongest = 40;
    int depth = 0;
    for (std::size_t i = open; i < std::min(tokens.size(), open + kLongest); ++i) {
      if (tokens[i].is("[")) ++depth;
      if (tokens[i].is("]") && --depth == 0) return i;
    }
    return tokens.size();
  }

  static std::size_t behind_brackets(TokenSpan tokens, std::size_t at) {
    while (at < tokens.size() && tokens[at].is("[")) {
      const std::size_t close = close_of(tokens, at);
      if (close == tokens.size()) break;
      at = close + 1;
    }
    return at;
  }

  // `new NAME`, `static const NAME`, with a tag or without.
  static bool is_declared(TokenSpan tokens, std::size_t at) {
    while (at >= 2 && tokens[at - 1].is(":")) at -= 2;
    if (at == 0) return false;
    const Token& before = tokens[at - 1];
    return before.is_word("new") || before.is_word("static") || before.is_word("const") ||
           before.is_word("stock");
  }

  // A text, a name, or what is in braces.
  TokenSpan value_at(TokenSpan tokens, std::size_t from) {
    std::size_t end = from;
    if (from < tokens.size() && tokens[from].is("{")) {
      int depth = 0;
      for (; end < tokens.size() && may_go_on(0, 0); ++end) {
        if (tokens[end].is("{")) ++depth;
        if (tokens[end].is("}") && --depth == 0) return tokens.subspan(from, end + 1 - from);
      }
      return {};
    }
    const auto goes_on = [&] {
      if (tokens[end].kind == Token::Kind::text || tokens[end].is("...")) return true;
      return tokens[end].kind == Token::Kind::word && (end == from || tokens[end - 1].is("..."));
    };
    while (end < tokens.size() && goes_on()) ++end;
    // A call, or an element of an array.
    if (end < tokens.size() && (tokens[end].is("(") || tokens[end].is("["))) return {};
    return tokens.subspan(from, end - from);
  }

  // What is declared outside of functions, with a value, and the names of enumerations.
  void read_declarations(TokenSpan tokens) {
    int depth = 0;
    bool is_const = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      if (token.is_word("enum")) i = read_enumeration(tokens, i);
      if (token.is("{")) ++depth;
      if (token.is("}")) depth = std::max(depth - 1, 0);
      if (depth > 0 || i + 1 >= tokens.size()) continue;
      if (token.is(";") || token.is_word("new") || token.is_word("public")) is_const = false;
      if (token.is_word("const")) is_const = true;
      if (token.kind != Token::Kind::word || !tokens[i + 1].is("[")) continue;
      const std::size_t behind = behind_brackets(tokens, i + 1);
      if (behind >= tokens.size() || !tokens[behind].is("=")) continue;
      const TokenSpan value = value_at(tokens, behind + 1);
      if (value.empty()) continue;
      const auto [known, is_new] = declarations_.try_emplace(token.value);
      if (is_new) {
        known->second = {value, is_const, false};
      } else if (!std::equal(value.begin(), value.end(), known->second.value.begin(),
                             known->second.value.end(), [](const Token& one, const Token& other) {
                               return one.value == other.value;
                             })) {
        known->second.has_others = true;
      }
      i = behind + value.size();
    }
  }

  // Returns the place of its last token.
  std::size_t read_enumeration(TokenSpan tokens, std::size_t at) {
    std::size_t open = at + 1;
    while (open < std::min(tokens.size(), at + 12) && !tokens[open].is("{")) ++open;
    if (open >= tokens.size() || !tokens[open].is("{")) return at;
    const TokenSpan list = value_at(tokens, open);
    if (list.empty()) return at;
    bool is_counted = true;  // from 0 by one
    std::size_t next = 0;
    for (TokenSpan item : split(list)) {
      while (item.size() > 2 && item[1].is(":")) item = item.subspan(2);
      is_counted = is_counted && std::none_of(item.begin(), item.end(),
                                              [](const Token& token) { return token.is("="); });
      if (item.front().kind != Token::Kind::word) continue;
      const std::optional<std::size_t> number = is_counted ? std::optional(next++) : std::nullopt;
      enumerated_.insert_or_assign(item.front().value, number);
    }
    return open + list.size() - 1;
  }

  const TokenSpan tokens_;
  const Constants& constants_;
  const std::vector<Function> functions_;
  std::vector<int> depths_;  // of braces around each token
  std::unordered_map<std::string_view, std::vector<std::size_t>> places_;  // of words
  std::unordered_map<std::string_view, Declaration> declarations_;
  std::unordered_map<std::string_view, std::optional<std::size_t>> enumerated_;
  std::map<std::string_view, bool> changed_;
  std::map<const Function*, std::vector<Call>> calls_;
  Declaration local_;
  std::map<PrecachedFile, std::string> files_;
  bool wants_calls_ = false;  // a parameter counts
  std::size_t steps_left_ = kMostSteps;
};

}  // namespace

std::vector<PrecachedFile> precached_files(const PawnSource& source, const Constants& constants) {
  std::vector<PrecachedFile> files;
  for (const auto& [file, name] : PrecacheSearch(source, constants).run(source)) {
    files.push_back(file);
  }
  return files;
}

std::vector<std::string> precached_names(const PawnSource& source, const Constants& constants) {
  std::vector<std::string> names;
  for (auto& [file, name] : PrecacheSearch(source, constants).run(source)) {
    names.push_back(std::move(name));
  }
  return names;
}

domain::NamedFiles named_files(std::string_view source) {
  Tokens tokens;
  PawnSource read = read_pawn(source, [&](const Token& token) {
    if (tokens.size() < kMostTokens) tokens.push_back(token);
  });
  read.tokens = std::move(tokens);
  std::vector<PrecachedFile> precached = precached_files(read, Constants(read));
  return {std::move(read.includes), std::move(precached)};
}

}  // namespace goldsmith::pawn
