#include "app/pawn/facts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/prose.hpp"
#include "app/pawn/reading.hpp"
#include "app/pawn/shown_texts.hpp"
#include "app/pawn/words.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostFunctions = 500;
constexpr std::size_t kMostValues = 16;  // of a name, version or author

// Without the codes with which the game colours texts (^4) and menus (\y), where a source writes
// them so that they are no control characters.
std::string uncoloured(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool is_code = (text[i] == '^' && domain::is_digit(next)) ||
                         (text[i] == '\\' && std::string_view("ywrdR").find(next) != text.npos);
    if (is_code) {
      ++i;
    } else {
      plain += text[i];
    }
  }
  return std::string(base::trim(plain));
}

// Whether it defines a public function that AMX Mod X calls by its name.
bool defines_entry_point(const Source& source) {
  const TokenSpan tokens = source.tokens();
  for (const std::size_t i : source.places("public")) {
    if (i + 2 >= tokens.size()) break;
    const std::size_t name = tokens[i + 2].is(":") ? i + 3 : i + 1;  // behind its tag
    if (name + 1 >= tokens.size() || tokens[name].kind != Token::Kind::word) continue;
    if (tokens[name + 1].is("(") && is_called_by_platform(tokens[name].value)) return true;
  }
  return false;
}

// The compiler of AMX Mod X 1.8.2 makes numbers of Unicode of such texts, of which the game takes
// the last byte, if their file is UTF-8 and included. A text that is defined is of where it is
// used.
bool has_foreign_text(const Source& include) {
  return std::ranges::any_of(include.tokens(), [](const Token& token) {
    return token.kind == Token::Kind::text && std::ranges::any_of(token.value, [](char byte) {
             return static_cast<unsigned char>(byte) >= 0x80;
           });
  });
}

class Facts {
 public:
  Facts(const Source& source, const std::vector<std::string_view>& includes)
      : source_(source), reading_(source, includes) {}

  SourceFacts read() {
    const PawnSource& read = source_.read();
    facts_.encoding = reading_.code_page() ? reading_.code_page() : "UTF-8";
    std::ranges::copy_if(read.includes, std::back_inserter(facts_.includes), [&](const auto& name) {
      return std::ranges::find(read.never_included, name) == read.never_included.end();
    });
    note_unreadable();
    note_encodings();
    read_registration();
    facts_.cvars = cvars_in(reading_);
    facts_.commands = commands_in(reading_, facts_.notes);
    facts_.files = files_in(reading_);
    read_functions();
    facts_.license = license_in(read.head_comment);
    if (facts_.url.empty()) facts_.url = address_in(read.head_comment);
    facts_.prose = prose_of_text(reading_.utf8(read.opening_comment));
    return std::move(facts_);
  }

 private:
  // The parameter of the first call; asks where another call, or an #else, gives it otherwise.
  std::string value(const std::vector<CallArguments>& calls, std::size_t parameter, Doubt::Of of) {
    const std::string topic(to_string(of));
    std::vector<std::string> values;
    const auto add = [&](const std::string& text) {
      const bool is_known = std::ranges::find(values, text) != values.end();
      if (!is_known && values.size() < kMostValues) values.push_back(text);
    };
    for (const CallArguments& call : calls) add(reading_.text_of(call[parameter]));
    for (const std::string& other : reading_.values().other_texts(calls[0][parameter])) {
      add(reading_.line(other));
    }
    std::string first = values.front();
    if (values.size() == 1 && reading_.values().is_ambiguous(calls[0][parameter])) {
      facts_.doubts.push_back({of,
                               "the source defines what its " + topic +
                                   " consists of in several ways; is \"" + first + "\" right?",
                               first, values});
    } else if (values.size() > 1) {
      const std::string all = base::join(values, ", ", [](const std::string& text) {
        return text.empty() ? "what it computes" : '"' + text + '"';
      });
      facts_.doubts.push_back(
          {of,
           "the source has several values of its " + topic + ": " + all + "; which one is right?",
           first, values});
    }
    return first;
  }

