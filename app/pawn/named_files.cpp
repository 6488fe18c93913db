#include "app/pawn/named_files.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/lexer.hpp"

namespace goldsmith::pawn {
namespace {

using domain::PrecachedFile;

enum class Kind { model, sound, generic };

// `word`: the name of a function or of a constant of fakemeta.
std::optional<Kind> kind_of(std::string_view word) {
  if (word == "precache_model" || word == "EngFunc_PrecacheModel") return Kind::model;
  if (word == "precache_sound" || word == "EngFunc_PrecacheSound") return Kind::sound;
  if (word == "precache_generic" || word == "EngFunc_PrecacheGeneric") return Kind::generic;
  return std::nullopt;
}

// `name`, as a path below the game's folder.
std::optional<PrecachedFile> precached(std::string_view name, Kind kind) {
  if (name.find_first_of("%\"") != std::string_view::npos) return std::nullopt;
  std::string path = base::to_lower_ascii(name);
  std::replace(path.begin(), path.end(), '\\', '/');
  if (kind == Kind::sound) path.insert(0, "sound/");
  const bool is_path = path.find('.') != std::string::npos &&
                       path.find("//") == std::string::npos && domain::is_relative_path(path);
  if (!is_path) return std::nullopt;
  return PrecachedFile{std::move(path), kind == Kind::model};
}

// Finds `FUNCTION("…"` and `CONSTANT, "…"` in tokens.
class PrecacheSearch {
 public:
  void take(const Token& token) {
    const bool is_comma = token.is(",");
    if (at_ == Place::text && (is_comma || token.is(")"))) add();
    const auto kind = token.kind == Token::Kind::word ? kind_of(token.value) : std::nullopt;
    if (kind) {
      kind_ = *kind;
      at_ = Place::name;
    } else if (at_ == Place::name && (is_comma || token.is("("))) {
      at_ = Place::argument;
    } else if (at_ == Place::argument && token.kind == Token::Kind::text) {
      text_ = token.value;
      at_ = Place::text;
    } else {
      at_ = Place::elsewhere;
    }
  }

  std::vector<PrecachedFile> finish() {
    std::sort(files_.begin(), files_.end());
    files_.erase(std::unique(files_.begin(), files_.end()), files_.end());
    return std::move(files_);
  }

 private:
  enum class Place { elsewhere, name, argument, text };  // what was read last

  void add() {
    auto file = precached(text_, kind_);
    if (file && files_.size() < kMaxPrecachedFiles) files_.push_back(std::move(*file));
  }

  Place at_ = Place::elsewhere;
  Kind kind_ = Kind::generic;
  std::string text_;
  std::vector<PrecachedFile> files_;
};

}  // namespace

domain::NamedFiles named_files(std::string_view source) {
  PrecacheSearch search;
  PawnSource read = read_pawn(source, [&](const Token& token) { search.take(token); });
  for (const auto& [name, value] : read.defines) {
    for (const Token& token : value) search.take(token);
  }
  return {std::move(read.includes), search.finish()};
}

}  // namespace goldsmith::pawn
