#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <tuple>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/scan/layout.hpp"
#include "app/scan/scanner.hpp"
#include "app/scan/transliteration.hpp"

namespace goldsmith::scan {

namespace {

// In lower case: runs of letters and digits; a capital behind a small letter begins another.
std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words(1);
  char before = ' ';
  for (const char c : text) {
    const bool is_capital = domain::is_letter(c) && !domain::is_lower(c);
    const bool is_word = domain::is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80;
    if (!is_word || (is_capital && domain::is_lower(before))) words.emplace_back();
    if (is_word) words.back() += c;
    before = c;
  }
  for (std::string& word : words) word = base::to_lower_ascii(word);
  std::erase(words, "");
  return words;
}

// What people add to the name of a file that they copy or change.
bool tells_copies_apart(std::string_view word) {
  constexpr std::array<std::string_view, 22> kWords{
      "backup", "bak",   "beta", "copy", "edit",     "edited", "final",    "fix",
      "fixed",  "kopia", "new",  "old",  "original", "orig",   "poprawka", "stara",
      "stare",  "stary", "nowy", "nowa", "test",     "update"};
  if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) return true;
  return word.size() > 1 && word.front() == 'v' &&
         std::all_of(word.begin() + 1, word.end(), domain::is_digit);
}

// The words of a name.
std::set<std::string> words_of(std::string_view text) {
  std::vector<std::string> words = words_in(text);
  return {std::make_move_iterator(words.begin()), std::make_move_iterator(words.end())};
}

// Whether two plugins have an author in common, or it is not known of one.
bool is_same_author(std::string_view one, std::string_view other) {
  if (base::fold_case(one) == base::fold_case(other)) return true;
  const std::set<std::string> words = words_of(base::fold_case(one));
  const std::set<std::string> others = words_of(base::fold_case(other));
  return words.empty() || others.empty() ||
         std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return word.size() > 2 && others.contains(word);
         });
}

void name_group_apart(const std::vector<ScannedPlugin*>& group) {
  const ScannedPlugin& owner = *group.front();
  std::map<std::string, std::string> names{{owner.file_key(), owner.facts.name}};
  for (ScannedPlugin* plugin : group) {
    const bool is_other = !is_same_author(plugin->facts.author, owner.facts.author);
    const auto [known, is_new] =
        names.try_emplace(plugin->file_key(), is_other ? plugin->facts.name : plugin->stem());
    if (base::fold_case(plugin->facts.name) == base::fold_case(known->second)) continue;
    plugin->notes.push_back("\"" + plugin->facts.name + "\" is the name of " + owner.path +
                            "; it is named after its file");
    plugin->facts.name = known->second;
  }
}

}  // namespace

std::string ScannedPlugin::stem() const {
  if (version.files.empty()) return "";
  const std::string& file = version.files.front().filename;
  return file.substr(0, file.rfind('.'));
}

std::string ScannedPlugin::file_key() const {
  std::string plain = stem();
  const std::size_t bracket = plain.rfind('(');  // of a second download, such as "x (1)"
  if (bracket != plain.npos && bracket > 0 && plain.ends_with(')')) plain.resize(bracket);
  std::string key;
  for (const std::string& word : words_in(plain)) {
    if (!tells_copies_apart(word)) key += word;
  }
  return key.empty() ? base::to_lower_ascii(stem()) : key;
}

void name_apart(ScannedPlugins& plugins) {
  std::map<std::string, std::vector<ScannedPlugin*>> by_name;
  for (ScannedPlugin& plugin : plugins) {
    if (plugin.facts.is_plugin && !plugin.facts.name.empty()) {
      by_name[base::fold_case(plugin.facts.name)].push_back(&plugin);
    }
  }
  for (auto& [name, group] : by_name) {
    if (group.size() < 2) continue;
    const std::set<std::string> words = words_of(name);
    const auto order = [&](const ScannedPlugin* plugin) {
      const std::set<std::string> own = words_of(plugin->stem());
      const auto lacks = std::count_if(
          words.begin(), words.end(), [&](const std::string& word) { return !own.contains(word); });
      return std::tuple(lacks, own.size(), std::string_view(plugin->path));
    };
    std::sort(group.begin(), group.end(),
              [&](const auto* one, const auto* other) { return order(one) < order(other); });
    name_group_apart(group);
  }
}

