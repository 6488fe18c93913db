#include "app/pawn/lexer.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostIncluded = 500;
constexpr std::size_t kMostSwitches = 500;
constexpr std::size_t kLongestIncludedName = 1024;  // no file has a longer one

bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@';
}

bool is_in_word(char c) { return is_word_start(c) || domain::is_digit(c); }

// Of `...`, of an operator of several characters, or of any other one.
std::size_t size_of_symbol(std::string_view text) {
  if (text.starts_with("...")) return 3;
  const char next = text.size() > 1 ? text[1] : ' ';
  const bool is_twice = next == text[0] && std::string_view("+-<>&|").find(next) != text.npos;
  const std::size_t size = is_twice ? 2 : 1;
  const bool takes_equals = std::string_view("=!<>+-*/%&|^").find(text[0]) != text.npos;
  return size + (takes_equals && text.substr(size).starts_with('=') ? 1 : 0);
}

bool consume(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// Tokens, each with what it says of brackets. A brace closes what is open within it, and a
// semicolon, but for those of a loop, what is open in its statement.
class LinkedTokens {
 public:
  explicit LinkedTokens(std::size_t most) : most_(most) {}

  void add(Token::Kind kind, std::string_view value) {
    if (tokens_.size() >= most_) return;
    const std::size_t at = tokens_.size();
    const bool is_symbol = kind == Token::Kind::symbol;
    if (is_symbol) close(value.front(), at);
    Token& token = tokens_.emplace_back();
    token.kind = kind;
    token.value = value;
    if (!open_.empty()) {
      token.outer = static_cast<std::uint32_t>(at - open_.back().at);
      token.place = open_.back().commas;
      if (is_symbol && value == ",") ++open_.back().commas;
    }
    if (is_symbol && token.opens()) open_.push_back({at, 0});
  }

  Tokens take() { return std::move(tokens_); }

 private:
  struct Open {
    std::size_t at;
    std::uint32_t commas;
  };

  bool is_brace_open() const { return tokens_[open_.back().at].is("{"); }
  bool is_loop_open() const {
    const std::size_t at = open_.back().at;
    return at > 0 && tokens_[at].is("(") && tokens_[at - 1].is_word("for");
  }

  void close(char symbol, std::size_t at) {
    if (symbol == ';') {
      while (!open_.empty() && !is_brace_open() && !is_loop_open()) open_.pop_back();
      return;
    }
    if (symbol != ')' && symbol != ']' && symbol != '}') return;
    while (symbol == '}' && !open_.empty() && !is_brace_open()) open_.pop_back();
    if (open_.empty() || (symbol != '}' && is_brace_open())) return;
    tokens_[open_.back().at].link = static_cast<std::uint32_t>(at - open_.back().at);
    open_.pop_back();
  }

  const std::size_t most_;
  Tokens tokens_;
  std::vector<Open> open_;  // brackets, the innermost last
};

class Reader {
 public:
  Reader(std::string_view source, std::size_t most) : text_(source), tokens_(most) {}
  // The value of a #define, which is one line however many it is written on: a `#` in it begins no
  // directive, so that values are not in one another.
  Reader(std::string_view value, char escape)
      : text_(value), at_line_start_(false), is_value_(true), escape_(escape), tokens_(SIZE_MAX) {}

  PawnSource read() {
    while (at_ < text_.size()) step();
    source_.tokens = tokens_.take();
    return std::move(source_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      at_line_start_ = !is_value_;
      ++at_;
    } else if (is_blank(c)) {
      ++at_;
    } else if (rest().starts_with("//") || rest().starts_with("/*")) {
      skip_comment();
    } else if (c == '#' && at_line_start_) {
      directive();
    } else {
      at_line_start_ = false;
      in_head_ = false;
      token(c);
    }
  }

  std::string_view rest() const { return text_.substr(at_); }
  void add(Token::Kind kind, std::string_view value) {
    const bool is_left_out =
        skipped_ > 0 || (is_value_ && kind == Token::Kind::symbol && value == "\\");
    if (!is_left_out) tokens_.add(kind, value);
  }

  void skip_comment() {
    const bool is_line = text_[at_ + 1] == '/';
    const std::size_t end = text_.find(is_line ? "\n" : "*/", at_ + 2);
    const std::size_t stop = std::min(end, text_.size());
    const std::string_view comment = text_.substr(at_ + 2, stop - at_ - 2);
    if (is_line) note_switch(comment);
    if (in_head_) source_.head_comment.append(comment) += '\n';
    if (in_head_ && !is_directed_) source_.opening_comment.append(comment) += '\n';
    at_ = is_line || end == std::string_view::npos ? stop : end + 2;
  }

  // `//#define NAME`: a choice of whoever compiles it.
  void note_switch(std::string_view comment) {
    comment = base::trim_ascii(comment);
    if (consume(comment, "#define ") && off_.size() < kMostSwitches) off_.insert(word_in(comment));
  }

  // The first word of a text.
  static std::string_view word_in(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t("), text.size()));
    const auto end = std::ranges::find_if_not(text, is_in_word);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
  }

  // std::nullopt: who knows.
  std::optional<bool> is_met(std::string_view condition) const {
    if (condition == "0" || condition.starts_with("0 ") || condition.starts_with("0/")) {
      return false;
    }
    const bool is_denied = consume(condition, "!");
    if (!consume(condition, "defined")) return std::nullopt;
    const std::string_view name = word_in(condition);
    const auto end = static_cast<std::size_t>(name.data() + name.size() - condition.data());
    const std::string_view rest = base::trim_ascii(condition.substr(end));
    const bool is_all = rest.empty() || rest == ")" || rest.starts_with("//");
    const bool is_off = is_all && off_.contains(name) && !source_.defines.contains(name);
    return is_off ? std::optional(is_denied) : std::nullopt;
  }

  void token(char c) {
    if (c == '"') return string();
    if (c == '\'') return character();
    const std::size_t from = at_;
    if (is_in_word(c)) {
      const bool is_number = domain::is_digit(c);
      const auto goes_on = [&] {
        return is_in_word(text_[at_]) || (is_number && text_[at_] == '.');
      };
      while (at_ < text_.size() && goes_on()) ++at_;
      return add(is_number ? Token::Kind::number : Token::Kind::word,
                 text_.substr(from, at_ - from));
    }
    at_ += size_of_symbol(rest());
    add(Token::Kind::symbol, text_.substr(from, at_ - from));
  }

  // Its value does not matter; quotes and slashes in it do.
  void character() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == escape_) ++at_;
    const std::size_t end = std::min(text_.find_first_of("'\n", at_ + 1), text_.size());
    at_ = end < text_.size() && text_[end] == '\'' ? end + 1 : end;
    add(Token::Kind::number, "0");
  }

  void string() {
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n';) {
      const char c = text_[at_++];
      if (c == '\\' && escape_ != '\\' && continues()) continue;
      if (c != escape_) {
        if (c != '\r') value += c;
      } else if (at_ < text_.size()) {
        value += escaped();
      }
    }
    if (at_ < text_.size() && text_[at_] == '"') ++at_;
    add(Token::Kind::text, value);
  }

  // Behind a backslash: takes the end of the line and what blanks follow, if there is one.
  bool continues() {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] == '\r') ++end;
    if (end >= text_.size() || text_[end] != '\n') return false;
    while (end < text_.size() && is_blank(text_[end])) ++end;
    at_ = end;
    return true;
  }

  std::string escaped() {
    const char c = text_[at_++];
    if (c == 'n' || c == 'r' || c == 't') return " ";
    if (c != 'x' && !domain::is_digit(c)) return std::string(1, c);
    if (c != 'x') --at_;
    const std::size_t from = at_;
    const std::string_view digits = c == 'x' ? "0123456789abcdefABCDEF" : "0123456789";
    while (at_ < text_.size() && at_ - from < 3 && digits.find(text_[at_]) != digits.npos) ++at_;
    const auto code =
        base::parse_number<unsigned>(text_.substr(from, at_ - from), c == 'x' ? 16 : 10);
    if (at_ < text_.size() && text_[at_] == ';') ++at_;
    // Codes below the space colour texts of the game.
    return code && *code >= 0x20 && *code < 0x100 ? std::string(1, static_cast<char>(*code)) : "";
  }

  // The whole directive, comments removed by reading its value as tokens.
  void directive() {
    is_directed_ = true;
    std::size_t end = at_;
    do {
      end = std::min(text_.find('\n', end + 1), text_.size());
    } while (end < text_.size() && is_continued(end));
    std::string_view line = text_.substr(at_ + 1, end - at_ - 1);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (!line.starts_with("include")) in_head_ = in_head_ && line.starts_with("pragma");
    condition(line);
    if (consume(line, "define")) {
      define(line);
    } else if (consume(line, "include") || consume(line, "tryinclude")) {
      include(line);
    }
    if (line.starts_with("pragma ctrlchar") && line.find('\\') != line.npos) escape_ = '\\';
    // A comment that begins in the directive and ends on a later line.
    const std::string_view whole = text_.substr(at_, end - at_);
    const std::size_t comment = whole.rfind("/*");
    const std::string_view before = whole.substr(0, comment);
    const bool is_open = comment != whole.npos && whole.find("*/", comment) == whole.npos &&
                         before.find("//") == whole.npos && before.find('"') == whole.npos;
    at_ = is_open ? at_ + comment : end;
    in_head_ = in_head_ && !is_open;
  }

  // Blanks may follow the backslash.
  bool is_continued(std::size_t end) const {
    std::size_t last = end;
    while (last > at_ && is_blank(text_[last - 1]) && text_[last - 1] != '\n') --last;
    return last > at_ && text_[last - 1] == '\\';
  }

  void condition(std::string_view line) {
    if (line.starts_with("if")) {
      const auto met = skipped_ > 0 ? false : is_met(base::trim_ascii(line.substr(2)));
      if (skipped_ == 0) is_met_.push_back(met == true);
      if (met == false) ++skipped_;
    } else if (line.starts_with("endif")) {
      if (skipped_ > 0) --skipped_;
      if (skipped_ == 0 && !is_met_.empty()) is_met_.pop_back();  // an #endif may lack its #if
    } else if (skipped_ <= 1 && line.starts_with("else") && !is_met_.empty()) {
      skipped_ = is_met_.back() ? 1 : 0;
    }
  }

  void include(std::string_view line) {
    line = base::trim_ascii(line.substr(0, line.find('\n')));  // no name goes on
    const char end = line.starts_with('<') ? '>' : '"';
    if (consume(line, "<") || consume(line, "\"")) line = line.substr(0, line.find(end));
    const std::string_view name = base::trim_ascii(line);
    if (name.empty() || name.size() > kLongestIncludedName) return;
    if (included_.size() < kMostIncluded && included_.insert(name).second) {
      source_.includes.emplace_back(name);
      if (skipped_ > 0) source_.never_included.emplace_back(name);
    } else if (skipped_ == 0) {
      std::erase(source_.never_included, name);
    }
  }

  void define(std::string_view line) {
    if (line.empty() || !is_blank(line.front())) return;
    line = base::trim_ascii(line);
    std::size_t end = 0;
    while (end < line.size() && is_in_word(line[end])) ++end;
    if (end > 0) source_.macros.push_back(line.substr(0, end));
    if (skipped_ > 0 || end == 0) return;
    if (end < line.size() && !is_blank(line[end]) && line[end] != '"') return;
    std::string name(line.substr(0, end));
    Tokens value = Reader(line.substr(end), escape_).read().tokens;
    const auto [known, is_new] = source_.defines.try_emplace(std::move(name), value);
    if (!is_new && !same_values(value, known->second)) {
      source_.redefined[known->first].push_back(std::move(value));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool at_line_start_ = true;
  bool is_value_ = false;
  bool in_head_ = true;
  bool is_directed_ = false;  // a directive was read
  int skipped_ = 0;           // conditions that are open since one that is never true
  std::vector<bool> is_met_;  // of the others that are open: it is always true
  char escape_ = '^';
  std::set<std::string_view> included_;
  std::set<std::string_view> off_;  // names
  LinkedTokens tokens_;
  PawnSource source_;
};

}  // namespace

