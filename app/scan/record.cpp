#include "app/scan/record.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/scan/host.hpp"
#include "app/scan/scanned_plugin.hpp"

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

const json::Value* member(const json::Object& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &found->second;
}

bool is_open(const json::Object& question) {
  const json::Value* const answer = member(question, "answer");
  return !answer || answer->is_null();
}

bool is_possible(const Question& question, const std::string& answer) {
  const auto& choices = question.choices;
  return choices.empty() || std::find(choices.begin(), choices.end(), answer) != choices.end();
}

json::Object question_of(const ScannedPlugin& plugin, const AskedQuestion& asked,
                         const json::Object* known) {
  const Question& question = asked.question;
  json::Object entry{{"topic", question.key()},
                     {"question", question.text},
                     {"proposed", question.proposed},
                     {"answer", nullptr}};
  if (question.is_shared) {
    entry.emplace("plugins", json::Array());
  } else {
    entry.emplace("plugin", plugin.slug);
    entry.emplace("source", plugin.path);
  }
  if (!question.choices.empty()) {
    entry.emplace("choices", json::Array(question.choices.begin(), question.choices.end()));
  }
  const json::Value* const answer = known ? member(*known, "answer") : nullptr;
  // That the proposal is right does not say that another one is.
  const bool is_stale =
      answer && answer->as_bool() && text_in(*known, "proposed") != question.proposed;
  if (answer && !is_stale) entry["answer"] = *answer;
  if (asked.answer && is_open(entry)) entry["answer"] = *asked.answer;
  return entry;
}

// The plugins that it is about.
std::vector<std::string> plugins_of(const json::Object& question) {
  std::vector<std::string> slugs{text_in(question, "plugin")};
  const json::Value* const plugins = member(question, "plugins");
  if (!plugins || !plugins->as_array()) return slugs;
  for (const json::Value& slug : *plugins->as_array()) {
    if (slug.as_string()) slugs.push_back(*slug.as_string());
  }
  return slugs;
}

}  // namespace

std::string text_in(const json::Object& object, std::string_view name) {
  const json::Value* const value = member(object, name);
  return value && value->as_string() ? *value->as_string() : "";
}

ScanRecord::ScanRecord(const base::HeldFolder& folder) {
  read_plugins(read_json(folder, kRecord));
  read_questions(read_json(folder, kQuestions), (folder.path() / kQuestions).string());
}

std::string ScanRecord::questions_sha256(const base::HeldFolder& folder) {
  return folder.entry(kQuestions) ? base::sha256_hex(folder.read(kQuestions)) : "";
}

void ScanRecord::read_plugins(const json::Value& file) {
  if (!file.as_object()) return;
  pack_sha256_ = text_in(*file.as_object(), "pack_sha256");
  const json::Value* const plugins = member(*file.as_object(), "plugins");
  if (!plugins || !plugins->as_object()) return;
  for (const auto& [slug, value] : *plugins->as_object()) {
    if (!value.as_object() || !domain::Slug::is_legal(slug)) continue;
    const json::Object& entry = *value.as_object();
    RecordedPlugin& plugin = plugins_[slug];
    plugin.source = text_in(entry, "source");
    plugin.source_sha256 = text_in(entry, "source_sha256");
    plugin.found_sha256 = text_in(entry, "found_sha256");
    const json::Value* const imported = member(entry, "imported");
    plugin.is_imported = imported && imported->as_bool() && *imported->as_bool();
    plugin.compiled_sha256 = text_in(entry, "compiled_sha256");
    plugin.public_version = text_in(entry, "public_version");
    if (const json::Value* const manifest = member(entry, "manifest");
        manifest && manifest->as_object()) {
      plugin.manifest = *manifest->as_object();
    }
    const json::Value* const files = member(entry, "files");
    if (files && files->as_object()) {
      for (const auto& [path, digest] : *files->as_object()) {
        if (digest.as_string()) plugin.files.emplace(path, *digest.as_string());
      }
    }
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
    const json::Object* const entry = value.as_object();
    if (!entry || text_in(*entry, "topic").empty()) {
      throw Failure(fmt::format("{}: {} is no question; correct it, or remove the file", name,
                                json::to_string(value).substr(0, 80)));
    }
    const Key key = entry->contains("plugins")
                        ? shared_key(text_in(*entry, "topic"), text_in(*entry, "proposed"))
                        : Key{text_in(*entry, "plugin"), text_in(*entry, "topic")};
    questions_.emplace(key, *entry);
  }
}

