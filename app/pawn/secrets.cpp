#include "app/pawn/secrets.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/secret_names.hpp"
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
bool is_name_character(char c) { return is_key_character(c) || c == '.'; }

// A text that may be a password: neither a switch, a path, a sentence or a format, nor what stands
// for one.
bool may_be_secret(std::string_view value) {
  static const WordList none("no secrets");
  if (value.size() < 2 || value.size() > 128 || value.front() == '_') return false;
  if (value.find_first_of("/\\.:<>*#$") != value.npos && value.size() < kShortestKey) return false;
  if (value.find(' ') != value.npos || value.find('%') != value.npos) return false;
  if (std::ranges::count_if(value, domain::is_alphanumeric) < 2) return false;
  if (value.size() < 4 && std::ranges::all_of(value, domain::is_digit)) return false;
  const std::string lower = base::to_lower_ascii(value);
  if (lower.starts_with("your") || lower.ends_with(".wav") || lower.ends_with(".mdl")) return false;
  return !none.has(lower);
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

std::string printable(std::string_view name) {
  std::string text(name.substr(0, 64));
  std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string masked(std::string_view secret) {
  return '"' + printable(secret.substr(0, secret.size() > 5 ? 2 : 1)) + "…\"";
}

// Where what is at `at` ends, as far as the characters are of that kind.
std::size_t end_of(std::string_view text, std::size_t at, bool (*is)(char)) {
  while (at < text.size() && is(text[at])) ++at;
  return at;
}

using Address = std::array<unsigned, 4>;

std::optional<Address> address_of(std::string_view text) {
  const std::vector<std::string_view> parts = base::split(text, '.');
  Address address{};
  if (parts.size() != address.size()) return std::nullopt;
  for (std::size_t i = 0; i < address.size(); ++i) {
    const auto part = parts[i].size() <= 3 ? base::parse_number<unsigned>(parts[i]) : std::nullopt;
    if (!part || *part > 255) return std::nullopt;
    address[i] = *part;
  }
  return address;
}

bool is_public(const Address& address, bool has_port) {
  const auto [a, b, c, d] = address;
  if (a == 0 || a == 10 || a == 127 || a >= 224 || (a == 192 && b == 168)) return false;
  if (a == b && b == c && c == d) return false;  // an example
  if ((a == 172 && b >= 16 && b < 32) || (a == 169 && b == 254)) return false;
  if ((a == 192 && b == 0 && c == 2) || (a == 198 && b == 51) || (a == 203 && b == 0)) {
    return false;  // for documentation (RFC 5737)
  }
  return has_port || (a > 10 && (b > 9 || c > 9 || d > 9));  // else rather a version
}

class Search {
 public:
  explicit Search(const Source& source) : read_(source), source_(source.text()), values_(source) {}

  std::vector<Secret> run() {
    cvars();
    constants();
    connections();
    std::size_t from = 0;
    for (std::int64_t number = 1; from < source_.size(); ++number) {
      const std::size_t end = std::min(source_.find('\n', from), source_.size());
      line(source_.substr(from, std::min(end - from, kSearchedLine)), number);
      from = end + 1;
    }
    std::ranges::stable_sort(found_, {}, &Secret::line);
    return std::move(found_);
  }

 private:
  void add(std::int64_t line, std::string what, std::string_view secret, bool is_contact = false) {
    if (found_.size() >= kMostSecrets) return;
    std::string sha256 = base::sha256_hex(what + '\n' + std::string(secret));
    if (!seen_.insert({line, sha256}).second) return;
    found_.push_back({is_contact, line, std::move(what), std::move(sha256)});
  }

  // In the line where the text is first; in line 1 if the source writes it with escapes.
  void add_named(std::string_view name, std::string_view value) {
    if (found_.size() >= kMostSecrets) return;
    const std::size_t at = source_.find('"' + std::string(value) + '"');
    const std::string_view before = source_.substr(0, at == source_.npos ? 0 : at);
    add(1 + std::ranges::count(before, '\n'), printable(name) + " is " + masked(value), value);
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

  void line(std::string_view text, std::int64_t number) {
    setting(text, number);
    mail(text, number);
    server(text, number);
    key(text, number);
    account_in_url(text, number);
  }

  // `NAME "VALUE"`, as a line of a configuration, also with an equals sign between them.
  void setting(std::string_view text, std::int64_t number) {
    text = base::trim_ascii(text);
    const std::string_view name = text.substr(0, end_of(text, 0, is_name_character));
    const std::size_t from = std::min(text.find_first_not_of(" \t=", name.size()), text.size());
    if (name.empty() || from == name.size() || from == text.size() || text[from] != '"') return;
    const std::string_view value = text.substr(from + 1, text.find('"', from + 1) - from - 1);
    if (may_be_secret(name, value)) add(number, printable(name) + " is " + masked(value), value);
  }

  void mail(std::string_view text, std::int64_t number) {
    for (std::size_t at = text.find('@', 1); at != text.npos; at = text.find('@', at + 1)) {
      std::size_t from = at;
      while (from > 0 && (is_name_character(text[from - 1]) || text[from - 1] == '+')) --from;
      // The account of an address, which is looked for as such.
      const std::size_t word = text.find_last_of(" \t\"'<(", from) + 1;
      if (text.substr(word, from - word).find("://") != text.npos) continue;
      const auto is_host = [](char c) { return is_name_character(c) && c != '_'; };
      std::string_view host = text.substr(at + 1, end_of(text, at + 1, is_host) - at - 1);
      while (host.ends_with('.')) host.remove_suffix(1);
      const std::size_t dot = host.rfind('.');
      if (from == at || dot == host.npos || dot == 0 || host.size() - dot < 3) continue;
      if (!std::ranges::all_of(host.substr(dot + 1), domain::is_letter)) continue;
      const std::string_view account = text.substr(from, at - from);
      add(number, "a mail address at " + printable(host), account, true);
    }
  }

  void server(std::string_view text, std::int64_t number) {
    constexpr std::string_view kDigits = "0123456789.";
    for (std::size_t at = 0; (at = text.find_first_of(kDigits, at)) != text.npos;) {
      const char before = at > 0 ? text[at - 1] : ' ';
      const std::size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
      const char next = end < text.size() ? text[end] : ' ';
      const std::string_view digits = text.substr(at, end - at);
      const auto address = address_of(digits);
      at = end;
      if (!address || is_key_character(before) || domain::is_letter(next)) continue;
      if (is_public(*address, next == ':')) {
        add(number, fmt::format("an address of a server, {}.{}.…", (*address)[0], (*address)[1]),
            digits, true);
      }
    }
  }

  // A long row of letters and digits beside a word such as "token".
  void key(std::string_view text, std::int64_t number) {
    if (!domain::names_secret(text)) return;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t end = end_of(text, at, is_key_character);
      const std::string_view word = text.substr(at, end - at);
      at = end;
      if (word.size() < kShortestKey) continue;
      const bool is_random = std::ranges::count_if(word, domain::is_digit) > 3 &&
                             std::ranges::count_if(word, domain::is_letter) > 3 &&
                             (std::ranges::all_of(word, is_hex_digit) ||
                              word.find('_') == word.npos || word.size() > 2 * kShortestKey);
      if (is_random) add(number, "what looks like a key, " + masked(word), word);
    }
  }

  // https://user:password@host
  void account_in_url(std::string_view text, std::int64_t number) {
    for (std::size_t at = text.find("://"); at != text.npos; at = text.find("://", at + 3)) {
      const std::size_t end = std::min(text.find_first_of(" \t\"'/<>", at + 3), text.size());
      const std::string_view account = text.substr(at + 3, end - at - 3);
      const std::size_t sign = account.rfind('@');
      const std::size_t colon = account.find(':');
      if (sign == account.npos || colon >= sign || colon == 0 || colon + 1 == sign) continue;
      if (account.find('%') != account.npos) continue;  // a format
      const std::string_view password = account.substr(colon + 1, sign - colon - 1);
      add(number, "the password of an address, " + masked(password), password);
    }
  }

  const Source& read_;
  const std::string_view source_;
  Values values_;
  std::vector<Secret> found_;
  std::set<std::pair<std::int64_t, std::string>> seen_;
};

}  // namespace

std::vector<Secret> secrets_in(const Source& source) { return Search(source).run(); }

}  // namespace goldsmith::pawn
