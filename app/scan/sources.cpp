
#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/compile/content.hpp"
#include "app/domain/file_content.hpp"
#include "app/domain/names.hpp"
#include "app/domain/version_order.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/pawn/includes.hpp"
#include "app/scan/host.hpp"
#include "app/scan/layout.hpp"
#include "app/scan/legal_names.hpp"
#include "app/scan/neighbours.hpp"
#include "app/scan/plugin_checks.hpp"
#include "app/scan/source_tree.hpp"
#include "app/scan/steps.hpp"
#include "app/scan/unread_sources.hpp"

namespace goldsmith::scan {

namespace {

class Reader {
 public:
  Reader(const std::shared_ptr<const SourceTree>& tree, const pawn::TextReader& texts,
         const std::vector<ScanLine>& lines, const ScanRecord& record, const Directory& directory,
         const std::string& release)
      : tree_(tree),
        texts_(texts),
        neighbours_(*tree),
        licenses_(*tree, texts, neighbours_, record),
        record_(record),
        directory_(directory),
        release_(release),
        is_installed_([&lines](const std::string& include) {
          return std::all_of(lines.begin(), lines.end(),
                             [&](const ScanLine& line) { return line.has(include); });
        }) {}

  ScannedPlugins run(Progress& progress, std::chrono::steady_clock::time_point until) {
    group_copies();
    // Where the time may end, it is not the same ones each time that have none.
    auto next = copies_.begin();
    const bool is_bounded = until != std::chrono::steady_clock::time_point::max();
    if (is_bounded && !copies_.empty()) {
      std::advance(next, std::random_device()() % copies_.size());
    }
    for (std::size_t done = 0; done < copies_.size();) {
      base::check_interruption();
      if (std::chrono::steady_clock::now() < until) {
        read(next->first, next->second);
      } else {
        unread_.postpone(next->second.front()->path);
        is_complete_ = false;
      }
      if (++next == copies_.end()) next = copies_.begin();
      progress.show_count("sources read", ++done, copies_.size());
    }
    read_guessed(until);
    for (const Refusal& refusal : tree_->refusals()) unread_.refuse(refusal.path, refusal.reason);
    unread_.finish();
    std::sort(plugins_.begin(), plugins_.end(),
              [](const auto& one, const auto& other) { return one.path < other.path; });
    describe_apart(plugins_);
    name_apart(plugins_);
    give_slugs(plugins_, record_.slugs(), directory_);
    licenses_.ask_about(plugins_);
    return std::move(plugins_);
  }

 private:
  using Files = std::vector<const SourceFile*>;

  // What may be a plugin that was moved, by the name of its file alone, is that unless another
  // source is. Where some were not read in time, nobody knows.
  void read_guessed(std::chrono::steady_clock::time_point until) {
    is_guessing_ = true;
    for (const auto& [path, digest] : guessed_) {
      base::check_interruption();
      if (is_complete_ && std::chrono::steady_clock::now() < until) {
        read(digest, copies_.at(digest));
      } else {
        unread_.postpone(path);
      }
    }
  }

  bool has_slug(const domain::Slug& slug) const {
    return std::ranges::find(plugins_, slug, &ScannedPlugin::slug) != plugins_.end();
  }

  void group_copies() {
    for (const SourceFile& file : tree_->files()) {
      if (!base::to_lower_ascii(file.path).ends_with(".sma")) continue;
      sources_.insert(file.path);
      if (file.size > pawn::kLargestSource) {
        unread_.refuse(file.path, "has more than 1 MB");
        continue;
      }
      try {
        const std::string content = tree_->read(file);
        if (std::string defect = domain::content_defect(file.path, content); !defect.empty()) {
          unread_.refuse(file.path, defect);
          continue;
        }
        copies_[digest_of(content)].push_back(&file);
      } catch (const base::FileError& failure) {
        unread_.refuse(file.path, failure.what());
      }
    }
    for (auto& [digest, copies] : copies_) {
      std::sort(copies.begin(), copies.end(),
                [](const auto* one, const auto* other) { return one->path < other->path; });
    }
  }

  Collected collected(const SourceFile& source, const Answers& answers) const {
    return collect(*tree_, source, is_installed_, answers, texts_);
  }

