#include <algorithm>
#include <array>
#include <set>

#include "app/cli/commands/plugin_scan.hpp"
#include "app/cli/foreign_files.hpp"
#include "app/cli/plugin_secrets.hpp"
#include "app/compile/job.hpp"
#include "app/domain/names.hpp"
#include "app/sandbox/reader.hpp"
#include "app/scan/layout.hpp"
#include "app/scan/naming.hpp"
#include "app/scan/neighbours.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/interruption.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

// A source, without what differs between copies that are one plugin.
std::string digest_of(std::string_view source) {
  std::string plain;
  for (const std::string_view line : sys::split(source, '\n')) {
    const std::size_t end = line.find_last_not_of(" \t\r");
    plain.append(line.substr(0, end == line.npos ? 0 : end + 1)) += '\n';
  }
  while (plain.ends_with("\n\n")) plain.pop_back();
  return sys::sha256_hex(plain);
}

// What editors put into a new source, or nothing.
bool is_of_template(std::string_view text) {
  constexpr std::array<std::string_view, 8> kTemplates{
      "", "new plug-in", "new plugin", "plugin name", "untitled", "author", "your name", "unknown"};
  return std::find(kTemplates.begin(), kTemplates.end(), sys::to_lower_ascii(text)) !=
         kTemplates.end();
}

class Reader {
 public:
  Reader(const scan::Heap& heap, const scan::TextReader& texts, const std::vector<ScanLine>& lines,
         const ScanRecord& record, const Directory& directory)
      : heap_(heap),
        texts_(texts),
        neighbours_(heap),
        record_(record),
        directory_(directory),
        taken_(record.slugs()),
        is_installed_([&lines](const std::string& include) {
          return std::all_of(lines.begin(), lines.end(),
                             [&](const ScanLine& line) { return line.has(include); });
        }) {}

  ScannedPlugins run(ProgressLine& progress) {
    group_copies();
    std::size_t done = 0;
    for (const auto& [digest, copies] : copies_) {
      sys::check_interruption();
      read(digest, copies);
      progress.show_count("sources read", ++done, copies_.size());
    }
    for (const scan::Refusal& refusal : heap_.refusals()) refuse(refusal.path, refusal.reason);
    std::sort(plugins_.begin(), plugins_.end(),
              [](const auto& one, const auto& other) { return one.path < other.path; });
    give_slugs();
    return std::move(plugins_);
  }

 private:
  using Files = std::vector<const scan::HeapFile*>;

  void refuse(const std::string& path, const std::string& why) {
    ScannedPlugin plugin;
    plugin.path = path;
    plugin.refused = why;
    plugins_.push_back(std::move(plugin));
  }

  void group_copies() {
    for (const scan::HeapFile& file : heap_.files()) {
      if (!sys::to_lower_ascii(file.path).ends_with(".sma")) continue;
      if (file.size > compile::kLargestSource) {
        refuse(file.path, "has more than 1 MB");
        continue;
      }
      try {
        copies_[digest_of(file.read())].push_back(&file);
      } catch (const sys::FileError& failure) {
        refuse(file.path, failure.what());
      }
    }
    for (auto& [digest, copies] : copies_) {
      std::sort(copies.begin(), copies.end(),
                [](const auto* one, const auto* other) { return one->path < other->path; });
    }
  }

  scan::Collected collect(const scan::HeapFile& source, const scan::Answers& answers) const {
    return scan::collect(heap_, source, is_installed_, answers, texts_);
  }

  // The one that an earlier scan took, or else the one with the most of its includes around it.
  const scan::HeapFile& best_of(const Files& copies) const {
    constexpr std::size_t kMostCompared = 16;
    for (const scan::HeapFile* copy : copies) {
      if (record_.slug_of(copy->path, "")) return *copy;
    }
    const scan::HeapFile* best = copies.front();
    if (copies.size() == 1) return *best;
    std::size_t fewest = SIZE_MAX;
    for (std::size_t i = 0; i < std::min(copies.size(), kMostCompared); ++i) {
      const scan::Collected collected = collect(*copies[i], {});
      const std::size_t lacks = collected.missing.size() * 1000 + collected.asked.size();
      if (lacks < fewest) best = copies[i];
      fewest = std::min(fewest, lacks);
    }
    return *best;
  }

