#include "app/pawn/shown_texts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace goldsmith::pawn {
namespace {

bool is_foreign(const Token& token) {
  return token.kind == Token::Kind::text && std::ranges::any_of(token.value, [](char byte) {
           return static_cast<unsigned char>(byte) >= 0x80;
         });
}

bool has_foreign(TokenSpan tokens) { return std::ranges::any_of(tokens, is_foreign); }

// Whether it is given to a function that shows players nothing.
bool is_unseen(TokenSpan tokens, std::size_t at) {
  static constexpr auto kUnseen = std::to_array<std::string_view>(
      {"delete_file", "fopen", "file_exists", "log_amx", "log_error", "log_message", "log_to_file",
       "precache_generic", "precache_model", "precache_sound", "register_dictionary",
       "register_library", "register_plugin", "server_print", "set_fail_state"});
  constexpr int kMostBrackets = 16;  // around a text
  for (int i = 0; i < kMostBrackets && tokens[at].outer > 0; ++i) {
    at -= tokens[at].outer;
    if (at == 0 || !tokens[at].is("(")) continue;
    const Token& function = tokens[at - 1];
    if (function.kind == Token::Kind::word &&
        std::ranges::find(kUnseen, function.value) != kUnseen.end()) {
      return true;
    }
  }
  return false;
}

// Whether a name is used, beside its declaration, where players may see it.
bool is_shown(const Source& source, std::string_view name, std::size_t declared) {
  return std::ranges::any_of(source.places(name), [&](std::size_t at) {
    return at != declared && !is_unseen(source.tokens(), at);
  });
}

bool is_shown_by_define(const Source& source) {
  return std::ranges::any_of(source.read().defines, [&](const auto& define) {
    return has_foreign(define.second) && is_shown(source, define.first, source.tokens().size());
  });
}

}  // namespace

bool shows_foreign_text(const Source& source) {
  const TokenSpan tokens = source.tokens();
  std::vector<bool> is_named(tokens.size());
  for (const ArrayValue& array : source.arrays()) {
    if (!array.is_global || !array.is_flat || !has_foreign(array.value)) continue;
    if (is_shown(source, tokens[array.at].value, array.at)) return true;
    const auto from = array.value.data() - tokens.data();
    std::fill_n(is_named.begin() + from, array.value.size(), true);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_named[i] && is_foreign(tokens[i]) && !is_unseen(tokens, i)) return true;
  }
  return is_shown_by_define(source);
}

}  // namespace goldsmith::pawn