bool same_values(TokenSpan one, TokenSpan other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Token& a, const Token& b) { return a.value == b.value; });
}

std::size_t behind(TokenSpan tokens, std::size_t at) { return at + tokens[at].link + 1; }

CallArguments arguments_at(TokenSpan tokens, std::size_t open) {
  CallArguments arguments;
  if (open >= tokens.size() || tokens[open].link == 0) return arguments;
  const std::size_t close = open + tokens[open].link;
  if (close >= tokens.size()) return arguments;
  std::size_t from = open + 1;
  for (std::size_t i = from; i < close; i = behind(tokens, i)) {
    if (!tokens[i].is(",")) continue;
    arguments.push_back(tokens.subspan(from, i - from));
    from = i + 1;
  }
  arguments.push_back(tokens.subspan(from, close - from));
  return arguments;
}

PawnSource read_pawn(std::string_view source, std::size_t most) {
  return Reader(source, most).read();
}

CallArguments in_order(const CallArguments& call, std::span<const std::string_view> parameters) {
  CallArguments ordered(parameters.size());
  for (std::size_t i = 0; i < call.size(); ++i) {
    const TokenSpan value = call[i];
    if (value.size() < 3 || !value[0].is(".") || !value[2].is("=")) {
      if (i < ordered.size()) ordered[i] = value;
      continue;
    }
    const auto parameter = std::find(parameters.begin(), parameters.end(), value[1].value);
    if (parameter == parameters.end()) continue;
    ordered[static_cast<std::size_t>(parameter - parameters.begin())] = value.subspan(3);
  }
  return ordered;
}

}  // namespace goldsmith::pawn
