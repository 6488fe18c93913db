#include "app/pawn/named_files.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/domain/map_wads.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/reading.hpp"
#include "app/pawn/words.hpp"

namespace goldsmith::pawn {
namespace {

using domain::PrecachedFile;

constexpr std::size_t kMostFiles = 500;
constexpr std::size_t kMostFolders = 256;
constexpr std::size_t kLongestPath = 1024;
constexpr const char* kPlatformFolder = "addons/amxmodx";
constexpr const char* kConfigFolder = "addons/amxmodx/configs";
constexpr const char* kDataFolder = "addons/amxmodx/data";

std::string with_slashes(std::string_view name) {
  std::string path(name);
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

// `name`, as a path below the game's folder.
std::optional<PrecachedFile> precached(std::string_view name, std::string_view kind) {
  if (name.find_first_of("%\"") != std::string_view::npos) return std::nullopt;
  std::string path = (kind == "sound" ? "sound/" : "") + with_slashes(name);
  const bool is_path = path.find('.') != std::string::npos &&
                       path.find("//") == std::string::npos && domain::is_relative_path(path);
  if (!is_path) return std::nullopt;
  return PrecachedFile{std::move(path), kind == "model"};
}

// Whether a text of many, such as those of an array, can be a file of the kind.
bool suits(std::string_view name, std::string_view kind) {
  static const WordList models("endings of models");
  const std::string lower = base::to_lower_ascii(name);
  return kind == "generic" || (kind == "model" ? models.end(lower) : lower.ends_with(".wav"));
}

// What follows the parenthesis or comma at `before`, up to what ends it; nothing if there is none.
TokenSpan expression_behind(TokenSpan tokens, std::size_t before) {
  const std::size_t from = before + 1;
  if (from >= tokens.size() || (tokens[before].is("(") && tokens[before].link == 0)) return {};
  for (std::size_t i = from; i < tokens.size(); i = behind(tokens, i)) {
    const Token& token = tokens[i];
    if (token.is(",") || token.is(")")) return tokens.subspan(from, i - from);
    if (token.is(";") || token.is("]") || token.is("}")) break;
  }
  return {};
}

class PrecacheSearch {
 public:
  PrecacheSearch(const Source& source, Values& values) : source_(source), values_(values) {}

  // By their paths in lower case, each with its name in the source: of a sound, below sound/.
  std::map<PrecachedFile, std::pair<PrecachedFile, std::string>> run() {
    const TokenSpan tokens = source_.tokens();
    for (std::size_t i = 0; i < tokens.size(); ++i) take(tokens, i, {&source_, i});
    for (const auto& [name, value] : source_.read().defines) {
      for (std::size_t i = 0; i < value.size(); ++i) take(value, i, {});
    }
    return std::move(files_);
  }

 private:
  // The file of a call at `i`: `FUNCTION(NAME` or, with a constant, `CONSTANT, NAME`.
  void take(TokenSpan tokens, std::size_t i, Values::Place place) {
    if (tokens[i].kind != Token::Kind::word || i + 1 >= tokens.size()) return;
    if (!tokens[i + 1].is("(") && !tokens[i + 1].is(",")) return;
    const std::string_view kind = precaches(tokens[i].value);
    if (kind.empty()) return;
    const TokenSpan name = expression_behind(tokens, i + 1);
    if (name.empty() || (place.source != nullptr && is_looked_for(name, place.at))) return;
    const bool is_literal = std::ranges::all_of(
        name, [](const Token& token) { return token.kind == Token::Kind::text; });
    values_.rows_at("s", {&name, 1}, place, [&](const Values::Texts& row) {
      if (is_literal || suits(row[0], kind)) add(row[0], kind);
    });
  }

  void add(const std::string& name, std::string_view kind) {
    auto file = precached(name, kind);
    if (!file || files_.size() >= kMaxPrecachedFiles) return;
    PrecachedFile any_case{base::to_lower_ascii(file->path), file->is_model};
    files_.try_emplace(std::move(any_case), *std::move(file), name);
  }

  // The function asks whether the file is there before it precaches it.
  bool is_looked_for(TokenSpan name, std::size_t place) {
    const Function* const function = source_.function_at(place);
    if (function == nullptr) return false;
    const auto asks = source_.places("file_exists");
    for (auto ask = std::ranges::lower_bound(asks, function->from);
         ask != asks.end() && *ask < place; ++ask) {
      const TokenSpan asked = expression_behind(source_.tokens(), *ask + 1);
      if (!values_.may_go_on(asked.size())) return false;
      if (same_values(asked, name)) return true;
    }
    return false;
  }

  const Source& source_;
  Values& values_;
  std::map<PrecachedFile, std::pair<PrecachedFile, std::string>> files_;
};

// What a function says of the folder of a file with one of its arguments.
struct FolderCall {
  enum class Kind { folder, local, format, append, dictionary, game };
  std::string_view function;
  Kind kind;
  std::size_t argument;
  const char* folder = "";  // of `folder`
};
const FolderCall* folder_call(std::string_view function) {
  using Kind = FolderCall::Kind;
  static constexpr std::array<FolderCall, 13> kCalls{
      {{"get_configsdir", Kind::folder, 0, kConfigFolder},
       {"get_datadir", Kind::folder, 0, kDataFolder},
       {"get_localinfo", Kind::local, 1},
       {"format", Kind::format, 2},
       {"formatex", Kind::format, 2},
       {"fmt", Kind::format, 0},
       {"add", Kind::append, 2},
       {"register_dictionary", Kind::dictionary, 0},
       {"show_motd", Kind::game, 1},
       {"fopen", Kind::game, 0},
       {"file_exists", Kind::game, 0},
       {"read_file", Kind::game, 0},
       {"precache_generic", Kind::game, 0}}};
  const auto* const found = std::ranges::find(kCalls, function, &FolderCall::function);
  return found == kCalls.end() ? nullptr : found;
}

// What literals name, and what calls say of their folders.
class Files {
 public:
  explicit Files(Reading& reading) : reading_(reading), source_(reading.source()) {}

  // First where calls say that files are, then what other literals name.
  std::vector<std::string> read() {
    follow(false);  // a variable may be set behind where it is used
    follow(true);
    for (const Token& token : source_.tokens()) add_named(token);
    for (const auto& [name, tokens] : source_.read().defines) {
      for (const Token& token : tokens) add_named(token);
    }
    for (auto& [key, file] : PrecacheSearch(source_, reading_.values()).run()) {
      add(std::move(file.second));
    }
    return std::move(files_);
  }

 private:
  // What calls say of the folders of files: in the game's folder, below the folder of the
  // configuration or of the data. `adds`: what is found, to the files.
  void follow(bool adds) {
    const TokenSpan tokens = source_.tokens();
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i].kind != Token::Kind::word || !tokens[i + 1].is("(")) continue;
      const FolderCall* const known = folder_call(tokens[i].value);
      if (known == nullptr) continue;
      const CallArguments call = arguments_at(tokens, i + 1);
      if (call.size() > known->argument) follow(*known, call, adds);
    }
  }

