#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <tuple>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/scan/legal_names.hpp"
#include "app/scan/steps.hpp"

namespace goldsmith::scan {

namespace {

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

using Group = std::vector<ScannedPlugin*>;

bool has_version(const ScannedPlugin& first, const ScannedPlugin& other) {
  return first.version == other.version ||
         std::any_of(first.others.begin(), first.others.end(),
                     [&](const ScannedPlugin* each) { return each->version == other.version; });
}

// What the other is likely to be to the first of the name and file: sources for several game modes
// include other things.
Choice proposal(const ScannedPlugin& first, const ScannedPlugin& other) {
  if (base::fold_case(first.facts.author) != base::fold_case(other.facts.author)) {
    return Choice::plugin;
  }
  if (!has_version(first, other)) return Choice::version;
  return first.facts.includes == other.facts.includes ? Choice::skip : Choice::plugin;
}

// A former version, which its author keeps beside the newest one.
bool is_stored_version(const ScannedPlugin& first, const ScannedPlugin& other,
                       const ScanRecord& record, const Directory& directory) {
  return record.is_imported(first.slug.str()) && !record.is_imported(other.slug.str()) &&
         directory.has_file &&
         directory.has_file(first.slug, other.tree->digest(*other.files.front().source));
}

void ask_about(ScannedPlugin& first, ScannedPlugin& other, const ScanRecord& record) {
  std::vector<Choice> choices{Choice::plugin, Choice::skip};
  if (!has_version(first, other)) choices.insert(choices.begin() + 1, Choice::version);
  const AskedQuestion& asked =
      ask(choice_between(Topic::same_name,
                         "another source has this name, and such a file: " + first.path +
                             ", version " + first.version.str() + " of " +
                             (first.facts.author.empty() ? "nobody" : first.facts.author) +
                             "; is this one a plugin of its own, a version of that one, or to be "
                             "skipped?",
                         proposal(first, other), choices),
          record.answers(other.slug.str()), other.asked);
  other.is_skipped = other.is_skipped || asked.is(Choice::skip);
  if (!asked.is(Choice::version)) return;
  other.part_of = first.slug.str();
  first.others.push_back(&other);
}

// The one that the directory has, or else the one with the shortest slug, was there first, and has
// the name alone.
void sort_by_age(Group& group, const ScanRecord& record) {
  std::ranges::sort(group, {}, [&](const ScannedPlugin* plugin) {
    const std::string_view slug = plugin->slug.view();
    return std::tuple(!record.is_imported(plugin->slug.str()), slug.size(), slug);
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
    if (record_.is_imported(plugin.slug.str())) return;
    if (directory_.has_file(plugin.slug, plugin.tree->digest(*plugin.files.front().source))) return;
    const AskedQuestion asked = scan::ask(
        choice_between(
            Topic::directory,
            "the directory has a plugin " + plugin.slug.str() + " already, \"" +
                known->second.name + "\" of " + known->second.author +
                "; is this one to replace it, to be a plugin of its own with another slug, or to "
                "be skipped?",
            Choice::skip, {Choice::replace, Choice::plugin, Choice::skip}),
        record_.answers(plugin.slug.str()), plugin.asked);
    if (asked.is(Choice::skip)) plugin.is_skipped = true;
    if (asked.is(Choice::plugin)) rename(plugin);
  }

 private:
  // Its own question is answered for good: nothing has the new slug.
  void rename(ScannedPlugin& plugin) {
    plugin.asked.pop_back();
    plugin.former = plugin.slug.str();
    plugin.slug = new_slug({plugin.former, "", "", plugin.facts.author}, taken_);
    for (ScannedPlugin& other : plugins_) {
      if (other.part_of == plugin.former) other.part_of = plugin.slug.str();
    }
  }

  ScannedPlugins& plugins_;
  const ScanRecord& record_;
  const Directory& directory_;
  std::set<std::string> taken_;
};

// Not that of another plugin of the directory, unless it looks like the same.
domain::Slug free_slug(const ScannedPlugin& plugin, std::set<std::string>& taken,
                       const Directory& directory) {
  const std::string name = plugin.name();
  const std::string file = plugin.stem();
  const std::string_view folder = name_in(folder_of(plugin.path));
  for (;;) {
    domain::Slug slug = new_slug({name, file, folder, plugin.facts.author}, taken);
    const auto stored = directory.names.find(slug.str());
    if (stored == directory.names.end() ||
        (base::fold_case(stored->second.name) == base::fold_case(plugin.name()) &&
         base::fold_case(stored->second.author) == base::fold_case(plugin.facts.author))) {
      return slug;
    }
  }
}

}  // namespace

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

void describe_apart(ScannedPlugins& plugins) {
  constexpr std::size_t kFew = 2;
  std::map<std::string, std::set<std::string>> names;  // by summary
  for (const ScannedPlugin& plugin : plugins) {
    if (!plugin.prose.summary.empty() && !plugin.facts.name.empty()) {
      names[plugin.prose.summary].insert(base::fold_case(plugin.facts.name));
    }
  }
  for (ScannedPlugin& plugin : plugins) {
    const auto found = names.find(plugin.prose.summary);
    if (found == names.end() || found->second.size() <= kFew) continue;
    plugin.prose = pawn::without_first_paragraph(plugin.prose);
  }
}

void give_slugs(ScannedPlugins& plugins, std::set<std::string> taken, const Directory& directory) {
  std::set<std::string> given;
  for (ScannedPlugin& plugin : plugins) {
    if (!plugin.slug.empty() && !given.insert(plugin.slug.str()).second) plugin.slug = {};
  }
  for (ScannedPlugin& plugin : plugins) {
    if (plugin.facts.is_plugin && plugin.slug.empty()) {
      plugin.slug = free_slug(plugin, taken, directory);
    }
  }
}

void ask_about_names(ScannedPlugins& plugins, const ScanRecord& record,
                     const Directory& directory) {
  std::map<std::string, Group> by_name;
  for (ScannedPlugin& plugin : plugins) {
    if (!plugin.is_written()) continue;
    by_name[base::fold_case(plugin.name()) + '/' + plugin.file_key()].push_back(&plugin);
  }
  for (auto& [name, group] : by_name) {
    sort_by_age(group, record);
    for (std::size_t i = 1; i < group.size(); ++i) {
      if (is_stored_version(*group[0], *group[i], record, directory)) {
        group[i]->is_skipped = true;
        group[i]->notes.push_back("the same source is a version of " + group[0]->slug.str());
      } else {
        ask_about(*group[0], *group[i], record);
      }
    }
  }
  DirectoryQuestions questions(plugins, record, directory);
  for (ScannedPlugin& plugin : plugins) {
    if (plugin.is_written()) questions.ask(plugin);
  }
}

}  // namespace goldsmith::scan
