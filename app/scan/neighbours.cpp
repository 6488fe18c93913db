#include "app/scan/neighbours.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/domain/license_text.hpp"
#include "app/domain/names.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/pawn/prose.hpp"

namespace goldsmith::scan {
namespace {

constexpr std::size_t kLongestText = std::max(pawn::kLongestProse, domain::kLongestLicense);

bool is_text(std::string_view lower_name) {
  return lower_name.ends_with(".md") || lower_name.ends_with(".txt") ||
         lower_name.find('.') == lower_name.npos;
}

constexpr std::string_view kAll = "all";  // authors

// Whose sources it is about.
std::string_view folder_of_license(const SourceFile& file) {
  const std::string_view folder = folder_of(file.path);
  return base::equals_ignoring_case(name_in(folder), ".github") ? folder_of(folder) : folder;
}

// In lower case.
std::vector<std::string> people_in(std::string_view names) {
  std::string plain = base::fold_case(names);
  for (const std::string_view word : {" and ", " und ", " & ", " i ", " by ", " + "}) {
    for (std::size_t at = 0; (at = plain.find(word, at)) != plain.npos;) {
      plain.replace(at, word.size(), ";");
    }
  }
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c == ',' || c == '/' || c == '&'; }, ';');
  std::vector<std::string> people;
  for (const std::string_view one : base::split(plain, ';')) {
    if (const std::string_view name = base::trim(one); !name.empty()) people.emplace_back(name);
  }
  return people;
}

// "someone.net" is who calls himself Someone; "john.smith" is not John.
bool is_site_of(std::string_view name, std::string_view person) {
  constexpr std::array<std::string_view, 20> kEndings{
      ".net", ".com", ".org", ".info", ".de", ".ru", ".pl", ".ua", ".ro", ".lt",
      ".br",  ".fr",  ".es",  ".tr",   ".rs", ".bg", ".eu", ".io", ".me", ".gg"};
  return name.starts_with(person) &&
         std::ranges::find(kEndings, name.substr(person.size())) != kEndings.end();
}

// Whether all authors are among the names.
bool covers(std::string_view names, std::string_view author) {
  const std::vector<std::string> granted = people_in(names);
  const std::vector<std::string> authors = people_in(author);
  return !authors.empty() && std::ranges::all_of(authors, [&](const std::string& one) {
    return std::ranges::find(granted, one) != granted.end();
  });
}

// The same of the holder that a LICENSE names, which may be the site of its author.
bool is_held_by(std::string_view holder, std::string_view author) {
  const std::vector<std::string> authors = people_in(author);
  return covers(holder, author) ||
         (authors.size() == 1 && is_site_of(base::fold_case(holder), authors.front()));
}

}  // namespace

Neighbours::Neighbours(const SourceTree& tree) {
  for (const SourceFile& file : tree.files()) {
    const std::string path = base::to_lower_ascii(file.path);
    if (is_text(name_in(path)) && file.size <= kLongestText) texts_.emplace(path, &file);
    if (!path.ends_with(".sma")) continue;
    for (std::string_view folder = folder_of(file.path); !folder.empty();
         folder = folder_of(folder)) {
      ++sources_[std::string(folder)];
    }
  }
}

bool Neighbours::is_own(std::string_view folder) const {
  const auto sources = sources_.find(folder);
  return sources != sources_.end() && sources->second == 1;
}

std::string Neighbours::own_folder(const SourceFile& source) const {
  std::string_view own;
  for (std::string_view folder = folder_of(source.path); is_own(folder);
       folder = folder_of(folder)) {
    own = folder;
  }
  return std::string(own);
}

const SourceFile* Neighbours::text_in(std::string_view folder, std::string_view stem) const {
  for (const char* extension : {".md", ".txt", ""}) {
    const auto found =
        texts_.find(base::to_lower_ascii(folder) + '/' + std::string(stem) + extension);
    if (found != texts_.end()) return found->second;
  }
  return nullptr;
}

const SourceFile* Neighbours::readme(const SourceFile& source) const {
  std::string_view folder = folder_of(source.path);
  const std::string file = base::to_lower_ascii(name_in(source.path));
  if (const SourceFile* own = text_in(folder, file.substr(0, file.rfind('.')))) return own;
  for (; is_own(folder); folder = folder_of(folder)) {
    for (const char* stem : {"readme", "plugin"}) {
      if (const SourceFile* found = text_in(folder, stem)) return found;
    }
  }
  return nullptr;
}

const SourceFile* Neighbours::license(const SourceFile& source) const {
  for (std::string_view folder = folder_of(source.path); !folder.empty();
       folder = folder_of(folder)) {
    for (const char* stem : {"license", "licence", "copying", "unlicense", ".github/license"}) {
      if (const SourceFile* found = text_in(folder, stem)) return found;
    }
  }
  return nullptr;
}

