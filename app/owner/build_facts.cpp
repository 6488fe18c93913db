#include "app/owner/build_facts.hpp"

#include <algorithm>

#include "app/base/text.hpp"
#include "app/owner/state.hpp"

namespace goldsmith::owner {
namespace {

using Fields = std::vector<std::string_view>;

std::string text_at(const Fields& words, std::size_t place) {
  return place < words.size() ? std::string(words[place]) : "";
}

// Without the end of the last line; std::nullopt if that is missing.
std::optional<Fields> lines_of(std::string_view text) {
  if (text.empty()) return Fields{};
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  return base::split(text, '\n');
}

bool is_place(std::string_view place) {
  constexpr std::string_view kLibrary = "@library/";
  return is_safe_path(place.starts_with(kLibrary) ? place.substr(kLibrary.size()) : place);
}

bool read_line(UpdateFacts& facts, const Fields& words) {
  using Facts = UpdateFacts;
  const std::string_view kind = words[0];
  if (kind == "download") {
    facts.download = text_at(words, 1);
  } else if (kind == "component") {
    facts.components.push_back(
        {text_at(words, 1), text_at(words, 3), text_at(words, 4), {}, text_at(words, 2)});
  } else if (kind == "defect" && !facts.components.empty()) {
    facts.components.back().defects.push_back(text_at(words, 1));
  } else if (kind == "loads" && !facts.components.empty()) {
    if (!is_safe_path(text_at(words, 1))) return false;
    facts.components.back().libraries.push_back(text_at(words, 1));
  } else if (kind == "reads" && !facts.components.empty()) {
    Facts::Places places{text_at(words, 1), facts.components.size() - 1, {}, {}};
    for (std::size_t i = 2; i < words.size(); ++i) places.places.push_back(text_at(words, i));
    if (!is_safe_path(places.file) || !std::ranges::all_of(places.places, is_place)) return false;
    facts.places.push_back(std::move(places));
  } else if (kind == "identity") {
    for (Facts::Places& each : facts.places) {
      if (each.file == text_at(words, 1)) each.identity.push_back(text_at(words, 2));
    }
  } else if (kind == "make" || kind == "suggest") {
    if (!is_safe_path(text_at(words, 1)) || text_at(words, 2).empty()) return false;
    facts.secrets.push_back({text_at(words, 1), text_at(words, 2), kind == "suggest"});
  } else if (kind == "authenticates") {
    facts.authentication.emplace(text_at(words, 1), text_at(words, 3));
  } else if (kind == "replaces" || kind == "conflicts") {
    // A name that is in both is replaced: those come first.
    facts.others.emplace(text_at(words, 1),
                         UpdateFacts::Other{text_at(words, 2), text_at(words, 3), text_at(words, 4),
                                            kind == "conflicts" ? text_at(words, 5) : ""});
  }
  return true;
}

}  // namespace

std::optional<PluginFacts> parse_plugins(std::string_view text) {
  PluginFacts facts;
  const auto lines = lines_of(text);
  if (!lines) return std::nullopt;
  for (std::string_view line : *lines) {
    const auto take = [&] {
      const std::size_t end = std::min(line.find(' '), line.size());
      const std::string word(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
      return word;
    };
    const std::string kind = take();
    std::string slug = take();
    if (kind == "file") {
      if (!is_safe_path(line) || !facts.owners.emplace(line, slug).second) return std::nullopt;
      continue;
    }
    std::string status = take();
    std::string version = take();
    if (kind != "plugin" || line.empty()) return std::nullopt;
    facts.plugins.push_back(
        {std::move(slug), std::move(status), std::move(version), std::string(line)});
  }
  return facts;
}

std::optional<PathSet> parse_paths(std::string_view text) {
  PathSet paths;
  const auto lines = lines_of(text);
  if (!lines) return std::nullopt;
  for (const std::string_view line : *lines) {
    if (!is_safe_path(line) || !paths.emplace(line).second) return std::nullopt;
  }
  return paths;
}

const UpdateFacts::Places* UpdateFacts::places_of(std::string_view file) const {
  const auto found = std::ranges::find(places, file, &Places::file);
  return found == places.end() ? nullptr : &*found;
}

std::optional<UpdateFacts> parse_update_facts(std::string_view text) {
  UpdateFacts facts;
  const auto lines = lines_of(text);
  if (!lines || lines->size() < 2 || lines->front() != "goldsmith-update-facts 1" ||
      lines->back() != "end") {
    return std::nullopt;
  }
  for (const std::string_view line : *lines) {
    if (!read_line(facts, base::split(line, '\t'))) return std::nullopt;
  }
  return facts.download.empty() ? std::nullopt : std::optional(std::move(facts));
}

bool is_named_as_configuration(std::string_view path) {
  if (path == kKeptPlugins || path == kPluginList || path == kMetamodList) return false;
  const std::string lower = base::to_lower_ascii(path);
  return lower.find("/configs/") != std::string::npos || lower.ends_with(".ini") ||
         lower.ends_with(".cfg");
}

}  // namespace goldsmith::owner