  std::vector<CallArguments> registrations() const {
    constexpr std::string_view kRegister = "register_plugin";
    constexpr std::array<std::string_view, 4> kParameters{"plugin_name", "version", "author",
                                                          "url"};
    std::vector<CallArguments> calls;
    const auto add = [&](const CallArguments& call) {
      if (call.size() >= 3) calls.push_back(in_order(call, kParameters));
    };
    for (const Call& call : source_.calls(kRegister)) add(call.arguments);
    for (const Source& include : reading_.includes()) {
      for (const Call& call : include.calls(kRegister)) add(call.arguments);
    }
    for (const auto& [name, tokens] : source_.read().defines) {
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is_word(kRegister)) add(arguments_at(tokens, i + 1));
      }
    }
    return calls;
  }

  bool has_utf8_include() const {
    return std::ranges::any_of(reading_.includes(), [](const Source& include) {
      return domain::is_utf8(include.text()) && has_foreign_text(include);
    });
  }

  void note_encodings() {
    const char* const code_page = reading_.code_page();
    if (code_page && *code_page == '\0') {
      facts_.notes.emplace_back(
          "the encoding of the source is not certain; its texts are read as windows-1252");
    } else if (code_page && base::has_utf8_words(text_, code_page)) {
      facts_.notes.push_back(
          fmt::format("the source is in {}, but parts of it are in UTF-8", code_page));
    }
    if (code_page && *code_page != '\0' && shows_foreign_text(source_)) {
      facts_.notes.push_back(
          fmt::format("players read wrong letters: the texts are in {}, while the game shows UTF-8",
                      code_page));
    }
    if (has_utf8_include()) {
      facts_.notes.emplace_back(
          "AMX Mod X 1.8.2 shows wrong letters for the UTF-8 texts of an include; later ones do "
          "not");
    }
  }

  // What the compilers do not read, either.
  void note_unreadable() {
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
      facts_.notes.emplace_back("the source is in UTF-16, which no compiler reads");
    } else if (text_.find('\n') == text_.npos && text_.find('\r') != text_.npos) {
      facts_.notes.emplace_back(
          "the lines of the source end with CR alone, which no compiler reads");
    }
  }

  void read_registration() {
    const std::vector<CallArguments> calls = registrations();
    facts_.is_plugin = !calls.empty() || has_entry_point();
    if (!calls.empty()) {
      facts_.name = value(calls, 0, Doubt::Of::name);
      facts_.version = value(calls, 1, Doubt::Of::version);
      facts_.author = value(calls, 2, Doubt::Of::author);
      facts_.url = reading_.text_of(calls.front()[3]);
    }
    facts_.has_platform_version =
        facts_.version.empty() && !calls.empty() && names_platform(calls.front()[1]);
    // AMX Mod X reads these first, so that what is registered counts in their place.
    for (const auto& [variable, fact] : {std::pair("PluginName", &facts_.name),
                                         {"PluginVersion", &facts_.version},
                                         {"PluginAuthor", &facts_.author},
                                         {"PluginURL", &facts_.url}}) {
      if (fact->empty()) *fact = public_text(variable);
    }
    const bool is_address = facts_.url.starts_with("http://") || facts_.url.starts_with("https://");
    if (!is_address || is_elsewhere(base::to_lower_ascii(facts_.url))) facts_.url = "";
    for (std::string* fact : {&facts_.name, &facts_.author}) *fact = uncoloured(*fact);
  }

  // AMXX_VERSION_STR and the like are of whatever compiles it.
  bool names_platform(TokenSpan version) const {
    return std::ranges::any_of(version, [&](const Token& token) {
      if (token.kind != Token::Kind::word) return false;
      const auto define = source_.read().defines.find(token.value);
      const auto is_platform = [](const Token& each) {
        return each.kind == Token::Kind::word && each.value.starts_with("AMXX_VERSION");
      };
      return is_platform(token) || (define != source_.read().defines.end() &&
                                    std::ranges::any_of(define->second, is_platform));
    });
  }

  // The value of `public const NAME[] = …`.
  std::string public_text(std::string_view name) {
    const TokenSpan tokens = source_.tokens();
    for (const std::size_t i : source_.places(name)) {
      if (i == 0) continue;
      std::size_t before = i - 1;
      while (before > 0 && (tokens[before].is_word("const") || tokens[before].is_word("stock"))) {
        --before;
      }
      if (tokens[before].is_word("public")) return reading_.text_of(tokens.subspan(i, 1));
    }
    return "";
  }

  bool has_entry_point() const {
    return defines_entry_point(source_) ||
           std::ranges::any_of(reading_.includes(), defines_entry_point);
  }

  void read_functions() {
    constexpr std::array<std::string_view, 9> kNoFunctions{
        "if", "while", "for", "switch", "return", "sizeof", "assert", "charsmax", "defined"};
    const TokenSpan tokens = source_.tokens();
    std::set<std::string_view> called;
    std::set<std::string_view> declared;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i].kind != Token::Kind::word || !tokens[i + 1].is("(")) continue;
      // A native is of somebody else, also where the source declares it.
      const std::size_t name = before_tags(tokens, i);
      if (name > 0 && tokens[name - 1].is_word("native")) continue;
      (is_declared_at(tokens, i, source_.braces_around(i)) ? declared : called)
          .insert(tokens[i].value);
    }
    for (const std::string_view name : called) {
      const bool is_function = domain::is_native_name(name) && !declared.contains(name) &&
                               std::ranges::find(kNoFunctions, name) == kNoFunctions.end();
      if (is_function && facts_.functions.size() < kMostFunctions) {
        facts_.functions.emplace_back(name);
      }
    }
  }

  const Source& source_;
  Reading reading_;
  const std::string_view text_ = source_.text();
  SourceFacts facts_;
};

}  // namespace

std::string_view to_string(Doubt::Of of) {
  switch (of) {
    case Doubt::Of::name:
      return "name";
    case Doubt::Of::version:
      return "version";
    case Doubt::Of::author:
      return "author";
  }
  return "";
}

std::optional<Doubt::Of> parse_doubt(std::string_view text) {
  for (const Doubt::Of of : {Doubt::Of::name, Doubt::Of::version, Doubt::Of::author}) {
    if (text == to_string(of)) return of;
  }
  return std::nullopt;
}

SourceFacts read_facts(const Source& source, const std::vector<std::string_view>& includes) {
  return Facts(source, includes).read();
}
SourceFacts read_facts(std::string_view source, const std::vector<std::string_view>& includes) {
  return read_facts(Source(source), includes);
}

}  // namespace goldsmith::pawn
