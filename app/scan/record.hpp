// What scans leave in the folder of their manifests: scan.json, what they wrote, and
// questions.json, what they ask and a person answers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/base/held_folder.hpp"
#include "app/base/json.hpp"
#include "app/domain/names.hpp"
#include "app/scan/question.hpp"

namespace goldsmith::scan {

struct ScannedPlugin;

// What the last scan wrote of a plugin.
struct RecordedPlugin {
  std::string source;                        // path
  std::string source_sha256;                 // see ScannedPlugin
  std::map<std::string, std::string> files;  // SHA-256 by path in the plugin's folder
  std::string found_sha256;                  // of all that it would write, written or proposed
  bool is_imported = false;
  std::string compiled_sha256;  // see ScannedPlugin
  // Of a plugin that is mirrored: what the scan said of it, but for its versions.
  json::Object manifest;
  std::string public_version;  // that it had when the manifest was taken over; "" = not known

  static void members(auto& self, const auto& visit) {
    visit("source", self.source);
    visit("source_sha256", self.source_sha256);
    visit("found_sha256", self.found_sha256);
    visit("imported", self.is_imported);
    visit("files", self.files);
    visit("compiled_sha256", self.compiled_sha256);
    visit("manifest", self.manifest);
    visit("public_version", self.public_version);
  }
};

// What questions.json has, with the answer that a person writes there.
struct RecordedQuestion {
  std::string topic;  // Question::key()
  std::string text;
  std::string proposed;
  std::vector<std::string> choices = {};
  json::Value answer = {};  // true = what is proposed is right; null = there is none
  std::string plugin = {};  // that it is about, and its source; "" = those of `plugins`
  std::string source = {};
  std::vector<std::string> plugins = {};  // that share it

  bool is_open() const { return answer.is_null(); }
  static void members(auto& self, const auto& visit) {
    visit("topic", self.topic);
    visit("question", self.text);
    visit("proposed", self.proposed);
    visit("choices", self.choices);
    visit("answer", self.answer);
    visit("plugin", self.plugin);
    visit("source", self.source);
    visit("plugins", self.plugins);
  }
};

class ScanRecord {
 public:
  ScanRecord() = default;  // of a scan that writes nothing
  // Throws Failure if one of the files is there, but is not what a scan wrote and a person may have
  // answered; base::FileError.
  explicit ScanRecord(const base::HeldFolder& folder);
  // Of the questions there, and their answers; "" = there are none.
  static std::string questions_sha256(const base::HeldFolder& folder);

  // The slug that the source has had, at this path or with this content.
  std::optional<domain::Slug> slug_of(const std::string& source,
                                      const std::string& source_sha256) const;
  struct Moved {
    domain::Slug slug;
    bool is_by_author = false;  // by the name of its file otherwise
  };
  // The mirrored plugin whose source is not there any more, if there is one alone that has the
  // name, or such letters, and the author; if none has, that has the name of the file.
  std::optional<Moved> find_moved(
      const std::string& name, const std::string& author, const std::string& source,
      const std::function<bool(const std::string& source)>& is_there) const;
  std::set<std::string> slugs() const;
  // For a plugin; without a slug those that plugins share. What is answered for a plugin alone
  // counts before what is answered for all. They must not outlive the record.
  Answers answers(const std::string& slug) const;

  // Answers all questions of a topic that have no answer. `topic`: Question::key(), or the topic
  // alone; its proposal is right if `answer` is "true".
  void answer_all(const std::string& topic, const std::string& answer) { for_all_[topic] = answer; }

  // To be called after plugins() was changed, for the scans that follow.
  void index();
  std::map<std::string, RecordedPlugin>& plugins() { return plugins_; }
  const std::map<std::string, RecordedPlugin>& plugins() const { return plugins_; }
  // Null if nothing is recorded of it.
  const RecordedPlugin* find(const std::string& slug) const;
  bool is_imported(const std::string& slug) const;
  std::string& pack_sha256() { return pack_sha256_; }

  // Writes both files; the questions of plugins that are not among these stay. Returns what a
  // person should know, as sentences. Throws base::FileError.
  std::vector<std::string> write(const base::HeldFolder& folder,
                                 const std::vector<ScannedPlugin>& plugins) const;

 private:
  // Slug and topic; of a question that plugins share "", and its proposal behind the topic.
  using Key = std::pair<std::string, std::string>;

  std::optional<std::string> answer_for_all(const Question& question) const;
  static Key shared_key(const std::string& topic, const std::string& proposed);
  static Key key_of(const std::string& slug, const Question& question);
  bool own_answer(const std::string& slug, const Question& question) const;
  void read_plugins(const json::Value& file);
  void read_questions(const json::Value& file, const std::string& name);
  void add_question(std::map<Key, RecordedQuestion>& all, const ScannedPlugin& plugin,
                    const AskedQuestion& asked, std::vector<std::string>& remarks) const;
  json::Array questions(const std::vector<ScannedPlugin>& plugins,
                        std::vector<std::string>& remarks) const;

  std::map<std::string, RecordedPlugin> plugins_;  // by slug
  std::map<std::string, std::string> by_source_;
  std::map<std::string, std::string> by_sha256_;
  std::map<Key, RecordedQuestion> questions_;
  std::map<std::string, std::string> for_all_;  // answers by topic
  std::string pack_sha256_;
};

// The member of an object that is a text; "" if it is none.
std::string text_in(const json::Object& object, std::string_view name);

}  // namespace goldsmith::scan
