#include "app/pawn/secrets.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/source.hpp"
#include "app/pawn/values.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostSecrets = 100;
constexpr std::size_t kSearchedLine = 1000;  // what is behind it is not searched for keys
constexpr std::size_t kShortestKey = 24;     // characters: shorter texts are names more often

bool is_hex_digit(char c) {
  return domain::is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_key_character(char c) { return domain::is_alphanumeric(c) || c == '_' || c == '-'; }

// A text that may be a password: neither a switch, a path, a sentence or a format, nor what stands
// for one.
bool may_be_secret(std::string_view value) {
  constexpr std::array<std::string_view, 13> kNone{
      "on",    "off",      "yes",    "no",      "none", "null",    "true",
      "false", "password", "passwd", "default", "xxx",  "changeme"};
  if (value.size() < 2 || value.size() > 128 || value.front() == '_') return false;
  if (value.find_first_of("/\\.:<>*#$") != value.npos && value.size() < kShortestKey) return false;
  if (value.find(' ') != value.npos || value.find('%') != value.npos) return false;
  if (std::count_if(value.begin(), value.end(), domain::is_alphanumeric) < 2) return false;
  if (value.size() < 4 && std::all_of(value.begin(), value.end(), domain::is_digit)) return false;
  const std::string lower = base::to_lower_ascii(value);
  if (lower.starts_with("your") || lower.ends_with(".wav") || lower.ends_with(".mdl")) return false;
  return std::find(kNone.begin(), kNone.end(), lower) == kNone.end();
}

// The same of what has a name. A key is also one of a menu, of a language or of a vault: it is
// looked at whether its value is like one that a service gives.
bool may_be_secret(std::string_view name, std::string_view value) {
  constexpr std::string_view kKey = "key";
  constexpr std::size_t kShortestOfService = 6;
  if (!domain::names_secret(name) || !may_be_secret(value)) return false;
  std::string other = base::to_lower_ascii(name);
  for (std::size_t at = 0; (at = other.find(kKey, at)) != other.npos;) other.erase(at, kKey.size());
  if (domain::names_secret(other)) return true;
  return value.size() >= kShortestOfService && value.find('_') == value.npos &&
         std::ranges::any_of(value, domain::is_digit) &&
         std::ranges::any_of(value, domain::is_letter);
}

std::string masked(std::string_view secret) {
  const std::size_t shown = secret.size() > 5 ? 2 : 1;
  std::string text;
  for (const char c : secret.substr(0, shown)) {
    text += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E ? '?' : c;
  }
  return '"' + text + "…\"";
}

std::string printable(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, 64)) {
    text += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E ? '?' : c;
  }
  return text;
}

// From `at` on in both directions, as far as the characters are of that kind.
template <typename Is>
std::pair<std::size_t, std::size_t> around(std::string_view text, std::size_t at, Is is) {
  std::size_t from = at;
  while (from > 0 && is(text[from - 1])) --from;
  std::size_t end = at;
  while (end < text.size() && is(text[end])) ++end;
  return {from, end};
}

class Search {
 public:
  explicit Search(const Source& source) : read_(source), source_(source.text()), values_(source) {
    for (std::size_t at = source_.find('\n'); at != source_.npos; at = source_.find('\n', at + 1)) {
      ends_.push_back(at);
    }
  }