// Whether the plugin has had it, so that only an answer takes it away.
bool Licenses::is_settled(const ScannedPlugin& plugin, const std::string& license) const {
  const RecordedPlugin* const known = record_.find(plugin.slug.str());
  return known != nullptr && text_in(known->manifest, "license") == license &&
         is_same_author(text_in(known->manifest, "author"), plugin.facts.author);
}

// Which is the plugin's if it lies beside no other source, or if its holder is the author.
void Licenses::find(ScannedPlugin& plugin, const SourceFile& source) {
  if (!plugin.facts.license.empty()) return;
  const SourceFile* const file = neighbours_.license(source);
  if (!file) return;
  const pawn::TextReader::License& license = license_at(*file);
  if (license.id.empty()) {
    plugin.notes.push_back("the license at " + file->path + " is none that is recognised");
  } else if (neighbours_.is_own(folder_of_license(*file)) ||
             is_held_by(license.holder, plugin.facts.author)) {
    take_license(plugin, *file);
  } else {
    foreign_.emplace(plugin.path, file);
  }
}

const pawn::TextReader::License& Licenses::license_at(const SourceFile& file) {
  const auto [place, is_new] = licenses_.try_emplace(&file);
  if (!is_new) return place->second;
  try {
    place->second = texts_.license_of_text(tree_.read(file));
  } catch (const base::FileError&) {  // stays without
  } catch (const host::Unreadable&) {
  }
  return place->second;
}

void Licenses::take_license(ScannedPlugin& plugin, const SourceFile& file) {
  plugin.facts.license = license_at(file).id;
  plugin.notes.push_back("the license is that at " + file.path);
}

// Whoever wrote the LICENSE of a collection need not have written its sources: one question for
// each, about all authors below it, unless it names nobody and they are one.
void Licenses::ask_about(ScannedPlugins& plugins) {
  std::map<const SourceFile*, std::vector<ScannedPlugin*>> groups;
  for (ScannedPlugin& plugin : plugins) {
    const auto license = foreign_.find(plugin.path);
    if (license != foreign_.end()) groups[license->second].push_back(&plugin);
  }
  for (const auto& [file, group] : groups) {
    const std::string& author = group.front()->facts.author;
    const bool is_of_one = !author.empty() && license_at(*file).holder.empty() &&
                           std::all_of(group.begin(), group.end(), [&](const auto* plugin) {
                             return is_same_author(plugin->facts.author, author);
                           });
    // Of all that are below it, whoever is asked: the answer is found by what is proposed.
    const Question question = question_about(*file, group);
    for (ScannedPlugin* plugin : group) {
      const Answers answers = record_.answers(plugin->slug.str());
      const bool is_known = is_of_one || is_settled(*plugin, license_at(*file).id);
      if (is_known && !answers(question)) {
        take_license(*plugin, *file);
        continue;
      }
      const std::optional<std::string>& names = ask(question, answers, plugin->asked).answer;
      // Nobody gets a license only because it is proposed.
      if (names && (*names == kAll || covers(*names, plugin->facts.author))) {
        take_license(*plugin, *file);
      } else {
        plugin->notes.push_back("the license at " + file->path + " is not of its author");
      }
    }
  }
}

Question Licenses::question_about(const SourceFile& file,
                                  const std::vector<ScannedPlugin*>& group) {
  constexpr std::size_t kMostNamed = 8;
  std::map<std::string, std::pair<std::string, std::size_t>> counts;  // by author in lower case
  for (const ScannedPlugin* plugin : group) {
    const std::string& author = plugin->facts.author;
    ++counts.try_emplace(base::fold_case(author), author, 0).first->second.second;
  }
  std::vector<std::pair<std::string, std::size_t>> authors;
  for (auto& [folded, author] : counts) authors.push_back(std::move(author));
  std::stable_sort(authors.begin(), authors.end(),
                   [](const auto& one, const auto& other) { return one.second > other.second; });
  const auto& [first, most] = authors.front();
  const auto shown = [](const auto& author) {
    return fmt::format("{} ({})", author.first.empty() ? "nobody" : author.first, author.second);
  };
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(authors.size(), kMostNamed); ++i) {
    named.push_back(shown(authors[i]));
  }
  if (authors.size() > kMostNamed) {
    named.push_back(fmt::format("{} more", authors.size() - kMostNamed));
  }
  const pawn::TextReader::License& license = license_at(file);
  return {.topic = Topic::license,
          .about = file.path,
          .text = fmt::format(
              "the {} at {} is of {}, the sources below it are of {}; of which authors does "
              "it cover the sources: all, none, or names with semicolons between them?",
              license.id, file.path, license.holder.empty() ? "nobody" : license.holder,
              base::join(named, ", ")),
          .proposed = !first.empty() && most * 2 >= group.size() ? first : "none",
          .is_shared = true};
}

}  // namespace goldsmith::scan
