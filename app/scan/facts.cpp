#include "app/scan/facts.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "app/compile/include_names.hpp"
#include "app/domain/names.hpp"
#include "app/domain/secret_names.hpp"
#include "app/scan/license.hpp"
#include "app/scan/secrets.hpp"
#include "app/sys/code_page.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::size_t kLongestLine = 255;
constexpr std::size_t kMostEntries = 256;
constexpr std::size_t kMostFiles = 500;
constexpr std::size_t kLongestPath = 1024;
constexpr std::size_t kMostValues = 16;  // of a name, version or author

class Facts {
 public:
  Facts(std::string_view source, const std::vector<std::string_view>& includes)
      : source_(source),
        code_page_(domain::is_utf8(source) ? nullptr : sys::detect_code_page(source)),
        pawn_(read_pawn(source)),
        constants_(pawn_) {
    own_includes_.reserve(includes.size());
    for (const std::string_view include : includes) own_includes_.push_back(read_pawn(include));
    for (const PawnSource& include : own_includes_) constants_.add_include(include);
    facts_.encoding = code_page_ ? code_page_ : "UTF-8";
    facts_.includes = compile::included_names(source);
  }

  SourceFacts read() {
    note_unreadable();
    read_registration();
    read_cvars();
    read_commands();
    read_files();
    facts_.license = license_in(pawn_.head_comment);
    if (facts_.url.empty()) facts_.url = address_in(pawn_.head_comment);
    facts_.prose = prose_of_text(utf8(pawn_.opening_comment));
    return std::move(facts_);
  }

 private:
  std::string utf8(std::string_view text) const {
    if (domain::is_utf8(text)) return std::string(text);
    return sys::from_code_page(text, code_page_ ? code_page_ : "windows-1252");
  }

  // On one line, printable, and short enough for a manifest.
  std::string line(std::string_view text) const {
    const std::string decoded = utf8(text);
    std::string plain;
    for (std::string_view rest = decoded; !rest.empty();) {
      const std::string_view next = sys::first_code_points(rest, 1);
      rest.remove_prefix(next.size());
      plain += sys::is_printable(next) ? next : " ";
    }
    std::size_t end = std::min(plain.size(), kLongestLine);
    while (end < plain.size() && sys::is_utf8_continuation(plain[end])) --end;
    return std::string(sys::trim(std::string_view(plain).substr(0, end)));
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
      const std::string all = sys::join(values, ", ", [](const std::string& text) {
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
    if (calls.empty()) return;
    facts_.is_plugin = true;
    facts_.name = value(calls, 0, "name");
    facts_.version = value(calls, 1, "version");
    facts_.author = value(calls, 2, "author");
    facts_.url = text_of(calls.front()[3]);
    if (!facts_.url.starts_with("http://") && !facts_.url.starts_with("https://")) facts_.url = "";
  }

  void read_cvars() {
    constexpr std::array<std::string_view, 3> kRegister{"name", "string", "flags"};
    constexpr std::array<std::string_view, 4> kCreate{"name", "string", "flags", "description"};
    std::set<std::string> known;
    const auto add = [&](const CallArguments& call) {
      const std::string name = text_of(call[0]);
      if (name.empty() || known.size() >= kMostEntries) return;
      const bool is_hidden = domain::names_secret(name) || is_protected(call[2]);
      CvarFact cvar{name, is_hidden ? "" : text_of(call[1]),
                    call.size() > 3 ? text_of(call[3]) : ""};
      if (known.insert(cvar.name).second) facts_.cvars.push_back(std::move(cvar));
    };
    for (const CallArguments& call : calls_of(pawn_.tokens, "register_cvar")) {
      add(in_order(call, kRegister));
    }
    for (const CallArguments& call : calls_of(pawn_.tokens, "create_cvar")) {
      add(in_order(call, kCreate));
    }
  }

  void read_commands() {
    std::set<std::string> known;
    for (const auto& [function, parameter] : {std::pair("register_clcmd", "client_cmd"),
                                              {"register_concmd", "cmd"},
                                              {"register_srvcmd", "server_cmd"}}) {
      const std::array<std::string_view, 4> parameters{parameter, "function", "flags", "info"};
      for (const CallArguments& each : calls_of(pawn_.tokens, function)) {
        const CallArguments call = in_order(each, parameters);
        const std::string name = text_of(call[0]);
        if (name.empty() || known.size() >= kMostEntries) continue;
        CommandFact command{name, "", text_of(call[3])};
        if (!call[2].empty()) command.flags = constants_.flags(call[2]);
        if (known.insert(command.name).second) facts_.commands.push_back(std::move(command));
      }
    }
    note_unknown_flags();
  }

  void note_unknown_flags() {
    std::size_t unknown = 0;
    std::string first;
    for (const CommandFact& command : facts_.commands) {
      if (!command.flags && unknown++ == 0) first = command.name;
    }
    if (unknown == 0) return;
    const std::string others =
        unknown == 1 ? "" : " and of " + std::to_string(unknown - 1) + " more";
    facts_.notes.push_back("the source computes the flags of the command " + first + others +
                           "; they are left out");
  }

  void read_files() {
    std::set<std::string> known;
    const auto add = [&](const Token& token) {
      if (token.kind != Token::Kind::text || known.size() >= kMostFiles) return;
      std::string name = token.value;
      std::replace(name.begin(), name.end(), '\\', '/');
      if (name.find('%') != name.npos) name = name.substr(name.rfind('/') + 1);
      while (name.starts_with('/')) name.erase(0, 1);
      const std::size_t dot = name.rfind('.');
      if (dot == name.npos || dot == 0 || name.find('%') != name.npos) return;
      constexpr std::array<std::string_view, 9> kKinds{"wav", "mp3", "mdl", "spr", "txt",
                                                       "ini", "cfg", "tga", "bmp"};
      const std::string kind = sys::to_lower_ascii(name.substr(dot + 1));
      if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) return;
      if (name.size() <= kLongestPath && domain::is_relative_path(name) &&
          sys::is_printable(name) && known.insert(sys::to_lower_ascii(name)).second) {
        facts_.files.push_back(name);
      }
    };
    for (const Token& token : pawn_.tokens) add(token);
    for (const auto& [name, tokens] : pawn_.defines) {
      for (const Token& token : tokens) add(token);
    }
  }

  const std::string_view source_;
  const char* code_page_;
  PawnSource pawn_;
  std::vector<PawnSource> own_includes_;
  Constants constants_;
  SourceFacts facts_;
};

// Addresses of licenses, of people, and of the tools that sources are made with.
bool is_elsewhere(std::string_view url) {
  constexpr std::array<std::string_view, 11> kElsewhere{
      "gnu.org",     "fsf.org",      "opensource.org", "creativecommons.org",
      "apache.org",  "mozilla.org",  "amxmodx.org",    "steamcommunity.com",
      "/member.php", "facebook.com", "paypal"};
  return std::any_of(kElsewhere.begin(), kElsewhere.end(),
                     [&](std::string_view part) { return url.find(part) != url.npos; });
}

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
        !is_elsewhere(sys::to_lower_ascii(url))) {
      addresses.emplace(url);
    }
  }
  return addresses.size() == 1 ? *addresses.begin() : "";
}

SourceFacts read_facts(std::string_view source, const std::vector<std::string_view>& includes) {
  return Facts(source, includes).read();
}

}  // namespace goldsmith::scan