  std::vector<Secret> run() {
    cvars();
    constants();
    connections();
    std::size_t from = 0;
    for (std::size_t number = 1; from < source_.size(); ++number) {
      const std::size_t end = std::min(source_.find('\n', from), source_.size());
      line(source_.substr(from, std::min(end - from, kSearchedLine)), number);
      from = end + 1;
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const auto& one, const auto& other) { return one.line < other.line; });
    return std::move(found_);
  }

 private:
  void add(Secret::Kind kind, std::size_t line, std::string what) {
    if (found_.size() < kMostSecrets && seen_.insert({line, what}).second) {
      found_.push_back({kind, line, std::move(what)});
    }
  }

  // Of the first place of a text; 1 if the source writes it with escapes.
  std::size_t line_of(std::string_view text) const {
    const std::size_t at = source_.find(text);
    if (at == source_.npos) return 1;
    const auto end = std::lower_bound(ends_.begin(), ends_.end(), at);
    return static_cast<std::size_t>(end - ends_.begin()) + 1;
  }

  void add_named(std::string_view name, std::string_view value) {
    add(Secret::Kind::access, line_of('"' + std::string(value) + '"'),
        printable(name) + " is " + masked(value));
  }

  std::string text_of(TokenSpan expression) { return values_.text(expression).value_or(""); }

  void cvars() {
    for (const char* function : {"register_cvar", "create_cvar", "set_cvar_string"}) {
      for (const auto& [at, call] : read_.calls(function)) {
        if (call.size() < 2) continue;
        const std::string name = text_of(call[0]);
        const std::string value = text_of(call[1]);
        if (may_be_secret(name, value)) add_named(name, value);
      }
    }
  }

  // `#define NAME "…"`, and `NAME[…] = "…"`.
  void constants() {
    for (const auto& [name, value] : read_.read().defines) {
      if (value.size() == 1) constant(name, value.front());
    }
    for (const ArrayValue& array : read_.arrays()) {
      constant(read_.tokens()[array.at].value, array.value.front());
    }
  }

  void constant(std::string_view name, const Token& value) {
    if (value.kind == Token::Kind::text && may_be_secret(name, value.value)) {
      add_named(name, value.value);
    }
  }

  // To databases: host, user, password.
  void connections() {
    for (const char* function :
         {"SQL_MakeDbTuple", "SQL_Connect", "dbi_connect", "mysql_connect", "SQL_MakeStdTuple"}) {
      for (const auto& [at, call] : read_.calls(function)) {
        const std::string password = call.size() > 2 ? text_of(call[2]) : "";
        if (may_be_secret(password)) {
          add_named("the password of " + std::string(function), password);
        }
      }
    }
  }

  void line(std::string_view text, std::size_t number) {
    setting(text, number);
    mail(text, number);
    server(text, number);
    key(text, number);
    account_in_url(text, number);
  }

  // `NAME "VALUE"`, as a line of a configuration, also with an equals sign between them.
  void setting(std::string_view text, std::size_t number) {
    text = base::trim_ascii(text);
    const auto is_name = [](char c) { return is_key_character(c) || c == '.'; };
    const std::string_view name = text.substr(0, around(text, 0, is_name).second);
    std::size_t from = name.size();
    while (from < text.size() && (text[from] == ' ' || text[from] == '\t' || text[from] == '=')) {
      ++from;
    }
    if (name.empty() || from == name.size() || from >= text.size() || text[from] != '"') return;
    const std::string_view value = text.substr(from + 1, text.find('"', from + 1) - from - 1);
    if (may_be_secret(name, value)) {
      add(Secret::Kind::access, number, printable(name) + " is " + masked(value));
    }
  }

  void mail(std::string_view text, std::size_t number) {
    for (std::size_t at = text.find('@', 1); at != text.npos; at = text.find('@', at + 1)) {
      const auto is_name = [](char c) { return is_key_character(c) || c == '.' || c == '+'; };
      const auto is_host = [](char c) {
        return domain::is_alphanumeric(c) || c == '-' || c == '.';
      };
      const std::size_t from = around(text, at, is_name).first;
      // The account of an address, which is looked for as such.
      const std::size_t word = text.find_last_of(" \t\"'<(", from) + 1;
      if (text.substr(word, from - word).find("://") != text.npos) continue;
      std::string_view host = text.substr(at + 1, around(text, at + 1, is_host).second - at - 1);
      while (host.ends_with('.')) host.remove_suffix(1);
      const std::size_t dot = host.rfind('.');
      if (from == at || dot == host.npos || dot == 0 || host.size() - dot < 3) continue;
      if (!std::all_of(host.begin() + static_cast<std::ptrdiff_t>(dot) + 1, host.end(),
                       domain::is_letter)) {
        continue;
      }
      add(Secret::Kind::contact, number, "a mail address at " + printable(host));
    }
  }

  // The value of a part of an address, from 0 to 255, and where it ends.
  static std::optional<unsigned> octet(std::string_view text, std::size_t& at) {
    const std::size_t from = at;
    unsigned value = 0;
    while (at < text.size() && at - from < 3 && domain::is_digit(text[at])) {
      value = value * 10 + static_cast<unsigned>(text[at++] - '0');
    }
    if (at == from || value > 255 || (at < text.size() && domain::is_digit(text[at]))) {
      return std::nullopt;
    }
    return value;
  }

  static bool is_public(const std::array<unsigned, 4>& address, bool has_port) {
    const auto [a, b, c, d] = address;
    if (a == 0 || a == 10 || a == 127 || a >= 224 || (a == 192 && b == 168)) return false;
    if (a == b && b == c && c == d) return false;  // an example
    if ((a == 172 && b >= 16 && b < 32) || (a == 169 && b == 254)) return false;
    if ((a == 192 && b == 0 && c == 2) || (a == 198 && b == 51) || (a == 203 && b == 0)) {
      return false;  // for documentation (RFC 5737)
    }
    return has_port || (a > 10 && (b > 9 || c > 9 || d > 9));  // else rather a version
  }

  void server(std::string_view text, std::size_t number) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (!domain::is_digit(text[at])) continue;
      if (at > 0 && (is_key_character(text[at - 1]) || text[at - 1] == '.')) continue;
      std::array<unsigned, 4> address{};
      std::size_t next = at;
      bool is_address = true;
      for (std::size_t i = 0; i < address.size() && is_address; ++i) {
        if (i > 0 && (next >= text.size() || text[next++] != '.')) is_address = false;
        const auto value = is_address ? octet(text, next) : std::nullopt;
        is_address = value.has_value();
        address[i] = value.value_or(0);
      }
      if (!is_address ||
          (next < text.size() && (text[next] == '.' || domain::is_letter(text[next])))) {
        continue;
      }
      if (is_public(address, next < text.size() && text[next] == ':')) {
        add(Secret::Kind::contact, number,
            fmt::format("an address of a server, {}.{}.…", address[0], address[1]));
      }
      at = next;
    }
  }

  // A long row of letters and digits beside a word such as "token".
  void key(std::string_view text, std::size_t number) {
    if (!domain::names_secret(text)) return;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (!is_key_character(text[at])) continue;
      const std::size_t end = around(text, at, is_key_character).second;
      const std::string_view word = text.substr(at, end - at);
      const auto digits = std::count_if(word.begin(), word.end(), domain::is_digit);
      const auto letters = std::count_if(word.begin(), word.end(), domain::is_letter);
      const bool is_random = digits > 3 && letters > 3 &&
                             (std::all_of(word.begin(), word.end(), is_hex_digit) ||
                              word.find('_') == word.npos || word.size() > 2 * kShortestKey);
      if (word.size() >= kShortestKey && is_random) {
        add(Secret::Kind::access, number, "what looks like a key, " + masked(word));
      }
      at = end;
    }
  }

  // https://user:password@host
  void account_in_url(std::string_view text, std::size_t number) {
    for (std::size_t at = text.find("://"); at != text.npos; at = text.find("://", at + 3)) {
      const std::size_t end = std::min(text.find_first_of(" \t\"'/<>", at + 3), text.size());
      const std::string_view account = text.substr(at + 3, end - at - 3);
      const std::size_t sign = account.rfind('@');
      const std::size_t colon = account.find(':');
      if (sign == account.npos || colon >= sign || colon == 0 || colon + 1 == sign) continue;
      if (account.find('%') != account.npos) continue;  // a format
      add(Secret::Kind::access, number,
          "the password of an address, " + masked(account.substr(colon + 1, sign - colon - 1)));
    }
  }

  const Source& read_;
  const std::string_view source_;
  Values values_;
  std::vector<std::size_t> ends_;  // of lines
  std::vector<Secret> found_;
  std::set<std::pair<std::size_t, std::string>> seen_;
};

}  // namespace

std::vector<Secret> secrets_in(const Source& source) { return Search(source).run(); }

}  // namespace goldsmith::pawn