  void follow(const FolderCall& says, const CallArguments& call, bool adds) {
    const TokenSpan said = call[says.argument];
    switch (says.kind) {
      case FolderCall::Kind::folder:
        return set_folder(said, says.folder);
      case FolderCall::Kind::local: {
        const std::string name = reading_.text_of(call[0]);
        if (name == "amxx_configsdir") set_folder(said, kConfigFolder);
        if (name == "amxx_datadir") set_folder(said, kDataFolder);
        if (name == "amxx_basedir") set_folder(said, kPlatformFolder);
        return;
      }
      case FolderCall::Kind::format:
        return follow_format(says.argument > 0 ? call[0] : TokenSpan(), said,
                             std::span(call).subspan(says.argument + 1), adds);
      case FolderCall::Kind::append: {
        const std::string text = reading_.text_of(said);
        const std::optional<std::string> folder = folder_in(call[0]);
        if (!folder || text.empty() || text.find('%') != text.npos) return;
        return end_at(call[0], *folder + text, adds);
      }
      case FolderCall::Kind::dictionary:
        if (adds) add_placed(std::string(kDataFolder) + "/lang/" + reading_.text_of(said));
        return;
      case FolderCall::Kind::game:
        if (!adds) return;
        if (const std::string path = reading_.text_of(said); path.find(' ') == path.npos) {
          add_placed(path);
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
      name = with_slashes(name);
      name = name.substr(name.rfind('/') + 1);
    }
    if (base::to_lower_ascii(name).starts_with("addons/")) return add_placed(name);
    add(name);
  }

  // `path`: below the game's folder.
  void add_placed(std::string_view path) {
    while (path.starts_with('/')) path.remove_prefix(1);
    add("cstrike/" + std::string(path));
  }

  void add(std::string_view spelled) {
    std::string name = with_slashes(spelled);
    name.erase(0, name.find_first_not_of('/'));
    if (name.rfind('.') == 0 || name.find('%') != name.npos || !is_resource(name)) return;
    const std::string lower = base::to_lower_ascii(name);
    const std::string bare = lower.substr(lower.rfind('/') + 1);
    // What a call has given a place is not looked for by its name alone.
    if (bare == lower && placed_.contains(bare)) return;
    const bool is_path = name.size() <= kLongestPath && domain::is_relative_path(name);
    if (!is_path || !base::is_printable(name)) return;
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

// Whether it is given to a function that shows players nothing.
bool is_unseen(TokenSpan tokens, std::size_t at) {
  static const WordList unseen("functions that show nothing");
  constexpr int kMostBrackets = 16;  // around a text
  for (int i = 0; i < kMostBrackets && tokens[at].outer > 0; ++i) {
    at -= tokens[at].outer;
    if (at == 0 || !tokens[at].is("(")) continue;
    const Token& function = tokens[at - 1];
    if (function.kind == Token::Kind::word && unseen.has(function.value)) return true;
  }
  return false;
}

// Whether a name is used, beside its declaration, where players may see it.
bool is_shown(const Source& source, std::string_view name, std::size_t declared) {
  return std::ranges::any_of(source.places(name), [&](std::size_t at) {
    return at != declared && !is_unseen(source.tokens(), at);
  });
}

}  // namespace

std::vector<std::string> files_in(Reading& reading) { return Files(reading).read(); }

bool is_resource(std::string_view path) {
  static const WordList endings("kinds of resources");
  return endings.end(base::to_lower_ascii(path));
}

domain::NamedFiles files_named_in(const Source& source) {
  Values values(source);
  domain::NamedFiles named{source.read().includes, {}, shows_foreign_text(source)};
  for (auto& [key, file] : PrecacheSearch(source, values).run()) {
    named.precached.push_back(std::move(file.first));
  }
  return named;
}

domain::NamedFiles named_files(std::string_view content) {
  if (!domain::begins_as_map(content)) return files_named_in(Source(content));
  domain::NamedFiles named;
  for (std::string& wad : domain::wads_of_map(content)) named.precached.push_back({std::move(wad)});
  return named;
}

bool has_foreign_text(TokenSpan tokens) {
  return std::ranges::any_of(tokens, [](const Token& token) {
    return token.kind == Token::Kind::text && !base::is_ascii(token.value);
  });
}

bool shows_foreign_text(const Source& source) {
  const TokenSpan tokens = source.tokens();
  std::vector<bool> is_named(tokens.size());
  for (const ArrayValue& array : source.arrays()) {
    if (!array.is_global || !array.is_flat || !has_foreign_text(array.value)) continue;
    if (is_shown(source, tokens[array.at].value, array.at)) return true;
    const auto from = array.value.data() - tokens.data();
    std::fill_n(is_named.begin() + from, array.value.size(), true);
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_named[i] && has_foreign_text(tokens.subspan(i, 1)) && !is_unseen(tokens, i)) {
      return true;
    }
  }
  return std::ranges::any_of(source.read().defines, [&](const auto& define) {
    return has_foreign_text(define.second) && is_shown(source, define.first, tokens.size());
  });
}

}  // namespace goldsmith::pawn