namespace {

constexpr const char* kOwn = "plugin";
constexpr const char* kVersion = "version";
constexpr const char* kReplace = "replace";

using Group = std::vector<ScannedPlugin*>;

bool has_version(const ScannedPlugin& first, const ScannedPlugin& other) {
  return first.version.version == other.version.version ||
         std::any_of(first.others.begin(), first.others.end(), [&](const ScannedPlugin* each) {
           return each->version.version == other.version.version;
         });
}

// What the other is likely to be to the first of the name and file: sources for several game modes
// include other things.
std::string proposal(const ScannedPlugin& first, const ScannedPlugin& other) {
  if (base::fold_case(first.facts.author) != base::fold_case(other.facts.author)) return kOwn;
  if (!has_version(first, other)) return kVersion;
  return first.facts.includes == other.facts.includes ? kSkip : kOwn;
}

void ask_about(ScannedPlugin& first, ScannedPlugin& other, const ScanRecord& record) {
  pawn::Question question{"same name",
                          "another source has this name, and such a file: " + first.path +
                              ", version " + first.version.version.str() + " of " +
                              (first.facts.author.empty() ? "nobody" : first.facts.author) +
                              "; is this one a plugin of its own, a version of that one, or to be "
                              "skipped?",
                          proposal(first, other),
                          {kOwn, kSkip}};
  if (!has_version(first, other)) question.choices.insert(question.choices.begin() + 1, kVersion);
  pawn::ask(std::move(question), record.answers(other.slug.str()), other.asked);
  const std::optional<std::string>& answer = other.asked.back().answer;
  other.is_skipped = other.is_skipped || answer == kSkip;
  if (answer != kVersion) return;
  other.part_of = first.slug.str();
  first.others.push_back(&other);
}

// The one with the shortest slug was there first, and has the name alone.
void sort_by_slug(Group& group) {
  std::sort(group.begin(), group.end(), [](const ScannedPlugin* one, const ScannedPlugin* other) {
    const auto size = [](const ScannedPlugin* plugin) { return plugin->slug.view().size(); };
    return std::pair(size(one), one->slug.view()) < std::pair(size(other), other->slug.view());
  });
}

// Asks about each plugin whose slug is that of another plugin of the directory.
class DirectoryQuestions {
 public:
  DirectoryQuestions(ScannedPlugins& plugins, const ScanRecord& record, const Directory& directory)
      : plugins_(plugins), record_(record), directory_(directory), taken_(record.slugs()) {
    for (const ScannedPlugin& plugin : plugins) taken_.insert(plugin.slug.str());
    for (const auto& [slug, name] : directory.names) taken_.insert(slug);
  }

  void ask(ScannedPlugin& plugin) {
    const auto known = directory_.names.find(plugin.slug.str());
    if (known == directory_.names.end()) return;
    const auto recorded = record_.plugins().find(plugin.slug.str());
    if (recorded != record_.plugins().end() && recorded->second.is_imported) return;
    if (directory_.has_file(plugin.slug, plugin.version.files.front().sha1)) return;
    pawn::ask(
        {"directory",
         "the directory has a plugin " + plugin.slug.str() + " already, \"" + known->second.name +
             "\" of " + known->second.author +
             "; is this one to replace it, to be a plugin of its own with another slug, or to "
             "be skipped?",
         kSkip,
         {kReplace, kOwn, kSkip}},
        record_.answers(plugin.slug.str()), plugin.asked);
    const std::optional<std::string>& answer = plugin.asked.back().answer;
    if (answer == kSkip) plugin.is_skipped = true;
    if (answer == kOwn) rename(plugin);
  }

 private:
  // Its own question is answered for good: nothing has the new slug.
  void rename(ScannedPlugin& plugin) {
    plugin.asked.pop_back();
    plugin.former = plugin.slug.str();
    const std::string author = in_latin_letters(plugin.facts.author);
    plugin.slug = new_slug({plugin.former, "", "", author}, taken_);
    for (ScannedPlugin& other : plugins_) {
      if (other.part_of == plugin.former) other.part_of = plugin.slug.str();
    }
  }

  ScannedPlugins& plugins_;
  const ScanRecord& record_;
  const Directory& directory_;
  std::set<std::string> taken_;
};

}  // namespace

void ask_about_names(ScannedPlugins& plugins, const ScanRecord& record,
                     const Directory& directory) {
  std::map<std::string, Group> by_name;
  for (ScannedPlugin& plugin : plugins) {
    if (!plugin.is_written()) continue;
    by_name[base::fold_case(plugin.name()) + '/' + plugin.file_key()].push_back(&plugin);
  }
  for (auto& [name, group] : by_name) {
    sort_by_slug(group);
    for (std::size_t i = 1; i < group.size(); ++i) ask_about(*group[0], *group[i], record);
  }
  DirectoryQuestions questions(plugins, record, directory);
  for (ScannedPlugin& plugin : plugins) {
    if (plugin.is_written()) questions.ask(plugin);
  }
}

}  // namespace goldsmith::scan
