#include "app/scan/facts.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "app/compile/include_names.hpp"
#include "app/domain/license.hpp"
#include "app/domain/names.hpp"
#include "app/sys/code_page.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::size_t kLongestLine = 255;
constexpr std::size_t kMostEntries = 256;
constexpr std::size_t kMostFiles = 500;

class Facts {
 public:
  Facts(std::string_view source, const std::vector<std::string_view>& includes)
      : code_page_(domain::is_utf8(source) ? nullptr : sys::detect_code_page(source)),
        pawn_(read_pawn(source)),
        constants_(pawn_) {
    own_includes_.reserve(includes.size());
    for (const std::string_view include : includes) own_includes_.push_back(read_pawn(include));
    for (const PawnSource& include : own_includes_) constants_.add_include(include);
    facts_.encoding = code_page_ ? code_page_ : "UTF-8";
    facts_.includes = compile::included_names(source);
  }

  SourceFacts read() {
    read_registration();
    read_cvars();
    read_commands();
    read_files();
    facts_.license = license_in(pawn_.head_comment);
    facts_.prose = prose_of_text(utf8(pawn_.opening_comment));
    return std::move(facts_);
  }

 private:
  std::string utf8(std::string_view text) const {
    if (domain::is_utf8(text)) return std::string(text);
    return sys::from_code_page(text, code_page_ ? code_page_ : "windows-1252");
  }

  // On one line, without control characters, and short enough for a manifest.
  std::string line(std::string_view text) const {
    const std::string decoded = utf8(text);
    std::string plain;
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      const auto byte = static_cast<unsigned char>(decoded[i]);
      const bool is_c1 = byte == 0xC2 && static_cast<unsigned char>(decoded[i + 1]) < 0xA0;
      if (is_c1) ++i;
      plain += byte < 0x20 || byte == 0x7F || is_c1 ? ' ' : decoded[i];
    }
    std::size_t end = std::min(plain.size(), kLongestLine);
    while (end < plain.size() && sys::is_utf8_continuation(plain[end])) --end;
    return std::string(sys::trim(std::string_view(plain).substr(0, end)));
  }

  std::string value(TokenSpan expression, std::string_view what) {
    if (constants_.is_ambiguous(expression)) {
      facts_.doubts.push_back("the source defines its " + std::string(what) +
                              " in several ways; the first one is taken");
    }
    const std::optional<std::string> text = constants_.text(expression);
    return text ? line(*text) : "";
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
    return calls;
  }

  void read_registration() {
    const std::vector<CallArguments> calls = registrations();
    if (calls.empty()) return;
    facts_.is_plugin = true;
    const CallArguments& call = calls.front();
    facts_.name = value(call[0], "name");
    facts_.version = value(call[1], "version");
    facts_.author = value(call[2], "author");
    if (call.size() > 3) facts_.url = value(call[3], "address");
    if (!facts_.url.starts_with("http://") && !facts_.url.starts_with("https://")) facts_.url = "";
    for (const CallArguments& other : calls) {
      if (constants_.text(other[0]) == constants_.text(call[0]) &&
          constants_.text(other[1]) == constants_.text(call[1])) {
        continue;
      }
      facts_.doubts.push_back("the source calls register_plugin() in several ways");
      break;
    }
  }

  void read_cvars() {
    std::set<std::string> known;
    for (const auto& [function, help] : {std::pair("register_cvar", 99), {"create_cvar", 3}}) {
      for (const CallArguments& call : calls_of(pawn_.tokens, function)) {
        const auto at = [&](std::size_t i) {
          return i < call.size() ? constants_.text(call[i]) : std::nullopt;
        };
        const auto name = at(0);
        if (!name || name->empty() || known.size() >= kMostEntries) continue;
        CvarFact cvar{line(*name), line(at(1).value_or("")),
                      line(at(static_cast<std::size_t>(help)).value_or(""))};
        if (known.insert(cvar.name).second) facts_.cvars.push_back(std::move(cvar));
      }
    }
  }

  void read_commands() {
    std::set<std::string> known;
    for (const char* function : {"register_clcmd", "register_concmd", "register_srvcmd"}) {
      for (const CallArguments& call : calls_of(pawn_.tokens, function)) {
        const auto name = constants_.text(call[0]);
        if (!name || name->empty() || known.size() >= kMostEntries) continue;
        CommandFact command{line(*name), "", ""};
        if (call.size() > 2) command.flags = constants_.flags(call[2]);
        if (call.size() > 3) command.help = line(constants_.text(call[3]).value_or(""));
        if (known.insert(command.name).second) facts_.commands.push_back(std::move(command));
      }
    }
    doubt_unknown_flags();
  }

  void doubt_unknown_flags() {
    std::size_t unknown = 0;
    std::string first;
    for (const CommandFact& command : facts_.commands) {
      if (!command.flags && unknown++ == 0) first = command.name;
    }
    if (unknown == 0) return;
    const std::string others =
        unknown == 1 ? "" : " and of " + std::to_string(unknown - 1) + " more";
    facts_.doubts.push_back("the source computes the flags of the command " + first + others +
                            "; they are left out");
  }

  void read_files() {
    std::set<std::string> known;
    const auto add = [&](const Token& token) {
      if (token.kind != Token::Kind::text || known.size() >= kMostFiles) return;
      std::string name = sys::to_lower_ascii(token.value);
      std::replace(name.begin(), name.end(), '\\', '/');
      if (name.find('%') != name.npos) name = name.substr(name.rfind('/') + 1);
      while (name.starts_with('/')) name.erase(0, 1);
      const std::size_t dot = name.rfind('.');
      if (dot == name.npos || dot == 0 || name.find('%') != name.npos) return;
      constexpr std::array<std::string_view, 9> kKinds{"wav", "mp3", "mdl", "spr", "txt",
                                                       "ini", "cfg", "tga", "bmp"};
      const std::string_view kind = std::string_view(name).substr(dot + 1);
      if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) return;
      if (domain::is_relative_path(name) && known.insert(name).second) facts_.files.push_back(name);
    };
    for (const Token& token : pawn_.tokens) add(token);
    for (const auto& [name, tokens] : pawn_.defines) {
      for (const Token& token : tokens) add(token);
    }
  }

  const char* code_page_;
  PawnSource pawn_;
  std::vector<PawnSource> own_includes_;
  Constants constants_;
  SourceFacts facts_;
};