  void read(const std::string& digest, const Files& copies) try {
    const scan::HeapFile& source = best_of(copies);
    ScannedPlugin plugin;
    plugin.path = source.path;
    plugin.source_sha256 = digest;
    if (const auto known = record_.slug_of(source.path, digest)) plugin.slug = *known;
    const scan::Answers answers = record_.answers(plugin.slug.str());
    scan::Collected collected = collect(source, answers);
    const std::vector<std::string_view> includes(collected.own_includes.begin(),
                                                 collected.own_includes.end());
    plugin.facts = texts_.facts(collected.version.files.front().content, includes);
    if (plugin.facts.is_plugin) {
      scan::add_named_files(heap_, source, neighbours_.own_folder(source), plugin.facts, answers,
                            directory_.owners, collected);
    }
    plugin.version = std::move(collected.version);
    plugin.missing = std::move(collected.missing);
    plugin.asked = std::move(collected.asked);
    plugin.notes = std::move(collected.notes);
    if (plugin.facts.is_plugin) complete(plugin, source, answers);
    for (const scan::HeapFile* copy : copies) {
      if (copy != &source) plugin.notes.push_back("the same source is at " + copy->path);
    }
    plugins_.push_back(std::move(plugin));
  } catch (const sys::Interrupted&) {
    throw;
  } catch (const sandbox::ReaderUnavailable&) {
    throw;
  } catch (const std::exception& failure) {
    refuse(copies.front()->path, failure.what());
  }

  void complete(ScannedPlugin& plugin, const scan::HeapFile& source,
                const scan::Answers& answers) const {
    answer_doubts(plugin, answers);
    plugin.version.version = scan::legal_version(plugin.facts.version);
    std::vector<std::string>& notes = plugin.notes;
    notes.insert(notes.end(), plugin.facts.notes.begin(), plugin.facts.notes.end());
    if (!plugin.facts.version.empty() && plugin.facts.version != plugin.version.version.view()) {
      notes.push_back("the version \"" + plugin.facts.version + "\" is written as " +
                      plugin.version.version.str());
    }
    if (plugin.facts.author.empty()) notes.emplace_back("the source does not say its author");
    if (plugin.facts.encoding != "UTF-8") {
      notes.push_back(plugin.facts.encoding.empty()
                          ? "the source is in an encoding that is not known"
                          : "the source is in " + plugin.facts.encoding);
    }
    std::string binary = foreign_binary(plugin.version, directory_.owners);
    if (!binary.empty()) notes.push_back(std::move(binary));
    license(plugin, source);
    describe(plugin, source);
    ask_about_secrets(plugin, answers);
  }

