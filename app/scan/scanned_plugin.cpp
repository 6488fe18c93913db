#include "app/scan/scanned_plugin.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/version.hpp"
#include "app/domain/version_order.hpp"
#include "app/scan/layout.hpp"

namespace goldsmith::scan {
namespace {

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

}  // namespace

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

std::string ScannedFile::filename() const { return std::string(name_in(path)); }

std::string ScannedFile::install_dir() const { return std::string(folder_of(path)); }

std::string_view to_string(ScannedPlugin::State state) {
  constexpr std::array<std::string_view, 9> kStates{
      // in the order of the enumerators
      "ready", "questions", "version", "skipped", "stock", "fails", "late", "refused", "no plugin"};
  return kStates.at(static_cast<std::size_t>(state));
}

std::string_view text_of(domain::CompileResult result) {
  return result == domain::CompileResult::undecided ? "unknown" : domain::to_string(result);
}

std::string ScannedPlugin::stem() const {
  if (files.empty()) return "";
  const std::string file = files.front().filename();
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

std::string ScannedPlugin::name() const { return facts.name.empty() ? stem() : facts.name; }

ScannedPlugin::State ScannedPlugin::state() const {
  if (!refused.empty()) return State::refused;
  if (!stock.empty()) return State::stock;
  if (is_late) return State::late;
  if (!facts.is_plugin) return State::no_plugin;
  if (toolchain.empty()) return State::fails;
  if (!part_of.empty()) return State::version;
  if (is_skipped) return State::skipped;
  return open_questions().empty() ? State::ready : State::questions;
}

bool ScannedPlugin::asks(const Question& question) const {
  return !toolchain.empty() || question.topic == Topic::include;
}

std::vector<const Question*> ScannedPlugin::open_questions() const {
  std::vector<const Question*> open;
  for (const AskedQuestion& each : asked) {
    if (!each.answer && asks(each.question)) open.push_back(&each.question);
  }
  return open;
}

std::uint64_t ScannedPlugin::bytes() const {
  const auto texts = [](const auto&... each) { return (std::uint64_t{0} + ... + each.capacity()); };
  const auto list = [&](const std::vector<std::string>& all) {
    std::uint64_t bytes = all.capacity() * sizeof(std::string);
    for (const std::string& each : all) bytes += texts(each);
    return bytes;
  };
  std::uint64_t bytes = sizeof(*this) + list(missing) + list(notes) + list(facts.includes) +
                        list(facts.functions) + list(facts.files) + list(facts.notes) +
                        texts(path, why, refused, facts.name, facts.url, facts.prose.description,
                              facts.prose.summary, prose.description, prose.summary);
  for (const ScannedFile& file : files) {
    bytes += sizeof(file) + texts(file.path);
    if (!file.named) continue;
    bytes += list(file.named->includes);
    for (const domain::PrecachedFile& each : file.named->precached) {
      bytes += sizeof(each) + texts(each.path);
    }
  }
  for (const domain::PluginCvar& each : facts.cvars) {
    bytes += sizeof(each) + texts(each.name, each.default_value, each.help);
  }
  for (const pawn::CommandFact& each : facts.commands) {
    bytes += sizeof(each) + texts(each.name, each.help);
  }
  for (const AskedQuestion& each : asked) {
    bytes +=
        sizeof(each) + texts(each.question.text, each.question.about) + list(each.question.choices);
  }
  return bytes;
}

domain::PluginVersion ScannedPlugin::whole() const {
  domain::PluginVersion whole;
  whole.version = version;
  for (const ScannedFile& file : files) {
    whole.files.push_back(plugin_file(*tree, *file.source, file.filename(), file.install_dir()));
    whole.files.back().named = file.named;
  }
  if (!whole.files.empty()) whole.files.front().is_primary = true;
  return whole;
}

// The newest is what the plugin's folder has as its own, and older ones are below their version.
std::vector<const ScannedPlugin*> versions_of(const ScannedPlugin& plugin) {
  std::vector<const ScannedPlugin*> versions{&plugin};
  versions.insert(versions.end(), plugin.others.begin(), plugin.others.end());
  std::sort(versions.begin(), versions.end(), [](const auto* one, const auto* other) {
    return domain::version_order(one->version, other->version) > 0;
  });
  return versions;
}

bool is_same_author(const std::string& one, const std::string& other) {
  const std::string folded = base::folded_words(one);
  return one == other || (!folded.empty() && folded == base::folded_words(other));
}

std::string open_topics(const ScannedPlugins& plugins) {
  std::map<std::string_view, std::set<std::string>> open;
  for (const ScannedPlugin& plugin : plugins) {
    for (const Question* question : plugin.open_questions()) {
      const std::string key = question->key();
      open[to_string(question->topic)].insert(question->is_shared ? key + question->proposed
                                                                  : plugin.path + key);
    }
  }
  return base::join(open, ", ", [](const auto& each) {
    return fmt::format("{} ({})", each.first, each.second.size());
  });
}

}  // namespace goldsmith::scan