// Lower case, and one space for what separates words: comments wrap and decorate their lines.
std::string words_of(std::string_view text) {
  std::string words;
  for (const char c : sys::to_lower_ascii(text)) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (is_word) {
      words += c;
    } else if (!words.empty() && words.back() != ' ') {
      words += ' ';
    }
  }
  return words;
}

}  // namespace

SourceFacts read_facts(std::string_view source, const std::vector<std::string_view>& includes) {
  return Facts(source, includes).read();
}

std::string license_in(std::string_view comment) {
  constexpr std::string_view kTag = "SPDX-License-Identifier:";
  if (const std::size_t tag = comment.find(kTag); tag != comment.npos) {
    const std::string_view rest = comment.substr(tag + kTag.size());
    std::string id(sys::trim_ascii(rest.substr(0, rest.find('\n'))));
    try {
      domain::parse_license(id);
      return id;
    } catch (const domain::InvalidLicense&) {
      return "";
    }
  }
  const std::string words = words_of(comment);
  const auto has = [&](std::string_view phrase) { return words.find(phrase) != words.npos; };
  if (has("permission is hereby granted free of charge to any person obtaining a copy")) {
    return "MIT";
  }
  if (has("licensed under the apache license version 2.0")) return "Apache-2.0";
  for (const auto& [name, id] : {std::pair("gnu affero general public license", "AGPL"),
                                 {"gnu lesser general public license", "LGPL"},
                                 {"gnu general public license", "GPL"}}) {
    if (!has(name)) continue;
    const bool or_later = has("any later version") || has("or later");
    for (const char* number : {"3", "2"}) {
      if (has(std::string("version ") + number)) {
        return std::string(id) + '-' + number + ".0-" + (or_later ? "or-later" : "only");
      }
    }
  }
  return "";
}

}  // namespace goldsmith::scan
