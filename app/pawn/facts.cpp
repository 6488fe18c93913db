#include "app/pawn/facts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/constants.hpp"
#include "app/pawn/functions.hpp"
#include "app/pawn/lexer.hpp"
#include "app/pawn/named_files.hpp"
#include "app/pawn/prose.hpp"
#include "app/pawn/secrets.hpp"

namespace goldsmith::pawn {

namespace {

constexpr std::size_t kLongestLine = 255;
constexpr std::size_t kMostKnown = 256;
constexpr std::size_t kMostFiles = 500;
constexpr std::size_t kMostFunctions = 500;
constexpr std::size_t kLongestPath = 1024;
constexpr std::size_t kMostValues = 16;  // of a name, version or author

// Addresses of licenses, of people, of the tools that sources are made with, and of what is
// downloaded or searched for: no page of a plugin.
bool is_elsewhere(std::string_view url) {
  constexpr std::array<std::string_view, 32> kElsewhere{"license",
                                                        "licence",
                                                        "gnu.org",
                                                        "fsf.org",
                                                        "opensource.org",
                                                        "apache.org",
                                                        "mozilla.org",
                                                        "amxmodx.org",
                                                        "creativecommons.org",
                                                        "steamcommunity.com",
                                                        "/member",
                                                        "/profile",
                                                        "/user",
                                                        "facebook.com",
                                                        "paypal",
                                                        "donat",
                                                        "discord",
                                                        "//t.me/",
                                                        "vk.com",
                                                        "youtu",
                                                        "imgur",
                                                        "search.php",
                                                        "funcwiki",
                                                        "/download",
                                                        "attachment",
                                                        "mediafire",
                                                        "dropbox",
                                                        "maxmind",
                                                        "game-monitor",
                                                        "pastebin",
                                                        "sendspace",
                                                        "rapidshare"};
  constexpr std::array<std::string_view, 14> kFiles{".zip",  ".rar", ".7z",  ".gz",  ".sma",
                                                    ".amxx", ".inc", ".txt", ".exe", ".png",
                                                    ".jpg",  ".gif", ".wav", ".mp3"};
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  return std::any_of(kElsewhere.begin(), kElsewhere.end(),
                     [&](std::string_view part) { return url.find(part) != url.npos; }) ||
         std::any_of(kFiles.begin(), kFiles.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

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
bool defines_entry_point(TokenSpan tokens) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is_word("public")) continue;
    const std::size_t name = tokens[i + 2].is(":") ? i + 3 : i + 1;  // behind its tag
    if (name + 1 >= tokens.size() || tokens[name].kind != Token::Kind::word) continue;
    const std::string_view word = tokens[name].value;
    const bool is_called = word == "inconsistent_file" || word.starts_with("plugin_") ||
                           word.starts_with("client_") || word.starts_with("server_") ||
                           word.starts_with("pfn_");
    if (is_called && tokens[name + 1].is("(")) return true;
  }
  return false;
}

// Commands of the game, which a plugin hooks. `name`: in lower case.
bool is_of_game(std::string_view name) {
  constexpr std::array<std::string_view, 83> kCommands{"+attack",
                                                       "+use",
                                                       "-attack",
                                                       "-use",
                                                       "ak47",
                                                       "aug",
                                                       "autobuy",
                                                       "awp",
                                                       "becomespec",
                                                       "bullpup",
                                                       "buy",
                                                       "buyammo1",
                                                       "buyammo2",
                                                       "buyequip",
                                                       "buymenu",
                                                       "cheer",
                                                       "chooseteam",
                                                       "cl_autobuy",
                                                       "cl_rebuy",
                                                       "cl_setautobuy",
                                                       "cl_setrebuy",
                                                       "clarion",
                                                       "client_buy_open",
                                                       "cv47",
                                                       "d3au1",
                                                       "deagle",
                                                       "defender",
                                                       "defuser",
                                                       "drop",
                                                       "elites",
                                                       "famas",
                                                       "flash",
                                                       "flashbang",
                                                       "fn57",
                                                       "follow",
                                                       "fullupdate",
                                                       "g3sg1",
                                                       "galil",
                                                       "glock",
                                                       "hegren",
                                                       "impulse",
                                                       "joinclass",
                                                       "jointeam",
                                                       "jump",
                                                       "kill",
                                                       "km45",
                                                       "krieg550",
                                                       "lastinv",
                                                       "m249",
                                                       "m3",
                                                       "m4a1",
                                                       "mac10",
                                                       "magnum",
                                                       "menuselect",
                                                       "messagemode",
                                                       "mp",
                                                       "mp5",
                                                       "nightvision",
                                                       "nvgs",
                                                       "p228",
                                                       "p90",
                                                       "primammo",
                                                       "radio1",
                                                       "radio2",
                                                       "radio3",
                                                       "rebuy",
                                                       "say",
                                                       "say_team",
                                                       "scout",
                                                       "secammo",
                                                       "setpause",
                                                       "sg550",
                                                       "sg552",
                                                       "sgren",
                                                       "shield",
                                                       "showbriefing",
                                                       "specmode",
                                                       "spectate",
                                                       "tmp",
                                                       "usp",
                                                       "vest",
                                                       "vesthelm",
                                                       "xm1014"};
  return std::find(kCommands.begin(), kCommands.end(), name) != kCommands.end() ||
         name.starts_with("weapon_");
}

// The compiler of AMX Mod X 1.8.2 makes numbers of Unicode of such texts, of which the game takes
// the last byte, if their file is UTF-8 and included. A text that is defined is of where it is
// used.
bool has_foreign_text(const PawnSource& include) {
  return std::any_of(include.tokens.begin(), include.tokens.end(), [](const Token& token) {
    return token.kind == Token::Kind::text &&
           std::any_of(token.value.begin(), token.value.end(),
                       [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
  });
}

class Facts {
 public:
  Facts(std::string_view source, const std::vector<std::string_view>& includes)
      : source_(source),
        code_page_(domain::is_utf8(source) ? nullptr : base::detect_code_page(source)),
        pawn_(read_pawn(source)),
        constants_(pawn_) {
    own_includes_.reserve(includes.size());
    for (const std::string_view include : includes) {
      own_includes_.push_back(read_pawn(include));
      has_utf8_include_ =
          has_utf8_include_ || (domain::is_utf8(include) && has_foreign_text(own_includes_.back()));
    }
    for (const PawnSource& include : own_includes_) constants_.add_include(include);
    facts_.encoding = code_page_ ? code_page_ : "UTF-8";
    facts_.includes = pawn_.includes;
  }

  SourceFacts read() {
    note_unreadable();
    note_encodings();
    read_registration();
    read_cvars();
    read_commands();
    read_files();
    read_functions();
    facts_.license = license_in(pawn_.head_comment);
    if (facts_.url.empty()) facts_.url = address_in(pawn_.head_comment);
    facts_.prose = prose_of_text(utf8(pawn_.opening_comment));
    return std::move(facts_);
  }

 private:
  std::string utf8(std::string_view text) const {
    if (domain::is_utf8(text)) return std::string(text);
    return base::from_code_page(text, code_page_ ? code_page_ : "windows-1252");
  }

  // On one line, printable, and short enough for a manifest.
  std::string line(std::string_view text) const {
    const std::string decoded = utf8(text);
    std::string plain;
    for (std::string_view rest = decoded; !rest.empty();) {
      const std::string_view next = base::first_code_points(rest, 1);
      rest.remove_prefix(next.size());
      plain += base::is_printable(next) ? next : " ";
    }
    std::size_t end = std::min(plain.size(), kLongestLine);
    while (end < plain.size() && base::is_utf8_continuation(plain[end])) --end;
    return std::string(base::trim(std::string_view(plain).substr(0, end)));
  }

  std::string text_of(TokenSpan expression) const {
    return line(constants_.text(expression).value_or(""));
  }

  // The parameter of the first call; asks where another call, or an #else, gives it otherwise.
  std::string value(const std::vector<CallArguments>& calls, std::size_t parameter,
                    const std::string& topic) {
    std::vector<std::string> values;
    const auto add = [&](const std::string& text) {
      const bool is_known = std::find(values.begin(), values.end(), text) != values.end();
      if (!is_known && values.size() < kMostValues) values.push_back(text);
    };
    for (const CallArguments& call : calls) add(text_of(call[parameter]));
    for (const std::string& other : constants_.other_texts(calls[0][parameter])) add(line(other));
    std::string first = values.front();
    if (values.size() == 1 && constants_.is_ambiguous(calls[0][parameter])) {
      facts_.doubts.push_back({topic,
                               "the source defines what its " + topic +
                                   " consists of in several ways; is \"" + first + "\" right?",
                               first,
                               {}});
    } else if (values.size() > 1) {
      const std::string all = base::join(values, ", ", [](const std::string& text) {
        return text.empty() ? "what it computes" : '"' + text + '"';
      });
      facts_.doubts.push_back(
          {topic,
           "the source has several values of its " + topic + ": " + all + "; which one is right?",
           first,
           {}});
    }
    return first;
  }

  std::vector<CallArguments> registrations() const {
    std::vector<CallArguments> calls = calls_of(pawn_.tokens, "register_plugin");
    for (const PawnSource& include : own_includes_) {
      for (CallArguments& call : calls_of(include.tokens, "register_plugin")) {
        calls.push_back(std::move(call));
      }
    }
    for (const auto& [name, tokens] : pawn_.defines) {
      for (CallArguments& call : calls_of(tokens, "register_plugin")) {
        calls.push_back(std::move(call));
      }
    }
    std::erase_if(calls, [](const CallArguments& call) { return call.size() < 3; });
    constexpr std::array<std::string_view, 4> kParameters{"plugin_name", "version", "author",
                                                          "url"};
    for (CallArguments& call : calls) call = in_order(call, kParameters);
    return calls;
  }

  void note_encodings() {
    if (code_page_ && *code_page_ == '\0') {
      facts_.notes.emplace_back(
          "the encoding of the source is not certain; its texts are read as windows-1252");
    } else if (code_page_ && base::has_utf8_words(source_, code_page_)) {
      facts_.notes.push_back(
          fmt::format("the source is in {}, but parts of it are in UTF-8", code_page_));
    }
    if (has_utf8_include_) {
      facts_.notes.emplace_back(
          "AMX Mod X 1.8.2 shows wrong letters for the UTF-8 texts of an include; later ones do "
          "not");
    }
  }

  // What the compilers do not read, either.
  void note_unreadable() {
    if (source_.starts_with("\xFF\xFE") || source_.starts_with("\xFE\xFF")) {
      facts_.notes.emplace_back("the source is in UTF-16, which no compiler reads");
    } else if (source_.find('\n') == source_.npos && source_.find('\r') != source_.npos) {
      facts_.notes.emplace_back(
          "the lines of the source end with CR alone, which no compiler reads");
    }
  }

  void read_registration() {
    const std::vector<CallArguments> calls = registrations();
    facts_.is_plugin = !calls.empty() || has_entry_point();
    if (!calls.empty()) {
      facts_.name = value(calls, 0, "name");
      facts_.version = value(calls, 1, "version");
      facts_.author = value(calls, 2, "author");
      facts_.url = text_of(calls.front()[3]);
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
    return std::any_of(version.begin(), version.end(), [&](const Token& token) {
      if (token.kind != Token::Kind::word) return false;
      const auto define = pawn_.defines.find(token.value);
      const auto is_platform = [](const Token& each) {
        return each.kind == Token::Kind::word && each.value.starts_with("AMXX_VERSION");
      };
      return is_platform(token) ||
             (define != pawn_.defines.end() &&
              std::any_of(define->second.begin(), define->second.end(), is_platform));
    });
  }

  // The value of `public const NAME[] = …`.
  std::string public_text(std::string_view name) const {
    const Tokens& tokens = pawn_.tokens;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      if (!tokens[i].is_word(name)) continue;
      std::size_t before = i - 1;
      while (before > 0 && (tokens[before].is_word("const") || tokens[before].is_word("stock"))) {
        --before;
      }
      if (tokens[before].is_word("public")) return text_of(TokenSpan(tokens).subspan(i, 1));
    }
    return "";
  }

  bool has_entry_point() const {
    return defines_entry_point(pawn_.tokens) ||
           std::any_of(own_includes_.begin(), own_includes_.end(), [](const PawnSource& include) {
             return defines_entry_point(include.tokens);
           });
  }

  void read_cvars() {
    constexpr std::array<std::string_view, 3> kRegister{"name", "string", "flags"};
    constexpr std::array<std::string_view, 4> kCreate{"name", "string", "flags", "description"};
    for (const CallArguments& call : calls_of(pawn_.tokens, "register_cvar")) {
      add_cvar(in_order(call, kRegister));
    }
    for (const CallArguments& call : calls_of(pawn_.tokens, "create_cvar")) {
      add_cvar(in_order(call, kCreate));
    }
    for (const auto& [name, wrapper] : cvar_wrappers()) {
      for (const CallArguments& call : calls_of(pawn_.tokens, name)) {
        CallArguments cvar;
        for (const std::optional<std::size_t> place : wrapper.places) {
          cvar.push_back(place && *place < call.size() ? call[*place] : TokenSpan());
        }
        add_cvar(cvar, wrapper.is_protected);
      }
    }
  }

  // `call`: name, value, flags, description.
  void add_cvar(const CallArguments& call, bool is_secret = false) {
    const std::string name = text_of(call[0]);
    if (name.empty() || cvars_.size() >= kMostKnown) return;
    const bool is_hidden = is_secret || domain::names_secret(name) || is_protected(call[2]);
    domain::PluginCvar cvar{name, is_hidden ? "" : text_of(call[1]),
                            call.size() > 3 ? text_of(call[3]) : ""};
    if (cvars_.insert(cvar.name).second) facts_.cvars.push_back(std::move(cvar));
  }

  // A function of the source, or of its includes, that registers a cvar which its callers name.
  struct CvarWrapper {
    // In the order of create_cvar(): which parameter of the function each is; none = its own value.
    std::array<std::optional<std::size_t>, 4> places;
    bool is_protected = false;
  };
  using CvarWrappers = std::map<std::string, CvarWrapper, std::less<>>;

  CvarWrappers cvar_wrappers() const {
    CvarWrappers wrappers;
    add_cvar_wrappers(pawn_.tokens, wrappers);
    for (const PawnSource& include : own_includes_) add_cvar_wrappers(include.tokens, wrappers);
    return wrappers;
  }

  static void add_cvar_wrappers(TokenSpan tokens, CvarWrappers& wrappers) {
    for (const Function& function : functions_in(tokens)) {
      for (const char* registers : {"register_cvar", "create_cvar"}) {
        for (const CallArguments& call : calls_of(function.body, registers)) {
          CvarWrapper wrapper;
          for (std::size_t i = 0; i < std::min(call.size(), wrapper.places.size()); ++i) {
            wrapper.places[i] = function.place_of(call[i]);
          }
          if (!wrapper.places[0] || wrappers.size() >= kMostValues) continue;
          wrapper.is_protected = call.size() > 2 && is_protected(call[2]);
          wrappers.try_emplace(std::string(function.name), wrapper);
        }
      }
    }
  }

  void read_commands() {
    const std::set<std::string> prompts = prompts_of();
    std::set<std::string> known;
    constexpr std::string_view kClientCommand = "client_cmd";
    for (const auto& [function, parameter] : {std::pair("register_clcmd", kClientCommand),
                                              {"register_concmd", "cmd"},
                                              {"register_srvcmd", "server_cmd"}}) {
      const std::array<std::string_view, 4> parameters{parameter, "function", "flags", "info"};
      for (const CallArguments& each : calls_of(pawn_.tokens, function)) {
        const CallArguments call = in_order(each, parameters);
        const std::string name = text_of(call[0]);
        if (name.empty() || known.size() >= kMostKnown) continue;
        const bool is_hook = parameter == kClientCommand && is_of_game(base::to_lower_ascii(name));
        if (is_hook || prompts.contains(name)) continue;
        CommandFact command{name, "", text_of(call[3])};
        if (!call[2].empty()) command.flags = constants_.flags(call[2]);
        if (known.insert(command.name).second) facts_.commands.push_back(std::move(command));
      }
    }
    note_unknown_flags();
  }

  // What players are asked to type an answer to (`messagemode NAME`): nobody enters it as a
  // command.
  std::set<std::string> prompts_of() const {
    std::set<std::string> prompts;
    const auto add = [&](std::string_view text) {
      constexpr std::string_view kPrompt = "messagemode";
      if (!text.starts_with(kPrompt) || prompts.size() >= kMostKnown) return;
      text.remove_prefix(kPrompt.size());
      if (text.starts_with('2')) text.remove_prefix(1);
      constexpr std::string_view kAround = " \"';";
      const std::size_t from = text.find_first_not_of(kAround);
      if (from == text.npos) return;
      text.remove_prefix(from);
      prompts.emplace(text.substr(0, text.find_first_of(kAround)));
    };
    for (const Token& token : pawn_.tokens) {
      if (token.kind == Token::Kind::text) add(token.value);
    }
    for (const CallArguments& call : calls_of(pawn_.tokens, "client_cmd")) {
      if (call.size() > 2 && text_of(call[1]).starts_with("messagemode")) {
        add("messagemode " + text_of(call[2]));
      }
    }
    return prompts;
  }

  void note_unknown_flags() {
    std::size_t unknown = 0;
    std::string first;
    for (const CommandFact& command : facts_.commands) {
      if (!command.flags && unknown++ == 0) first = command.name;
    }
    if (unknown == 0) return;
    const std::string others = unknown == 1 ? "" : fmt::format(" and of {} more", unknown - 1);
    facts_.notes.push_back(fmt::format(
        "the source computes the flags of the command {}{}; they are left out", first, others));
  }

  // First where calls say that files are, then what other literals name.
  void read_files() {
    const std::vector<FollowedCall> calls = folder_calls();
    follow_folders(calls, false);  // a variable may be set behind where it is used
    follow_folders(calls, true);
    for (const Token& token : pawn_.tokens) add_named(token);
    for (const auto& [name, tokens] : pawn_.defines) {
      for (const Token& token : tokens) add_named(token);
    }
    for (std::string& name : precached_names(pawn_, constants_)) add_file(std::move(name));
  }

  // Whether the name at `at`, before a bracket, is that of a function that is defined there or
  // declared. `depth`: of braces around it.
  static bool is_declared(TokenSpan tokens, std::size_t at, int depth) {
    while (at >= 2 && tokens[at - 1].is(":")) at -= 2;  // tags, as in Float:name()
    if (at == 0) return true;
    const Token& before = tokens[at - 1];
    constexpr std::array<std::string_view, 5> kWords{"public", "stock", "static", "native",
                                                     "forward"};
    return std::find(kWords.begin(), kWords.end(), before.value) != kWords.end() ||
           (depth <= 0 && (before.is("}") || before.is(";")));
  }

  void read_functions() {
    constexpr std::array<std::string_view, 9> kNoFunctions{
        "if", "while", "for", "switch", "return", "sizeof", "assert", "charsmax", "defined"};
    const TokenSpan tokens = pawn_.tokens;
    std::set<std::string_view> called;
    std::set<std::string_view> declared;
    int depth = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      depth += tokens[i].is("{") ? 1 : tokens[i].is("}") ? -1 : 0;
      if (tokens[i].kind != Token::Kind::word || !tokens[i + 1].is("(")) continue;
      (is_declared(tokens, i, depth) ? declared : called).insert(tokens[i].value);
    }
    for (const std::string_view name : called) {
      const bool is_function =
          domain::is_native_name(name) && !declared.contains(name) &&
          std::find(kNoFunctions.begin(), kNoFunctions.end(), name) == kNoFunctions.end();
      if (is_function && facts_.functions.size() < kMostFunctions) {
        facts_.functions.emplace_back(name);
      }
    }
  }

  void add_named(const Token& token) {
    if (token.kind != Token::Kind::text) return;
    std::string name = token.value;
    if (name.find('%') != name.npos) {
      std::replace(name.begin(), name.end(), '\\', '/');
      name = name.substr(name.rfind('/') + 1);
    }
    if (base::to_lower_ascii(name).starts_with("addons/")) return add_placed(name);
    add_file(std::move(name));
  }

  // `path`: below the game's folder.
  void add_placed(std::string_view path) {
    while (path.starts_with('/')) path.remove_prefix(1);
    add_file("cstrike/" + std::string(path));
  }

  void add_file(std::string name) {
    std::replace(name.begin(), name.end(), '\\', '/');
    while (name.starts_with('/')) name.erase(0, 1);
    if (name.rfind('.') == 0 || name.find('%') != name.npos || !is_resource(name)) return;
    const std::string lower = base::to_lower_ascii(name);
    const bool is_placed = lower.starts_with("cstrike/");
    const std::string bare = lower.substr(lower.rfind('/') + 1);
    // What a call has given a place is not looked for by its name alone.
    if (bare == lower && placed_.contains(bare)) return;
    if (name.size() > kLongestPath || !domain::is_relative_path(name) ||
        !base::is_printable(name)) {
      return;
    }
    if (files_.size() >= kMostFiles || !files_.insert(lower).second) return;
    if (is_placed) placed_.insert(bare);
    facts_.files.push_back(std::move(name));
  }

  enum class FolderCall { configuration, data, local, format, append, dictionary, game };
  struct FollowedCall {
    FolderCall kind;
    std::size_t at;  // the argument that counts
    CallArguments arguments;
  };

  // Those of kFolderCalls that have that argument.
  std::vector<FollowedCall> folder_calls() const {
    std::vector<FollowedCall> calls;
    const TokenSpan tokens = pawn_.tokens;
    std::size_t unclosed = 0;
    for (std::size_t i = 0; i + 1 < tokens.size() && unclosed < kMostUnclosed; ++i) {
      if (tokens[i].kind != Token::Kind::word || !tokens[i + 1].is("(")) continue;
      const auto known = kFolderCalls.find(tokens[i].value);
      if (known == kFolderCalls.end()) continue;
      CallArguments call = arguments_at(tokens, i + 1);
      const auto [kind, at] = known->second;
      if (call.empty()) ++unclosed;
      if (call.size() > at) calls.push_back({kind, at, std::move(call)});
    }
    return calls;
  }

  // What calls say of the folders of files: in the game's folder, below the folder of the
  // configuration or of the data. `adds`: what is found, to the files.
  void follow_folders(const std::vector<FollowedCall>& calls, bool adds) {
    for (const auto& [kind, at, call] : calls) {
      switch (kind) {
        case FolderCall::configuration:
          set_folder(call[at], kConfigs);
          break;
        case FolderCall::data:
          set_folder(call[at], kData);
          break;
        case FolderCall::local: {
          const std::string name = text_of(call[0]);
          if (name == "amxx_configsdir") set_folder(call[at], kConfigs);
          if (name == "amxx_datadir") set_folder(call[at], kData);
          if (name == "amxx_basedir") set_folder(call[at], kPlatform);
          break;
        }
        case FolderCall::format:
          follow_format(at >= 2 ? call[0] : TokenSpan(), call[at], std::span(call).subspan(at + 1),
                        adds);
          break;
        case FolderCall::append:
          follow_append(call, adds);
          break;
        case FolderCall::dictionary:
          if (adds) add_placed(std::string(kData) + "/lang/" + text_of(call[at]));
          break;
        case FolderCall::game:
          if (!adds) break;
          if (const std::string path = text_of(call[at]); path.find(' ') == path.npos) {
            add_placed(path);
          }
          break;
      }
    }
  }

  void set_folder(TokenSpan variable, std::string folder) {
    if (variable.empty() || variable[0].kind != Token::Kind::word) return;
    if (folders_.size() >= kMostKnown) return;
    folders_.insert_or_assign(variable[0].value, std::move(folder));
  }

  // std::nullopt: it is not below a folder that is known.
  std::optional<std::string> folder_in(TokenSpan variable) const {
    if (variable.size() != 1) return std::nullopt;
    const auto found = folders_.find(variable[0].value);
    return found == folders_.end() ? std::nullopt : std::optional(found->second);
  }

  void follow_format(TokenSpan target, TokenSpan pattern, std::span<const TokenSpan> values,
                     bool adds) {
    const std::string text = text_of(pattern);
    if (!text.starts_with("%s") || values.empty()) return;
    std::optional<std::string> path = folder_in(values[0]);
    if (!path) return;
    std::size_t next = 1;
    for (std::size_t i = 2; i < text.size(); ++i) {
      if (text[i] != '%') {
        *path += text[i];
        continue;
      }
      const bool is_text = text.substr(i, 2) == "%s" && next < values.size();
      const std::string value = is_text ? text_of(values[next++]) : "";
      if (value.empty() || path->size() > kLongestPath) return;
      *path += value;
      ++i;
    }
    end_at(target, *path, adds);
  }

  // add(target, length, text)
  void follow_append(const CallArguments& call, bool adds) {
    const std::string text = text_of(call[2]);
    const std::optional<std::string> folder = folder_in(call[0]);
    if (!folder || text.empty() || text.find('%') != text.npos) return;
    end_at(call[0], *folder + text, adds);
  }

  void end_at(TokenSpan target, std::string_view path, bool adds) {
    if (path.size() > kLongestPath) return;
    std::string plain;  // without empty parts
    for (const char c : path) {
      if (c != '/' || !plain.ends_with('/')) plain += c;
    }
    if (adds) add_placed(plain);
    if (plain.rfind('.') == plain.npos) set_folder(target, std::move(plain));
  }

  // By function: what it does with the argument at that place.
  static inline const std::map<std::string_view, std::pair<FolderCall, std::size_t>> kFolderCalls{
      {"get_configsdir", {FolderCall::configuration, 0}},
      {"get_datadir", {FolderCall::data, 0}},
      {"get_localinfo", {FolderCall::local, 1}},
      {"format", {FolderCall::format, 2}},
      {"formatex", {FolderCall::format, 2}},
      {"fmt", {FolderCall::format, 0}},
      {"add", {FolderCall::append, 2}},
      {"register_dictionary", {FolderCall::dictionary, 0}},
      {"show_motd", {FolderCall::game, 1}},
      {"fopen", {FolderCall::game, 0}},
      {"file_exists", {FolderCall::game, 0}},
      {"read_file", {FolderCall::game, 0}},
      {"precache_generic", {FolderCall::game, 0}},
  };
  static constexpr const char* kPlatform = "addons/amxmodx";
  static constexpr const char* kConfigs = "addons/amxmodx/configs";
  static constexpr const char* kData = "addons/amxmodx/data";

  const std::string_view source_;
  const char* code_page_;
  PawnSource pawn_;
  std::vector<PawnSource> own_includes_;
  bool has_utf8_include_ = false;
  Constants constants_;
  std::map<std::string, std::string, std::less<>> folders_;  // of variables, below the game's
  std::set<std::string> cvars_;
  std::set<std::string> files_;   // in lower case
  std::set<std::string> placed_;  // the names of those with a place
  SourceFacts facts_;
};

// Whether it is the address of a page, not of a whole site.
bool has_page(std::string_view url) {
  const std::size_t host = url.find("//") + 2;
  const std::size_t slash = url.find('/', host);
  return slash != url.npos && slash + 1 < url.size();
}

}  // namespace

std::string address_in(std::string_view comment) {
  constexpr std::string_view kEnds = " \t\r\n\"'<>()[]{}|*^`\\,;";
  constexpr std::size_t kLongest = 500;
  std::set<std::string> addresses;
  for (std::size_t at = comment.find("http"); at != comment.npos;
       at = comment.find("http", at + 1)) {
    std::string_view url = comment.substr(at, kLongest + 4);
    if (!url.starts_with("http://") && !url.starts_with("https://")) continue;
    url = url.substr(0, url.find_first_of(kEnds));
    while (url.ends_with('.') || url.ends_with(':') || url.ends_with('!')) url.remove_suffix(1);
    const bool is_plain =
        std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7F; });
    if (is_plain && url.size() <= kLongest && has_page(url) &&
        !is_elsewhere(base::to_lower_ascii(url))) {
      addresses.emplace(url);
    }
  }
  return addresses.size() == 1 ? *addresses.begin() : "";
}

bool is_resource(std::string_view path) {
  constexpr std::array<std::string_view, 16> kEndings{
      ".wav", ".mp3",  ".mdl",  ".spr", ".tga", ".bmp", ".txt", ".ini",
      ".cfg", ".json", ".html", ".htm", ".sc",  ".res", ".dat", ".nav"};
  const std::string lower = base::to_lower_ascii(path);
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return lower.ends_with(ending); });
}

SourceFacts read_facts(std::string_view source, const std::vector<std::string_view>& includes) {
  return Facts(source, includes).read();
}

}  // namespace goldsmith::pawn
