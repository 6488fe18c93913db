#include "app/pawn/declared_names.hpp"

#include <algorithm>

#include "app/domain/component.hpp"
#include "app/pawn/source.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostDeclared = 16'384;

class Names {
 public:
  void add(char kind, std::string_view name) {
    if (name.ends_with("_included") || name == "operator") return;
    std::string text{kind, ':'};
    text.append(name);
    if (domain::is_declared_name(text)) names_.push_back(std::move(text));
  }

  std::vector<std::string> sorted() && {
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    names_.resize(std::min(names_.size(), kMostDeclared));
    return std::move(names_);
  }

 private:
  std::vector<std::string> names_;
};

// The first word from `at` on, within the statement, that one of `behind` follows: past tags.
std::string_view name_from(TokenSpan tokens, std::size_t at, std::string_view behind) {
  for (; at + 1 < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (token.is(";") || token.is_word("operator")) return {};
    const Token& next = tokens[at + 1];
    const bool ends = next.kind == Token::Kind::symbol && next.value.size() == 1 &&
                      behind.find(next.value) != std::string_view::npos;
    if (token.kind == Token::Kind::word && ends) return token.value;
    if (token.is("{")) at += token.link;  // tags
  }
  return {};
}

// The kind of what begins with that word; '\0' = nothing does.
char kind_of(const Token& token) {
  if (token.is_word("native")) return 'n';
  if (token.is_word("forward")) return 'f';
  if (token.is_word("stock") || token.is_word("public")) return 's';
  return token.is_word("const") ? 'c' : '\0';
}

void add_declared(TokenSpan tokens, Names& names) {
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    if (tokens[at].opens() && tokens[at].link > 0) {
      at += tokens[at].link;
      continue;
    }
    const char kind = kind_of(tokens[at]);
    if (kind == '\0') continue;
    // `stock const NAME` is one.
    if (kind == 'c' && at > 0 && kind_of(tokens[at - 1]) == 's') continue;
    names.add(kind, name_from(tokens, at + 1, kind == 'n' || kind == 'f' ? "(" : "([=;"));
  }
}

void add_constants(const Source& source, Names& names) {
  for (const Enumeration& each : source.enumerations()) {
    for (const TokenSpan item : each.items) names.add('c', item.front().value);
  }
  const TokenSpan tokens = source.tokens();
  for (const std::uint32_t at : source.places("enum")) {
    std::size_t name = at + 1;
    if (name + 1 < tokens.size() && tokens[name + 1].is(":")) name += 2;
    if (name < tokens.size() && tokens[name].kind == Token::Kind::word) {
      names.add('c', tokens[name].value);
    }
  }
}

// Directives, also of macros with parameters.
void add_macros(std::string_view text, Names& names) {
  constexpr std::string_view kDefine = "#define";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto skip_blanks = [&] {
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    };
    skip_blanks();
    if (!line.starts_with(kDefine)) continue;
    line.remove_prefix(kDefine.size());
    if (line.empty() || !is_blank(line.front())) continue;
    skip_blanks();
    const auto behind = std::find_if_not(line.begin(), line.end(), [](char c) {
      return c == '_' || c == '@' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
             (c >= 'a' && c <= 'z');
    });
    names.add('c', std::string_view(line.begin(), behind));
  }
}

}  // namespace

std::vector<std::string> declared_names(std::string_view include) {
  Names names;
  const Source source(include);
  add_declared(source.tokens(), names);
  add_constants(source, names);
  add_macros(include, names);
  return std::move(names).sorted();
}

}  // namespace goldsmith::pawn