  // The one that an earlier scan took, or else the one with the most of its includes around it.
  const SourceFile& best_of(const Files& copies) const {
    constexpr std::size_t kMostCopies = 16;
    for (const SourceFile* copy : copies) {
      if (record_.slug_of(copy->path, "")) return *copy;
    }
    const SourceFile* best = copies.front();
    if (copies.size() == 1) return *best;
    std::size_t fewest = SIZE_MAX;
    for (std::size_t i = 0; i < std::min(copies.size(), kMostCopies); ++i) {
      const Collected found = collected(*copies[i], {});
      const std::size_t lacks = found.missing.size() * 1000 + found.asked.size();
      if (lacks < fewest) best = copies[i];
      fewest = std::min(fewest, lacks);
    }
    return *best;
  }

  void read(const std::string& digest, const Files& copies) try {
    const SourceFile& source = best_of(copies);
    ScannedPlugin plugin;
    plugin.path = source.path;
    plugin.source_sha256 = digest;
    if (const auto known = record_.slug_of(source.path, digest)) plugin.slug = *known;
    if (const auto stock = directory_.stock.find(digest); stock != directory_.stock.end()) {
      plugin.stock = stock->second;
      plugins_.push_back(std::move(plugin));
      return;
    }
    Answers answers = record_.answers(plugin.slug.str());
    Collected collected = this->collected(source, answers);
    const auto& files = collected.version.files;
    std::vector<std::string_view> includes;
    for (std::size_t i = 1; i <= collected.includes; ++i) includes.push_back(files[i].content);
    plugin.facts = texts_.facts(files.front().content, includes);
    if (plugin.facts.is_plugin && plugin.slug.empty()) {
      const auto moved =
          record_.find_moved(plugin.facts.name, plugin.facts.author, source.path,
                             [&](const std::string& path) { return sources_.contains(path); });
      if (moved && !moved->is_by_author && !is_guessing_) {
        guessed_.emplace(source.path, digest);
        return;
      }
      if (moved && (moved->is_by_author || !has_slug(moved->slug))) {
        plugin.slug = moved->slug;
        plugin.is_guessed = !moved->is_by_author;
        answers = record_.answers(plugin.slug.str());
      }
    }
    if (plugin.facts.is_plugin) {
      add_named_files(*tree_, source, neighbours_.own_folder(source), plugin.facts, answers,
                      directory_.owners, collected);
    }
    plugin.missing = std::move(collected.missing);
    plugin.unfit = std::move(collected.unfit);
    plugin.asked = std::move(collected.asked);
    plugin.notes = std::move(collected.notes);
    if (plugin.facts.is_plugin) {
      complete(plugin, collected.version, source, answers);
    } else {
      plugin.notes.insert(plugin.notes.begin(), plugin.facts.notes.begin(),
                          plugin.facts.notes.end());
    }
    for (const SourceFile* copy : copies) {
      if (copy != &source) plugin.notes.push_back("the same source is at " + copy->path);
    }
    take_bytes(collected.bytes);
    take_files(plugin, std::move(collected));
    plugins_.push_back(std::move(plugin));
  } catch (const base::Interrupted&) {
    throw;
  } catch (const host::ReaderUnavailable&) {
    throw;
  } catch (const std::exception& failure) {
    unread_.refuse(copies.front()->path, failure.what());
  }

  // Each plugin has files of its own, also those that it shares. Throws if all have too many bytes.
  void take_bytes(std::uint64_t bytes) {
    const std::uint64_t most = tree_->bounds().bytes;
    if (bytes > most - bytes_) {
      throw Failure("is not scanned: with it the files of all plugins would have more than " +
                    base::binary_size(most));
    }
    bytes_ += bytes;
  }

  // Their contents stay in the tree; what they name, the sandbox has told.
  void take_files(ScannedPlugin& plugin, Collected&& collected) {
    domain::PluginVersion& version = collected.version;
    for (std::size_t i = 0; i < version.files.size(); ++i) {
      plugin.files.push_back({collected.sources[i], domain::installed_path(version.files[i])});
    }
    std::ranges::sort(version.files, {}, [](const domain::PluginFile& file) {
      return std::pair<std::string_view, std::string_view>(file.filename, file.install_dir);
    });
    compile::describe(version, [&](std::string_view text) { return texts_.named_files(text); });
    std::map<std::string, std::optional<domain::NamedFiles>> named;  // by place
    for (const domain::PluginFile& file : version.files) {
      named.emplace(domain::installed_path(file), file.named);
    }
    for (ScannedFile& file : plugin.files) file.named = named.at(file.path);
    if (plugin.facts.is_plugin) {
      for (std::string& note : foreign_texts(version, texts_)) {
        plugin.notes.push_back(std::move(note));
      }
    }
    plugin.tree = tree_;
    plugin.content_digest = version.content_digest;
    kept_ += plugin.bytes();
    if (kept_ > kMostKept) {
      throw Failure("is not scanned: with it what is known of all plugins would take more than " +
                    base::binary_size(kMostKept));
    }
  }

