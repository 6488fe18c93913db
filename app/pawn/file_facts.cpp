// The files that literals of a source name, and what calls say of their folders.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/named_files.hpp"
#include "app/pawn/reading.hpp"

namespace goldsmith::pawn {
namespace {

constexpr std::size_t kMostFiles = 500;
constexpr std::size_t kMostFolders = 256;
constexpr std::size_t kLongestPath = 1024;
constexpr const char* kPlatformFolder = "addons/amxmodx";
constexpr const char* kConfigFolder = "addons/amxmodx/configs";
constexpr const char* kDataFolder = "addons/amxmodx/data";

class Files {
 public:
  explicit Files(Reading& reading) : reading_(reading), source_(reading.source()) {}

  // First where calls say that files are, then what other literals name.
  std::vector<std::string> read() {
    const std::vector<FollowedCall> calls = folder_calls();
    follow(calls, false);  // a variable may be set behind where it is used
    follow(calls, true);
    for (const Token& token : source_.tokens()) add_named(token);
    for (const auto& [name, tokens] : source_.read().defines) {
      for (const Token& token : tokens) add_named(token);
    }
    for (std::string& name : precached_names(source_, reading_.values())) add(std::move(name));
    return std::move(files_);
  }

 private:
  struct FollowedCall {
    FolderCall says;
    CallArguments arguments;
  };

  std::vector<FollowedCall> folder_calls() const {
    std::vector<FollowedCall> calls;
    const TokenSpan tokens = source_.tokens();
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i].kind != Token::Kind::word || !tokens[i + 1].is("(")) continue;
      const FolderCall* const known = folder_call(tokens[i].value);
      if (known == nullptr) continue;
      CallArguments call = arguments_at(tokens, i + 1);
      if (call.size() > known->argument) calls.push_back({*known, std::move(call)});
    }
    return calls;
  }

  // What calls say of the folders of files: in the game's folder, below the folder of the
  // configuration or of the data. `adds`: what is found, to the files.
  void follow(const std::vector<FollowedCall>& calls, bool adds) {
    for (const auto& [says, call] : calls) {
      const std::size_t at = says.argument;
      switch (says.kind) {
        case FolderCall::Kind::configuration:
          set_folder(call[at], kConfigFolder);
          break;
        case FolderCall::Kind::data:
          set_folder(call[at], kDataFolder);
          break;
        case FolderCall::Kind::local: {
          const std::string name = reading_.text_of(call[0]);
          if (name == "amxx_configsdir") set_folder(call[at], kConfigFolder);
          if (name == "amxx_datadir") set_folder(call[at], kDataFolder);
          if (name == "amxx_basedir") set_folder(call[at], kPlatformFolder);
          break;
        }
        case FolderCall::Kind::format:
          follow_format(at >= 2 ? call[0] : TokenSpan(), call[at], std::span(call).subspan(at + 1),
                        adds);
          break;
        case FolderCall::Kind::append:
          follow_append(call, adds);
          break;
        case FolderCall::Kind::dictionary:
          if (adds) add_placed(std::string(kDataFolder) + "/lang/" + reading_.text_of(call[at]));
          break;
        case FolderCall::Kind::game:
          if (!adds) break;
          if (const std::string path = reading_.text_of(call[at]); path.find(' ') == path.npos) {
            add_placed(path);
          }
          break;
      }
    }
  }

  void set_folder(TokenSpan variable, std::string folder) {
    if (variable.empty() || variable[0].kind != Token::Kind::word) return;
    if (folders_.size() >= kMostFolders) return;
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
    const std::string text = reading_.text_of(pattern);
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
      const std::string value = is_text ? reading_.text_of(values[next++]) : "";
      if (value.empty() || path->size() > kLongestPath) return;
      *path += value;
      ++i;
    }
    end_at(target, *path, adds);
  }

  // add(target, length, text)
  void follow_append(const CallArguments& call, bool adds) {
    const std::string text = reading_.text_of(call[2]);
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

  void add_named(const Token& token) {
    if (token.kind != Token::Kind::text) return;
    std::string name = token.value;
    if (name.find('%') != name.npos) {
      std::replace(name.begin(), name.end(), '\\', '/');
      name = name.substr(name.rfind('/') + 1);
    }
    if (base::to_lower_ascii(name).starts_with("addons/")) return add_placed(name);
    add(std::move(name));
  }

  // `path`: below the game's folder.
  void add_placed(std::string_view path) {
    while (path.starts_with('/')) path.remove_prefix(1);
    add("cstrike/" + std::string(path));
  }

  void add(std::string name) {
    std::replace(name.begin(), name.end(), '\\', '/');
    name.erase(0, name.find_first_not_of('/'));
    if (name.rfind('.') == 0 || name.find('%') != name.npos || !is_resource(name)) return;
    const std::string lower = base::to_lower_ascii(name);
    const std::string bare = lower.substr(lower.rfind('/') + 1);
    // What a call has given a place is not looked for by its name alone.
    if (bare == lower && placed_.contains(bare)) return;
    if (name.size() > kLongestPath || !domain::is_relative_path(name) ||
        !base::is_printable(name)) {
      return;
    }
    if (known_.size() >= kMostFiles || !known_.insert(lower).second) return;
    if (lower.starts_with("cstrike/")) placed_.insert(bare);
    files_.push_back(std::move(name));
  }

  Reading& reading_;
  const Source& source_;
  std::map<std::string, std::string, std::less<>> folders_;  // of variables, below the game's
  std::set<std::string> known_;                              // in lower case
  std::set<std::string> placed_;                             // the names of those with a place
  std::vector<std::string> files_;
};

}  // namespace

std::vector<std::string> files_in(Reading& reading) { return Files(reading).read(); }

bool is_resource(std::string_view path) {
  constexpr std::array<std::string_view, 16> kEndings{
      ".wav", ".mp3",  ".mdl",  ".spr", ".tga", ".bmp", ".txt", ".ini",
      ".cfg", ".json", ".html", ".htm", ".sc",  ".res", ".dat", ".nav"};
  const std::string lower = base::to_lower_ascii(path);
  return std::ranges::any_of(kEndings, [&](auto ending) { return lower.ends_with(ending); });
}

}  // namespace goldsmith::pawn