ScanRecord::Key ScanRecord::shared_key(const std::string& topic, const std::string& proposed) {
  return {"", topic + '\n' + proposed};
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

std::optional<domain::Slug> ScanRecord::slug_of_moved(
    const std::string& name, const std::string& author,
    const std::function<bool(const std::string& source)>& is_there) const {
  std::optional<domain::Slug> found;
  for (const auto& [slug, plugin] : plugins_) {
    if (text_in(plugin.manifest, "name") != name || text_in(plugin.manifest, "author") != author ||
        is_there(plugin.source)) {
      continue;
    }
    if (found) return std::nullopt;
    found = domain::Slug::parse(slug);
  }
  return found;
}

std::set<std::string> ScanRecord::slugs() const {
  std::set<std::string> slugs;
  for (const auto& [slug, plugin] : plugins_) slugs.insert(slug);
  return slugs;
}

// What a person wrote of a plugin alone, where the question is one for several.
bool ScanRecord::own_answer(const std::string& slug, const Question& question) const {
  const auto found = questions_.find({slug, question.key()});
  return question.is_shared && found != questions_.end() && !is_open(found->second);
}

Answers ScanRecord::answers(const std::string& slug) const {
  return [this, slug](const Question& question) -> std::optional<std::string> {
    const auto found = questions_.find(own_answer(slug, question) ? Key{slug, question.key()}
                                                                  : key_of(slug, question));
    if (found == questions_.end() || is_open(found->second)) return answer_for_all(question);
    const json::Value* const answer = member(found->second, "answer");
    if (const bool* const is_right = answer->as_bool()) {
      const bool is_same = text_in(found->second, "proposed") == question.proposed;
      return *is_right && is_same ? std::optional(question.proposed) : std::nullopt;
    }
    const std::string* const text = answer->as_string();
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

void ScanRecord::add_question(std::map<Key, json::Object>& all, const ScannedPlugin& plugin,
                              const AskedQuestion& asked, std::vector<std::string>& remarks) const {
  if (own_answer(plugin.slug.str(), asked.question)) {
    const Key own{plugin.slug.str(), asked.question.key()};
    all.insert_or_assign(own, questions_.at(own));
    return;
  }
  const Key key = key_of(plugin.slug.str(), asked.question);
  const auto known = questions_.find(key);
  const auto [place, is_new] = all.try_emplace(
      key, question_of(plugin, asked, known == questions_.end() ? nullptr : &known->second));
  json::Object& entry = place->second;
  if (asked.question.is_shared) {
    json::Array slugs = *entry["plugins"].as_array();
    slugs.emplace_back(plugin.slug);
    entry["plugins"] = std::move(slugs);
  }
  if (!is_new || asked.answer || is_open(entry)) return;
  remarks.push_back(fmt::format("{}: {} is no answer to \"{}\" of {}", kQuestions,
                                json::to_string(entry["answer"]), asked.question.key(),
                                plugin.slug.view()));
}

json::Array ScanRecord::questions(const std::vector<ScannedPlugin>& plugins,
                                  std::vector<std::string>& remarks) const {
  std::map<Key, json::Object> all = questions_;
  std::set<std::string> scanned;
  for (const ScannedPlugin& plugin : plugins) scanned.insert(plugin.slug.str());
  std::erase_if(all, [&](const auto& each) {
    const std::vector<std::string> slugs = plugins_of(each.second);
    return std::any_of(slugs.begin(), slugs.end(), [&](const std::string& slug) {
      return !slug.empty() && scanned.contains(slug);
    });
  });
  for (const ScannedPlugin& plugin : plugins) {
    for (const AskedQuestion& asked : plugin.asked) {
      if (plugin.asks(asked.question)) add_question(all, plugin, asked, remarks);
    }
  }
  json::Array open;
  json::Array answered;
  for (auto& [key, entry] : all) (is_open(entry) ? open : answered).emplace_back(std::move(entry));
  open.insert(open.end(), answered.begin(), answered.end());
  return open;
}

std::vector<std::string> ScanRecord::write(const base::HeldFolder& folder,
                                           const std::vector<ScannedPlugin>& plugins) const {
  json::Object recorded;
  for (const auto& [slug, plugin] : plugins_) {
    json::Object files;
    for (const auto& [path, digest] : plugin.files) files.emplace(path, digest);
    json::Object entry{{"source", plugin.source},
                       {"source_sha256", plugin.source_sha256},
                       {"found_sha256", plugin.found_sha256},
                       {"imported", plugin.is_imported},
                       {"files", std::move(files)}};
    if (!plugin.manifest.empty()) {
      entry.emplace("compiled_sha256", plugin.compiled_sha256);
      entry.emplace("manifest", plugin.manifest);
      entry.emplace("public_version", plugin.public_version);
    }
    recorded.emplace(slug, std::move(entry));
  }
  const json::Object record{{"pack_sha256", pack_sha256_}, {"plugins", std::move(recorded)}};
  std::vector<std::string> remarks;
  const json::Array asked = questions(plugins, remarks);
  folder.write(kRecord, json::to_pretty_string(record) + "\n");
  folder.write(kQuestions, json::to_pretty_string(asked) + "\n");
  return remarks;
}

}  // namespace goldsmith::scan
