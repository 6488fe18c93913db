#include "app/pawn/includes.hpp"

#include <algorithm>

#include "app/domain/component.hpp"
#include "app/pawn/source.hpp"
#include "app/pawn/words.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostDeclared = 16'384;

// The kind of what begins with that word; '\0' = nothing does.
char kind_of(const Token& token) {
  if (token.is_word("native")) return 'n';
  if (token.is_word("forward")) return 'f';
  if (token.is_word("stock") || token.is_word("public")) return 's';
  return token.is_word("const") ? 'c' : '\0';
}

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

class DeclaredNames {
 public:
  explicit DeclaredNames(const Source& source) : source_(source) {}

  std::vector<std::string> read() {
    add_declared();
    for (const Enumeration& each : source_.enumerations()) {
      add('c', each.name);
      for (const TokenSpan item : each.items) add('c', item.front().value);
    }
    for (const std::string_view macro : source_.read().macros) add('c', macro);
    std::ranges::sort(names_);
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    names_.resize(std::min(names_.size(), kMostDeclared));
    return std::move(names_);
  }

 private:
  void add(char kind, std::string_view name) {
    if (name.ends_with("_included") || name == "operator") return;
    std::string text = std::string{kind, ':'}.append(name);
    if (domain::is_declared_name(text)) names_.push_back(std::move(text));
  }

  void add_declared() {
    const TokenSpan tokens = source_.tokens();
    for (std::size_t at = 0; at < tokens.size(); at = behind(tokens, at)) {
      const char kind = kind_of(tokens[at]);
      // `stock const NAME` is one.
      const bool is_known = kind == 'c' && at > 0 && kind_of(tokens[at - 1]) == 's';
      if (kind == '\0' || is_known) continue;
      add(kind, name_from(tokens, at + 1, kind == 'n' || kind == 'f' ? "(" : "([=;"));
    }
  }

  const Source& source_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> included_names(std::string_view source) {
  return read_pawn(source, 0).includes;
}

std::vector<std::string> include_candidates(std::string_view name) {
  std::vector<std::string> candidates;
  for (const char* extension : {"", ".inc", ".p", ".pawn"}) {
    candidates.push_back(std::string(name) + extension);
  }
  return candidates;
}

bool is_placed(const domain::PluginFile& file) {
  static const WordList others("kinds of files that are no sources");
  const bool is_small = file.content.size() <= kLargestSource &&
                        file.size_bytes <= static_cast<std::int64_t>(kLargestSource);
  return is_small && !others.has(file.kind);
}

std::optional<std::string> folder_below(const domain::PluginFile& file,
                                        const domain::PluginFile& entry) {
  const std::string outer = entry.install_dir.empty() ? "" : entry.install_dir + "/";
  const bool below = file.install_dir != entry.install_dir && file.install_dir.starts_with(outer);
  if (!below) return std::nullopt;
  return file.install_dir.substr(outer.size());
}

std::vector<std::string> declared_names(std::string_view include) {
  return DeclaredNames(Source(include)).read();
}

}  // namespace goldsmith::pawn
