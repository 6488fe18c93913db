#include "app/cli/change_record.hpp"

#include <algorithm>
#include <string_view>

#include "app/base/config.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::string_view kMasked = "***";
constexpr std::string_view kKey = "svck_";
constexpr std::size_t kKeyShown = 12;  // as in the list of keys

bool ends_address(char c) { return c == ' ' || c == '\'' || c == '"' || c == ','; }

void hide_keys(std::string& text) {
  for (std::size_t at = text.find(kKey); at != std::string::npos; at = text.find(kKey, at + 1)) {
    std::size_t end = at + kKey.size();
    while (end < text.size() && domain::is_alphanumeric(text[end])) ++end;
    if (end - at > kKeyShown) text.replace(at + kKeyShown, end - at - kKeyShown, kMasked);
  }
}

void hide_in_addresses(std::string& text) {
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at)) {
    at += 3;
    const auto behind = [&] {
      return static_cast<std::size_t>(
          std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), ends_address) -
          text.begin());
    };
    const std::size_t query = text.find('?', at);
    if (query < behind()) text.replace(query + 1, behind() - query - 1, kMasked);
    const std::string_view host =
        std::string_view(text).substr(at, std::min(text.find('/', at), behind()) - at);
    const std::size_t account = host.rfind('@');
    if (account != std::string_view::npos) text.replace(at, account, kMasked);
  }
}

// A word that a shell takes as one.
std::string as_word(const std::string& text) {
  constexpr std::string_view kPlain = "-_./:=,+@%";
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [&](char c) {
    return domain::is_alphanumeric(c) || kPlain.find(c) != std::string_view::npos ||
           static_cast<unsigned char>(c) >= 0x80;
  });
  if (is_plain) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

class Words {
 public:
  void add(std::string word) {
    text_ += (text_.empty() ? "" : " ") + as_word(without_secrets(std::move(word)));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

bool is_change(const Verb& verb, const Arguments& arguments) {
  if (!verb.changes && !verb.withdraws && !verb.is_recorded) return false;
  bool needs_option = false;
  bool has_option = false;
  for (const Option& option : verb.options) {
    if (option.effect == Effect::reads && arguments.has(option.name)) return false;
    if (option.effect != Effect::changes) continue;
    needs_option = true;
    has_option = has_option || arguments.has(option.name);
  }
  return has_option || !needs_option;
}

std::string without_secrets(std::string text) {
  hide_keys(text);
  hide_in_addresses(text);
  return text;
}

std::string recorded_arguments(const Verb& verb, const Arguments& arguments,
                               const std::vector<std::string>& overrides) {
  Words words;
  for (const Positional& positional : verb.positionals) {
    for (const std::string& value : arguments.list(positional.name)) words.add(value);
  }
  for (const Option& option : verb.options) {
    if (!arguments.has(option.name)) continue;
    words.add("--" + option.name);
    for (const std::string& value : arguments.list(option.name)) words.add(value);
  }
  for (const std::string& given : overrides) {
    const std::size_t equals = given.find('=');
    const base::ConfigOption* option = base::find_config_option(given.substr(2, equals - 2));
    const bool is_secret = option && option->secret;
    words.add(is_secret ? given.substr(0, equals + 1).append(kMasked) : given);
  }
  return words.text();
}

}  // namespace goldsmith::cli