  // The answer is about what was found: something else asks anew.
  void ask_about_secrets(ScannedPlugin& plugin, const scan::Answers& answers) const {
    constexpr std::size_t kMostNamed = 3;
    constexpr const char* kLeaveOut = "skip";
    const std::vector<std::string> found = secrets_of(plugin.version, texts_);
    if (found.empty()) return;
    for (const std::string& each : found) plugin.notes.push_back("may be private: " + each);
    const std::vector<std::string> first(
        found.begin(),
        found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), kMostNamed)));
    const std::string answer =
        scan::ask({"private " + sys::sha256_hex(sys::join(found, "\n")).substr(0, 8),
                   "everybody could read what may be private: " + sys::join(first, "; ") +
                       (found.size() > kMostNamed
                            ? " and " + std::to_string(found.size() - kMostNamed) + " more"
                            : "") +
                       "; publish the files as they are, or skip the plugin?",
                   kLeaveOut,
                   {"publish", kLeaveOut}},
                  answers, plugin.asked);
    if (plugin.asked.back().answer) plugin.is_skipped = answer == kLeaveOut;
  }

  // What the facts of the source leave open, what it does not say, and what has no legal form.
  static std::vector<scan::Question> doubts_about(ScannedPlugin& plugin) {
    scan::SourceFacts& facts = plugin.facts;
    std::vector<scan::Question> doubts = facts.doubts;
    const auto is_asked = [&](std::string_view topic) {
      return std::any_of(doubts.begin(), doubts.end(),
                         [&](const scan::Question& doubt) { return doubt.topic == topic; });
    };
    if (is_of_template(facts.author)) facts.author.clear();
    if (!is_asked("name") && is_of_template(facts.name)) {
      facts.name.clear();
      doubts.push_back(
          {"name", "the source does not say its name; is the file's right?", plugin.name(), {}});
    }
    if (is_asked("version") || facts.version == "0") return doubts;
    if (scan::legal_version(facts.version) == "0") {
      const std::string what = facts.version.empty()
                                   ? "the source does not say its version"
                                   : "nothing of the version \"" + facts.version + "\" is legal";
      doubts.push_back({"version", what + "; what is it?", "0", {}});
    }
    return doubts;
  }

  static void answer_doubts(ScannedPlugin& plugin, const scan::Answers& answers) {
    scan::SourceFacts& facts = plugin.facts;
    for (scan::Question& doubt : doubts_about(plugin)) {
      std::string& fact = doubt.topic == "name"      ? facts.name
                          : doubt.topic == "version" ? facts.version
                                                     : facts.author;
      fact = scan::ask(std::move(doubt), answers, plugin.asked);
    }
  }

  // The source's own counts before that of the folders above.
  void license(ScannedPlugin& plugin, const scan::HeapFile& source) const try {
    if (!plugin.facts.license.empty()) return;
    const scan::HeapFile* const file = neighbours_.license(source);
    if (!file) return;
    plugin.facts.license = texts_.license_of_text(file->read());
    plugin.notes.push_back(plugin.facts.license.empty()
                               ? "the license at " + file->path + " is none that is recognised"
                               : "the license is that at " + file->path);
  } catch (const sys::FileError& failure) {
    plugin.notes.emplace_back(failure.what());
  } catch (const sandbox::Unreadable& failure) {
    plugin.notes.push_back("the license is not read: " + std::string(failure.what()));
  }

  // What a README says counts before what the source does.
  void describe(ScannedPlugin& plugin, const scan::HeapFile& source) const try {
    plugin.prose = plugin.facts.prose;
    const scan::HeapFile* const readme = neighbours_.readme(source);
    if (!readme) return;
    scan::Prose prose = texts_.prose_of_readme(readme->path, readme->read());
    if (!prose.summary.empty()) plugin.prose = std::move(prose);
  } catch (const sys::FileError& failure) {
    plugin.notes.emplace_back(failure.what());
  } catch (const sandbox::Unreadable& failure) {
    plugin.notes.push_back("its README is not read: " + std::string(failure.what()));
  }

  // Plugins of earlier scans keep their slugs; the others get theirs in the order of the paths.
  void give_slugs() {
    std::set<std::string> given;
    for (ScannedPlugin& plugin : plugins_) {
      if (!plugin.slug.empty() && !given.insert(plugin.slug.str()).second) plugin.slug = {};
    }
    for (ScannedPlugin& plugin : plugins_) {
      if (plugin.facts.is_plugin && plugin.slug.empty()) plugin.slug = free_slug(plugin);
    }
  }

  // Not that of another plugin of the directory, unless it looks like the same.
  domain::Slug free_slug(const ScannedPlugin& plugin) {
    const std::string& file = plugin.version.files.front().filename;
    for (;;) {
      domain::Slug slug = scan::new_slug(plugin.name(), file.substr(0, file.rfind('.')),
                                         plugin.facts.author, taken_);
      const auto stored = directory_.names.find(slug.str());
      if (stored == directory_.names.end() ||
          (sys::fold_case(stored->second.name) == sys::fold_case(plugin.name()) &&
           sys::fold_case(stored->second.author) == sys::fold_case(plugin.facts.author))) {
        return slug;
      }
    }
  }

  const scan::Heap& heap_;
  const scan::TextReader& texts_;
  const scan::Neighbours neighbours_;
  const ScanRecord& record_;
  const Directory& directory_;
  std::set<std::string> taken_;
  const scan::IsInstalled is_installed_;
  std::map<std::string, Files> copies_;  // by digest
  ScannedPlugins plugins_;
};

}  // namespace

bool ScanLine::has(const std::string& include) const {
  return includes->in_any_case(include).has_value() ||
         (components.offers && components.offers->in_any_case(include).has_value());
}

ScannedPlugins read_sources(const scan::Heap& heap, const scan::TextReader& texts,
                            const std::vector<ScanLine>& lines, const ScanRecord& record,
                            const Directory& directory, ProgressLine& progress) {
  return Reader(heap, texts, lines, record, directory).run(progress);
}

}  // namespace goldsmith::cli
