#include "app/pawn/facts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/domain/license_text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/record.hpp"
#include "app/pawn/named_files.hpp"
#include "app/pawn/prose.hpp"
#include "app/pawn/reading.hpp"
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
bool defines_entry_point(const Source* source) {
  static const WordList called("beginnings of functions that AMX Mod X calls");
  const TokenSpan tokens = source->tokens();
  for (const std::size_t i : source->places("public")) {
    if (i + 2 >= tokens.size()) break;
    const std::size_t name = tokens[i + 2].is(":") ? i + 3 : i + 1;  // behind its tag
    if (name + 1 >= tokens.size() || tokens[name].kind != Token::Kind::word) continue;
    if (!tokens[name + 1].is("(")) continue;
    if (called.begin(tokens[name].value) || tokens[name].value == "inconsistent_file") return true;
  }
  return false;
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
    note_encodings();
    read_registration();
    facts_.cvars = cvars_in(reading_);
    facts_.commands = commands_in(reading_, facts_.notes);
    facts_.files = files_in(reading_);
    read_functions();
    facts_.license = domain::license_in(read.head_comment);
    if (facts_.url.empty()) facts_.url = address_in(read.head_comment);
    facts_.prose = prose_of_text(reading_.utf8(read.opening_comment));
    return std::move(facts_);
  }

 private:
  // The parameter of the first call; asks where another call, or an #else, gives it otherwise.
  std::string value(const std::vector<CallArguments>& calls, std::size_t parameter, Doubt::Of of) {
    std::vector<std::string> values;
    const auto add = [&](const std::string& text) {
      const bool is_known = std::ranges::find(values, text) != values.end();
      if (!is_known && values.size() < kMostValues) values.push_back(text);
    };
    for (const CallArguments& call : calls) add(reading_.text_of(call[parameter]));
    for (const std::string& other : reading_.values().other_texts(calls[0][parameter])) {
      add(reading_.line(other));
    }
    const std::string first = values.front();
    if (values.size() > 1) {
      const std::string all = base::join(values, ", ", [](const std::string& text) {
        return text.empty() ? "what it computes" : '"' + text + '"';
      });
      doubt(of, "the source has several values of its {}: {}; which one is right?", all, values);
    } else if (reading_.values().is_ambiguous(calls[0][parameter])) {
      doubt(of, "the source defines what its {} consists of in several ways; is \"{}\" right?",
            first, values);
    }
    return first;
  }

  void doubt(Doubt::Of of, fmt::string_view sentence, const std::string& said,
             const std::vector<std::string>& values) {
    std::string text = fmt::format(fmt::runtime(sentence), to_string(of), said);
    facts_.doubts.push_back({of, std::move(text), values.front(), values});
  }

  std::vector<CallArguments> registrations() const {
    constexpr std::string_view kRegister = "register_plugin";
    constexpr std::array<std::string_view, 4> kParameters{"plugin_name", "version", "author",
                                                          "url"};
    std::vector<CallArguments> calls;
    const auto add = [&](const CallArguments& call) {
      if (call.size() >= 3) calls.push_back(in_order(call, kParameters));
    };
    for (const Source* each : reading_.sources()) {
      for (const Call& call : each->calls(kRegister)) add(call.arguments);
    }
    for (const auto& [name, tokens] : source_.read().defines) {
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is_word(kRegister)) add(arguments_at(tokens, i + 1));
      }
    }
    return calls;
  }

  // What the compilers do not read, and what players read wrongly.
  void note_encodings() {
    const std::string& page = facts_.encoding;
    const bool is_known = !page.empty() && page != "UTF-8";
    const auto note_if = [&](bool holds, std::string_view note) {
      if (holds) facts_.notes.push_back(fmt::format(fmt::runtime(note), page));
    };
    const bool is_utf16 = text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF");
    note_if(is_utf16, "the source is in UTF-16, which no compiler reads");
    note_if(!is_utf16 && text_.find('\n') == text_.npos && text_.find('\r') != text_.npos,
            "the lines of the source end with CR alone, which no compiler reads");
    note_if(page.empty(),
            "the encoding of the source is not certain; its texts are read as windows-1252");
    note_if(is_known && base::has_utf8_words(text_, page),
            "the source is in {}, but parts of it are in UTF-8");
    note_if(is_known && shows_foreign_text(source_),
            "players read wrong letters: the texts are in {}, while the game shows UTF-8");
    // The compiler of 1.8.2 reads an included file that is UTF-8 as Unicode, and stores a number
    // for each letter. The game shows the last byte of each. The text of a `#define` counts in the
    // file that uses it.
    const bool has_utf8_include =
        std::ranges::any_of(reading_.sources().subspan(1), [](const Source* include) {
          return domain::is_utf8(include->text()) && has_foreign_text(include->tokens());
        });
    note_if(
        has_utf8_include,
        "an include has texts in UTF-8: players on AMX Mod X 1.8.2 read wrong letters, those on "
        "later versions do not");
  }

  void read_registration() {
    const std::vector<CallArguments> calls = registrations();
    facts_.is_plugin =
        !calls.empty() || std::ranges::any_of(reading_.sources(), defines_entry_point);
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
    if (!is_address || is_elsewhere(facts_.url)) facts_.url = "";
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

  void read_functions() {
    static const WordList others("no functions");
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
      const bool is_function =
          domain::is_native_name(name) && !declared.contains(name) && !others.has(name);
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

Reading::Reading(const Source& source, const std::vector<std::string_view>& includes)
    : source_(source),
      code_page_(domain::is_utf8(source.text()) ? nullptr : base::detect_code_page(source.text())),
      includes_(includes.begin(), includes.end()),
      values_(source_, includes_) {}

std::vector<std::pair<const Source*, Call>> Reading::calls(std::string_view function) {
  std::vector<std::pair<const Source*, Call>> found;
  for (const Source* source : sources()) {
    for (Call& call : source->calls(function)) {
      if (source != &source_) {
        if (!reached_) reached_ = find_reached();
        if (!reached_->contains(source->function_at(call.at))) continue;
      }
      found.emplace_back(source, std::move(call));
    }
  }
  return found;
}

// Those of includes that AMX Mod X may call by their names, and those that are named in what is
// reached.
std::set<const Function*> Reading::find_reached() const {
  std::unordered_multimap<std::string_view, std::pair<const Source*, const Function*>> offered;
  std::vector<std::string_view> names;  // that are used, and not looked up yet
  for (const Source* include : sources().subspan(1)) {
    for (const Function& function : include->functions()) {
      offered.emplace(function.name, std::pair(include, &function));
    }
    for (const std::size_t at : include->places("public")) {
      const TokenSpan name = without_tags(include->tokens().subspan(at + 1));
      if (!name.empty()) names.push_back(name.front().value);
    }
  }
  std::set<std::string_view> known;
  std::set<const Function*> reached;
  const auto use = [&](TokenSpan tokens) {
    for (const Token& token : tokens) {
      if (token.kind == Token::Kind::word) names.push_back(token.value);
    }
  };
  use(source_.tokens());
  while (!names.empty()) {
    const std::string_view name = names.back();
    names.pop_back();
    if (!known.insert(name).second) continue;
    values_.each_define(name, use);
    const auto [first, last] = offered.equal_range(name);
    for (auto each = first; each != last; ++each) {
      const auto& [include, function] = each->second;
      if (!reached.insert(function).second) continue;
      use(include->tokens().subspan(function->from, function->end - function->from));
    }
  }
  return reached;
}

std::string Reading::utf8(std::string_view text) const {
  if (domain::is_utf8(text)) return std::string(text);
  return base::from_code_page(text, code_page_ ? code_page_ : "windows-1252");
}

std::string Reading::whole(std::string_view text) const {
  constexpr std::size_t kLongestLine = 255;
  const std::string decoded = utf8(text);
  std::string plain;
  for (std::string_view rest = decoded; !rest.empty();) {
    const std::string_view next = base::first_code_points(rest, 1);
    rest.remove_prefix(next.size());
    plain += base::is_printable(next) ? next : " ";
  }
  std::size_t end = std::min(plain.size(), kLongestLine);
  while (end < plain.size() && base::is_utf8_continuation(plain[end])) --end;
  plain.resize(end);
  return plain;
}

void Reading::each_row(std::string_view forms, const CallArguments& expressions,
                       Values::Place place, const Values::TakeRow& take) {
  const Function* const function = place.source->function_at(place.at);
  const auto written = [&](std::size_t i, std::string_view text) {
    return i == 0 ? whole(text) : line(text);
  };
  const auto first_of = [&](std::size_t i) -> std::string {
    if (function != nullptr && function->place_of(expressions[i])) return "";
    if (forms[i] == 's') return written(i, values_.text(expressions[i]).value_or(""));
    const auto number = values_.number(expressions[i]);
    return number ? std::to_string(*number) : "";
  };
  const auto take_lines = [&](const Values::Texts& row) {
    Values::Texts lines;
    for (std::size_t i = 0; i < row.size(); ++i) {
      lines.push_back(row[i].empty() ? first_of(i) : written(i, row[i]));
    }
    if (!base::trim(lines[0]).empty()) take(lines);
  };
  if (!values_.rows_at(forms, expressions, place, take_lines)) {
    take_lines(Values::Texts(expressions.size()));
  }
}

std::string_view to_string(Doubt::Of of) {
  return of == Doubt::Of::name ? "name" : of == Doubt::Of::version ? "version" : "author";
}

void read_json(const json::Value& value, Doubt::Of& of) {
  for (const Doubt::Of each : {Doubt::Of::name, Doubt::Of::version, Doubt::Of::author}) {
    if (value == json::Value(to_string(each))) of = each;
  }
}

json::Value to_json(const CommandFact& command) {
  json::Object object;
  CommandFact::members(command, [&](std::string_view name, const auto& member) {
    object.emplace(name, domain::to_json(member));
  });
  if (!command.flags) object.erase("flags");
  return object;
}

SourceFacts read_facts(const Source& source, const std::vector<std::string_view>& includes) {
  return Facts(source, includes).read();
}
SourceFacts read_facts(std::string_view source, const std::vector<std::string_view>& includes) {
  return read_facts(Source(source), includes);
}

}  // namespace goldsmith::pawn