  void complete(ScannedPlugin& plugin, const domain::PluginVersion& version,
                const SourceFile& source, const Answers& answers) {
    answer_doubts(plugin, answers);
    plugin.version = legal_version(plugin.facts.version);
    std::vector<std::string>& notes = plugin.notes;
    notes.insert(notes.end(), plugin.facts.notes.begin(), plugin.facts.notes.end());
    if (!plugin.facts.version.empty() && plugin.facts.version != plugin.version.view()) {
      notes.push_back("the version \"" + plugin.facts.version + "\" is written as " +
                      plugin.version.str());
    }
    if (plugin.facts.author.empty()) notes.emplace_back("the source does not say its author");
    if (plugin.facts.encoding != "UTF-8") {
      notes.push_back(plugin.facts.encoding.empty()
                          ? "the source is in an encoding that is not known"
                          : "the source is in " + plugin.facts.encoding);
    }
    licenses_.find(plugin, source);
    describe(plugin, source);
    ask_about_stock(plugin, version, answers);
    // What it lacks would be missing on servers, which may not start then.
    std::vector<std::string> unfit;
    for (const Refusal& each : plugin.unfit) unfit.push_back(each.text());
    ask_about_found(plugin, unfit, "left out", Topic::content,
                    "what it needs is not in the files of these names",
                    "take the plugin without them, or skip it?", Choice::without, "", answers);
    ask_about_found(plugin, secrets_of(version, texts_), "may be private", Topic::secrets,
                    "everybody could read what may be private",
                    "publish the files as they are, or skip the plugin?", Choice::publish,
                    secrets_sha256(version, texts_), answers);
  }

  // An edited plugin of a component, or of another version of it: servers have the component's.
  void ask_about_stock(ScannedPlugin& plugin, const domain::PluginVersion& version,
                       const Answers& answers) const {
    std::string binary = foreign_binary(version, directory_.owners);
    if (binary.empty()) return;
    plugin.notes.push_back(std::move(binary));
    Question question = choice_between(
        Topic::stock,
        "servers have plugins of these names from components, and keep those; are the sources to "
        "be skipped, or to be plugins of the directory?",
        Choice::skip, {Choice::skip, Choice::plugin});
    question.is_shared = true;
    const AskedQuestion asked = ask(std::move(question), answers, plugin.asked);
    if (asked.is(Choice::skip)) plugin.is_skipped = true;
  }

  // Whether the plugin is to be taken although something speaks against it: not until a person says
  // so. The answer is about what was found: something else asks anew. `sha256`: by which that is
  // known; "" = by what is told of it, as 1.0.0 knew all.
  static void ask_about_found(ScannedPlugin& plugin, const std::vector<std::string>& found,
                              const std::string& note, Topic topic, const std::string& problem,
                              const std::string& question_then, Choice take,
                              const std::string& sha256, const Answers& answers) {
    constexpr std::size_t kMostNamed = 3;
    constexpr std::size_t kDigits = 8;
    if (found.empty()) return;
    for (const std::string& each : found) plugin.notes.push_back(note + ": " + each);
    Question question = choice_between(
        topic, problem + ": " + base::join_some(found, kMostNamed, "; ") + "; " + question_then,
        Choice::skip, {take, Choice::skip});
    question.about = base::sha256_hex(base::join(found, "\n")).substr(0, kDigits);
    std::optional<std::string> former = answers(question);
    if (!sha256.empty()) question.about = sha256.substr(0, kDigits);
    const Answers known = [&](const Question& asked) {
      const std::optional<std::string> answer = answers(asked);
      return answer ? answer : former;
    };
    if (ask(std::move(question), known, plugin.asked).is(Choice::skip)) plugin.is_skipped = true;
  }

  static std::string& fact_of(pawn::SourceFacts& facts, Topic topic) {
    return topic == Topic::name      ? facts.name
           : topic == Topic::version ? facts.version
                                     : facts.author;
  }

  // The name or author that the plugin has already, where the source still gives it; else "".
  std::string settled(const ScannedPlugin& plugin, const pawn::Doubt& doubt) const {
    const RecordedPlugin* const known = record_.find(plugin.slug.str());
    if (doubt.of == pawn::Doubt::Of::version || !known) return "";
    std::string value = text_in(known->manifest, pawn::to_string(doubt.of));
    return std::ranges::find(doubt.values, value) == doubt.values.end() ? "" : value;
  }

