#include "app/pawn/named_files.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::pawn {
namespace {

using domain::PrecachedFile;

constexpr std::string_view kPrecache = "recache";  // precache_…, EngFunc_Precache…

bool is_word(char c) { return domain::is_alphanumeric(c) || c == '_'; }

// The source with blanks in place of comments. A quote ends with its line, as for the compiler.
std::string without_comments(std::string_view source) {
  std::string code(source);
  enum { in_code, in_line, in_block, in_quotes } state = in_code;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    const char next = i + 1 < code.size() ? code[i + 1] : '\0';
    if (c == '\n') {
      if (state != in_block) state = in_code;
    } else if (state == in_quotes) {
      if (c == '^') ++i;  // Pawn's escape character
      if (c == '"') state = in_code;
    } else if (state == in_block && c == '*' && next == '/') {
      state = in_code;
      code[i] = code[i + 1] = ' ';
    } else if (state == in_code && c == '/' && (next == '/' || next == '*')) {
      state = next == '/' ? in_line : in_block;
      code[i] = ' ';
      code[++i] = ' ';
    } else if (state == in_code && c == '"') {
      state = in_quotes;
    } else if (state != in_code) {
      code[i] = ' ';
    }
  }
  return code;
}

std::string_view after_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

enum class Kind { model, sound, generic };

// `word`: the name of a function or of a constant of fakemeta.
std::optional<Kind> kind_of(std::string_view word) {
  if (word == "precache_model" || word == "EngFunc_PrecacheModel") return Kind::model;
  if (word == "precache_sound" || word == "EngFunc_PrecacheSound") return Kind::sound;
  if (word == "precache_generic" || word == "EngFunc_PrecacheGeneric") return Kind::generic;
  return std::nullopt;
}

// The literal that begins `rest`, as a path below the game's folder.
std::optional<PrecachedFile> literal(std::string_view rest, Kind kind) {
  rest = after_blanks(rest);
  if (!rest.starts_with('(') && !rest.starts_with(',')) return std::nullopt;
  rest = after_blanks(rest.substr(1));
  if (!rest.starts_with('"')) return std::nullopt;
  rest.remove_prefix(1);
  const std::string_view name = rest.substr(0, rest.find_first_of("\"\n"));
  if (!rest.substr(name.size()).starts_with('"') ||
      name.find_first_of("%^") != std::string_view::npos) {
    return std::nullopt;
  }
  std::string path = base::to_lower_ascii(name);
  std::replace(path.begin(), path.end(), '\\', '/');
  if (kind == Kind::sound) path.insert(0, "sound/");
  const bool is_path = path.find('.') != std::string::npos &&
                       path.find("//") == std::string::npos && domain::is_relative_path(path);
  if (!is_path) return std::nullopt;
  return PrecachedFile{std::move(path), kind == Kind::model};
}

}  // namespace

std::vector<PrecachedFile> precached_files(std::string_view source) {
  std::vector<PrecachedFile> files;
  if (source.find(kPrecache) == std::string_view::npos) return files;
  const std::string code = without_comments(source);
  const std::string_view text = code;
  for (std::size_t at = text.find(kPrecache); at != std::string_view::npos;
       at = text.find(kPrecache, at + kPrecache.size())) {
    std::size_t begin = at;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const auto kind = kind_of(text.substr(begin, end - begin));
    auto file = kind ? literal(text.substr(end), *kind) : std::nullopt;
    if (file) files.push_back(std::move(*file));
    if (files.size() == kMaxPrecachedFiles) break;
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

domain::NamedFiles named_files(std::string_view source) {
  return {included_names(source), precached_files(source)};
}

}  // namespace goldsmith::pawn
