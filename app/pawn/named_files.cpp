#include "app/pawn/named_files.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/shown_texts.hpp"

namespace goldsmith::pawn {
namespace {

using domain::PrecachedFile;

// A file, and its name in the source.
using Named = std::pair<PrecachedFile, std::string>;

// `name`, as a path below the game's folder.
std::optional<PrecachedFile> precached(std::string_view name, ResourceKind kind) {
  if (name.find_first_of("%\"") != std::string_view::npos) return std::nullopt;
  std::string path(name);
  std::replace(path.begin(), path.end(), '\\', '/');
  if (kind == ResourceKind::sound) path.insert(0, "sound/");
  const bool is_path = path.find('.') != std::string::npos &&
                       path.find("//") == std::string::npos && domain::is_relative_path(path);
  if (!is_path) return std::nullopt;
  return PrecachedFile{std::move(path), kind == ResourceKind::model};
}

// Whether a text of many, such as those of an array, can be a file of the kind.
bool suits(std::string_view name, ResourceKind kind) {
  const std::string lower = base::to_lower_ascii(name);
  switch (kind) {
    case ResourceKind::model:
      return lower.ends_with(".mdl") || lower.ends_with(".spr") || lower.ends_with(".bsp");
    case ResourceKind::sound:
      return lower.ends_with(".wav");
    case ResourceKind::generic:
      break;
  }
  return true;
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

  // By their paths in lower case.
  std::map<PrecachedFile, Named> run() {
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
    const auto kind = precaches(tokens[i].value);
    if (!kind) return;
    const TokenSpan name = expression_behind(tokens, i + 1);
    if (name.empty() || (place.source != nullptr && is_looked_for(name, place.at))) return;
    const bool is_literal = std::ranges::all_of(
        name, [](const Token& token) { return token.kind == Token::Kind::text; });
    values_.rows_at("s", {&name, 1}, place, [&](const Values::Texts& row) {
      if (is_literal || suits(row[0], *kind)) add(row[0], *kind);
    });
  }

  void add(const std::string& name, ResourceKind kind) {
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
  std::map<PrecachedFile, Named> files_;
};

}  // namespace

std::vector<std::string> precached_names(const Source& source, Values& values) {
  std::vector<std::string> names;
  for (auto& [key, named] : PrecacheSearch(source, values).run()) names.push_back(named.second);
  return names;
}

domain::NamedFiles files_named_in(const Source& source) {
  Values values(source);
  domain::NamedFiles named{source.read().includes, {}};
  for (auto& [key, file] : PrecacheSearch(source, values).run()) {
    named.precached.push_back(std::move(file.first));
  }
  named.shows_foreign_text = shows_foreign_text(source);
  return named;
}

}  // namespace goldsmith::pawn