  // What the facts of the source leave open, what it does not say, and what has no legal form.
  std::vector<Question> doubts_about(ScannedPlugin& plugin, const Answers& answers) const {
    pawn::SourceFacts& facts = plugin.facts;
    std::vector<Question> doubts;
    for (const pawn::Doubt& doubt : facts.doubts) {
      const Topic topic = parse_topic(pawn::to_string(doubt.of)).value();
      Question question{.topic = topic, .text = doubt.text, .proposed = doubt.proposed};
      std::string value = settled(plugin, doubt);
      if (value.empty() || answers(question)) {
        doubts.push_back(std::move(question));
      } else {
        fact_of(facts, question.topic) = std::move(value);
      }
    }
    const auto is_asked = [&](Topic topic) {
      return std::ranges::any_of(doubts, [&](const Question& each) { return each.topic == topic; });
    };
    if (is_of_template(facts.author)) facts.author.clear();
    if (!is_asked(Topic::name) && is_of_template(facts.name)) {
      facts.name.clear();
      plugin.notes.emplace_back("the source does not say its name; it is named after its file");
    }
    if (is_asked(Topic::version) || facts.version == "0" || facts.has_platform_version) {
      return doubts;
    }
    if (facts.version.empty() || is_placeholder(facts.version)) {
      Question question{
          .topic = Topic::version,
          .text =
              "the sources do not say their version, or leave it to releases; what is it? "
              "Tags and releases tell it where they are followed",
          .proposed = "0",
          .is_shared = true};
      facts.version.clear();
      if (domain::has_number(release_) && !answers(question)) {
        facts.version = version_in_tag(release_);
        plugin.notes.push_back("the source does not say its version; it is that of " + release_);
      } else {
        doubts.push_back(std::move(question));
        return doubts;
      }
    }
    if (legal_version(facts.version) == "0") {
      doubts.push_back(
          {.topic = Topic::version,
           .text = "nothing of the version \"" + facts.version + "\" is legal; what is it?",
           .proposed = "0"});
    }
    return doubts;
  }

  void answer_doubts(ScannedPlugin& plugin, const Answers& answers) const {
    for (Question& doubt : doubts_about(plugin, answers)) {
      std::string& fact = fact_of(plugin.facts, doubt.topic);
      fact = ask(std::move(doubt), answers, plugin.asked).value();
    }
  }

  // What a README says counts before what the source does.
  void describe(ScannedPlugin& plugin, const SourceFile& source) const try {
    plugin.prose = plugin.facts.prose;
    const SourceFile* const readme = neighbours_.readme(source);
    if (!readme) return;
    pawn::Prose prose = texts_.prose_of_readme(readme->path, tree_->read(*readme));
    if (!prose.summary.empty()) plugin.prose = std::move(prose);
  } catch (const base::FileError& failure) {
    plugin.notes.emplace_back(failure.what());
  } catch (const host::Unreadable& failure) {
    plugin.notes.push_back("its README is not read: " + std::string(failure.what()));
  }

  const std::shared_ptr<const SourceTree> tree_;
  const pawn::TextReader& texts_;
  const Neighbours neighbours_;
  Licenses licenses_;
  // In memory, of all plugins together.
  static constexpr std::uint64_t kMostKept = 96U << 20;

  std::uint64_t bytes_ = 0;
  std::uint64_t kept_ = 0;
  const ScanRecord& record_;
  const Directory& directory_;
  const std::string& release_;
  const IsInstalled is_installed_;
  std::map<std::string, Files> copies_;         // by digest
  std::set<std::string> sources_;               // their paths
  std::map<std::string, std::string> guessed_;  // digests by path; see read_guessed()
  bool is_guessing_ = false;
  bool is_complete_ = true;
  ScannedPlugins plugins_;
  UnreadSources unread_{record_, plugins_};
};

}  // namespace

ScannedPlugins read_sources(const std::shared_ptr<const SourceTree>& tree,
                            const pawn::TextReader& texts, const std::vector<ScanLine>& lines,
                            const ScanRecord& record, const Directory& directory,
                            const std::string& release, Progress& progress,
                            std::chrono::steady_clock::time_point until) {
  return Reader(tree, texts, lines, record, directory, release).run(progress, until);
}

}  // namespace goldsmith::scan
