#include "app/scan/record.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/domain/record.hpp"
#include "app/scan/host.hpp"
#include "app/scan/scanned_plugin.hpp"
#include "app/scan/source_tree.hpp"

namespace goldsmith::scan {
namespace {

constexpr const char* kRecord = "scan.json";
constexpr const char* kQuestions = "questions.json";

// Null if the file is not there.
json::Value read_json(const base::HeldFolder& folder, const char* file) try {
  return folder.entry(file) ? json::parse(folder.read(file)) : json::Value();
} catch (const json::ParseError& problem) {
  throw Failure((folder.path() / file).string() + ": " + problem.what() +
                "; correct it, or remove the file");
}

// Whom a question about a LICENSE proposes is the same in any letter case.
std::string comparable(const std::string& topic, const std::string& proposed) {
  return parse_topic(topic) == Topic::license ? base::fold_case(proposed) : proposed;
}

bool is_same_proposal(const RecordedQuestion& known, const Question& question) {
  return comparable(known.topic, known.proposed) == comparable(known.topic, question.proposed);
}

bool is_possible(const Question& question, const std::string& answer) {
  const auto& choices = question.choices;
  return choices.empty() || std::find(choices.begin(), choices.end(), answer) != choices.end();
}

// "AimTrainer" is "Aim Trainer".
bool is_same_name(const std::string& one, const std::string& other) {
  const auto letters_of = [](const std::string& name) {
    std::string letters = base::folded_words(name);
    std::erase(letters, ' ');
    return letters;
  };
  const std::string letters = letters_of(one);
  return one == other || (!letters.empty() && letters == letters_of(other));
}

RecordedQuestion question_of(const ScannedPlugin& plugin, const AskedQuestion& asked,
                             const RecordedQuestion* known) {
  const Question& question = asked.question;
  RecordedQuestion made{question.key(), question.text, question.proposed, question.choices};
  if (!question.is_shared) {
    made.plugin = plugin.slug.str();
    made.source = plugin.path;
  }
  // That the proposal is right does not say that another one is.
  const bool is_stale = known && known->answer.as_bool() && !is_same_proposal(*known, question);
  if (known && !is_stale) made.answer = known->answer;
  if (asked.answer && made.is_open()) made.answer = *asked.answer;
  return made;
}

}  // namespace

std::string text_in(const json::Object& object, std::string_view name) {
  const auto found = object.find(name);
  return found != object.end() && found->second.as_string() ? *found->second.as_string() : "";
}

ScanRecord::ScanRecord(const base::HeldFolder& folder) {
  read_plugins(read_json(folder, kRecord));
  read_questions(read_json(folder, kQuestions), (folder.path() / kQuestions).string());
}

std::string ScanRecord::questions_sha256(const base::HeldFolder& folder) {
  return folder.entry(kQuestions) ? base::sha256_hex(folder.read(kQuestions)) : "";
}

void ScanRecord::read_plugins(const json::Value& file) {
  json::Object plugins;
  if (const json::Object* const record = file.as_object()) {
    pack_sha256_ = text_in(*record, "pack_sha256");
    if (record->contains("plugins")) domain::read_json(record->at("plugins"), plugins);
  }
  for (const auto& [slug, value] : plugins) {
    if (value.as_object() && domain::Slug::is_legal(slug)) domain::read_json(value, plugins_[slug]);
  }
  index();
}

void ScanRecord::index() {
  for (const auto& [slug, plugin] : plugins_) {
    if (!plugin.source.empty()) by_source_.emplace(plugin.source, slug);
    if (!plugin.source_sha256.empty()) by_sha256_.emplace(plugin.source_sha256, slug);
  }
}

void ScanRecord::read_questions(const json::Value& file, const std::string& name) {
  if (file.is_null()) return;
  const json::Array* const entries = file.as_array();
  if (!entries) throw Failure(name + ": is no array of questions; correct it, or remove the file");
  for (const json::Value& value : *entries) {
    RecordedQuestion question;
    domain::read_json(value, question);
    if (question.topic.empty()) {
      throw Failure(fmt::format("{}: {} is no question; correct it, or remove the file", name,
                                json::to_string(value).substr(0, 80)));
    }
    const Key key = question.plugins.empty() ? Key{question.plugin, question.topic}
                                             : shared_key(question.topic, question.proposed);
    // Of two spellings the one that was answered.
    const auto [known, is_new] = questions_.try_emplace(key, question);
    if (!is_new && known->second.answer.is_null()) known->second = std::move(question);
  }
}

ScanRecord::Key ScanRecord::shared_key(const std::string& topic, const std::string& proposed) {
  return {"", topic + '\n' + comparable(topic, proposed)};
}

ScanRecord::Key ScanRecord::key_of(const std::string& slug, const Question& question) {
  return question.is_shared ? shared_key(question.key(), question.proposed)
                            : Key{slug, question.key()};
}

std::optional<domain::Slug> ScanRecord::slug_of(const std::string& source,
                                                const std::string& source_sha256) const {
  if (const auto known = by_source_.find(source); known != by_source_.end()) {
    return domain::Slug::parse(known->second);
  }
  const auto known = by_sha256_.find(source_sha256);
  return known == by_sha256_.end() ? std::nullopt : domain::Slug::parse(known->second);
}

std::optional<ScanRecord::Moved> ScanRecord::find_moved(
    const std::string& name, const std::string& author, const std::string& source,
    const std::function<bool(const std::string& source)>& is_there) const {
  std::vector<std::string> by_author;
  std::vector<std::string> by_both;
  std::vector<std::string> by_file;
  for (const auto& [slug, plugin] : plugins_) {
    if (!is_same_name(text_in(plugin.manifest, "name"), name) || is_there(plugin.source)) continue;
    const bool has_file = name_in(plugin.source) == name_in(source);
    const bool has_author = is_same_name(text_in(plugin.manifest, "author"), author);
    if (has_author) by_author.push_back(slug);
    if (has_author && has_file) by_both.push_back(slug);
    if (has_file) by_file.push_back(slug);
  }
  const bool is_by_author = !by_author.empty();
  const std::vector<std::string>& found = !is_by_author           ? by_file
                                          : by_author.size() == 1 ? by_author
                                                                  : by_both;
  if (found.size() != 1) return std::nullopt;
  return Moved{domain::Slug::parse(found.front()).value(), is_by_author};
}

const RecordedPlugin* ScanRecord::find(const std::string& slug) const {
  const auto known = plugins_.find(slug);
  return known == plugins_.end() ? nullptr : &known->second;
}

bool ScanRecord::is_imported(const std::string& slug) const {
  const RecordedPlugin* const known = find(slug);
  return known && known->is_imported;
}

std::set<std::string> ScanRecord::slugs() const {
  std::set<std::string> slugs;
  for (const auto& [slug, plugin] : plugins_) slugs.insert(slug);
  return slugs;
}

// What a person wrote of a plugin alone, where the question is one for several.
bool ScanRecord::own_answer(const std::string& slug, const Question& question) const {
  const auto found = questions_.find({slug, question.key()});
  return question.is_shared && found != questions_.end() && !found->second.is_open();
}

Answers ScanRecord::answers(const std::string& slug) const {
  return [this, slug](const Question& question) -> std::optional<std::string> {
    const auto found = questions_.find(own_answer(slug, question) ? Key{slug, question.key()}
                                                                  : key_of(slug, question));
    if (found == questions_.end() || found->second.is_open()) return answer_for_all(question);
    const json::Value& answer = found->second.answer;
    if (const bool* const is_right = answer.as_bool()) {
      const bool is_same = is_same_proposal(found->second, question);
      return *is_right && is_same ? std::optional(question.proposed) : std::nullopt;
    }
    const std::string* const text = answer.as_string();
    return text && is_possible(question, *text) ? std::optional(*text) : std::nullopt;
  };
}

std::optional<std::string> ScanRecord::answer_for_all(const Question& question) const {
  auto answer = for_all_.find(question.key());
  if (answer == for_all_.end()) answer = for_all_.find(std::string(to_string(question.topic)));
  if (answer == for_all_.end()) return std::nullopt;
  if (answer->second == "true") return question.proposed;
  return is_possible(question, answer->second) ? std::optional(answer->second) : std::nullopt;
}

void ScanRecord::add_question(std::map<Key, RecordedQuestion>& all, const ScannedPlugin& plugin,
                              const AskedQuestion& asked, std::vector<std::string>& remarks) const {
  const Question& question = asked.question;
  if (own_answer(plugin.slug.str(), question)) {
    const Key own{plugin.slug.str(), question.key()};
    all.insert_or_assign(own, questions_.at(own));
    return;
  }
  const Key key = key_of(plugin.slug.str(), question);
  const auto known = questions_.find(key);
  const auto [place, is_new] = all.try_emplace(
      key, question_of(plugin, asked, known == questions_.end() ? nullptr : &known->second));
  RecordedQuestion& entry = place->second;
  if (question.is_shared) entry.plugins.push_back(plugin.slug.str());
  if (!is_new || asked.answer || entry.is_open()) return;
  remarks.push_back(fmt::format("{}: {} is no answer to \"{}\" of {}", kQuestions,
                                json::to_string(entry.answer), question.key(), plugin.slug.view()));
}

json::Array ScanRecord::questions(const std::vector<ScannedPlugin>& plugins,
                                  std::vector<std::string>& remarks) const {
  std::map<Key, RecordedQuestion> all = questions_;
  std::set<std::string> scanned;
  for (const ScannedPlugin& plugin : plugins) scanned.insert(plugin.slug.str());
  scanned.erase("");
  std::erase_if(all, [&](const auto& each) {
    return scanned.contains(each.second.plugin) ||
           std::ranges::any_of(each.second.plugins,
                               [&](const std::string& slug) { return scanned.contains(slug); });
  });
  for (const ScannedPlugin& plugin : plugins) {
    for (const AskedQuestion& asked : plugin.asked) {
      if (plugin.asks(asked.question)) add_question(all, plugin, asked, remarks);
    }
  }
  json::Array open;
  json::Array answered;
  for (const auto& [key, entry] : all) {
    json::Object question = domain::told(entry);
    question["answer"] = entry.answer;  // also where there is none yet
    (entry.is_open() ? open : answered).emplace_back(std::move(question));
  }
  open.insert(open.end(), answered.begin(), answered.end());
  return open;
}

std::vector<std::string> ScanRecord::write(const base::HeldFolder& folder,
                                           const std::vector<ScannedPlugin>& plugins) const {
  json::Object recorded;
  for (const auto& [slug, plugin] : plugins_) recorded.emplace(slug, domain::told(plugin));
  const json::Object record{{"pack_sha256", pack_sha256_}, {"plugins", std::move(recorded)}};
  std::vector<std::string> remarks;
  const json::Array asked = questions(plugins, remarks);
  folder.write(kRecord, json::to_pretty_string(record) + "\n");
  folder.write(kQuestions, json::to_pretty_string(asked) + "\n");
  return remarks;
}

}  // namespace goldsmith::scan
