#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include <fmt/core.h>

#include "app/archive/io.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/plugin_scan.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/transliteration.hpp"
#include "app/domain/names.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "app/pawn/includes.hpp"
#include "app/pawn/layout.hpp"
#include "app/pawn/source_tree.hpp"

namespace goldsmith::cli {

namespace {

// What editors put into a new source, or nothing.
bool is_of_template(std::string_view text) {
  constexpr std::array<std::string_view, 8> kTemplates{
      "", "new plug-in", "new plugin", "plugin name", "untitled", "author", "your name", "unknown"};
  return std::find(kTemplates.begin(), kTemplates.end(), base::to_lower_ascii(text)) !=
         kTemplates.end();
}

// "%VERSION%", which its project replaces when it makes a release.
bool is_placeholder(std::string_view version) {
  return version.size() > 2 && version.front() == version.back() &&
         std::string_view("%@$#").find(version.front()) != std::string_view::npos;
}

constexpr std::string_view kAll = "all";  // authors

class Reader {
 public:
  Reader(const pawn::SourceTree& tree, const pawn::TextReader& texts,
         const std::vector<ScanLine>& lines, const ScanRecord& record, const Directory& directory)
      : tree_(tree),
        texts_(texts),
        neighbours_(tree),
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
      base::check_interruption();
      read(digest, copies);
      progress.show_count("sources read", ++done, copies_.size());
    }
    for (const pawn::Refusal& refusal : tree_.refusals()) refuse(refusal.path, refusal.reason);
    std::sort(plugins_.begin(), plugins_.end(),
              [](const auto& one, const auto& other) { return one.path < other.path; });
    name_apart(plugins_);
    give_slugs();
    ask_about_licenses();
    return std::move(plugins_);
  }

 private:
  using Files = std::vector<const pawn::SourceFile*>;

  void refuse(const std::string& path, const std::string& why) {
    ScannedPlugin plugin;
    plugin.path = path;
    plugin.refused = why;
    plugins_.push_back(std::move(plugin));
  }

  void group_copies() {
    for (const pawn::SourceFile& file : tree_.files()) {
      if (!base::to_lower_ascii(file.path).ends_with(".sma")) continue;
      sources_.insert(file.path);
      if (file.size > pawn::kLargestSource) {
        refuse(file.path, "has more than 1 MB");
        continue;
      }
      try {
        copies_[digest_of(file.read())].push_back(&file);
      } catch (const base::FileError& failure) {
        refuse(file.path, failure.what());
      }
    }
    for (auto& [digest, copies] : copies_) {
      std::sort(copies.begin(), copies.end(),
                [](const auto* one, const auto* other) { return one->path < other->path; });
    }
  }

  pawn::Collected collect(const pawn::SourceFile& source, const pawn::Answers& answers) const {
    return pawn::collect(tree_, source, is_installed_, answers, texts_);
  }

  // The one that an earlier scan took, or else the one with the most of its includes around it.
  const pawn::SourceFile& best_of(const Files& copies) const {
    constexpr std::size_t kMostCompared = 16;
    for (const pawn::SourceFile* copy : copies) {
      if (record_.slug_of(copy->path, "")) return *copy;
    }
    const pawn::SourceFile* best = copies.front();
    if (copies.size() == 1) return *best;
    std::size_t fewest = SIZE_MAX;
    for (std::size_t i = 0; i < std::min(copies.size(), kMostCompared); ++i) {
      const pawn::Collected collected = collect(*copies[i], {});
      const std::size_t lacks = collected.missing.size() * 1000 + collected.asked.size();
      if (lacks < fewest) best = copies[i];
      fewest = std::min(fewest, lacks);
    }
    return *best;
  }

  void read(const std::string& digest, const Files& copies) try {
    const pawn::SourceFile& source = best_of(copies);
    ScannedPlugin plugin;
    plugin.path = source.path;
    plugin.source_sha256 = digest;
    if (const auto known = record_.slug_of(source.path, digest)) plugin.slug = *known;
    if (const auto stock = directory_.stock.find(digest); stock != directory_.stock.end()) {
      plugin.stock = stock->second;
      plugins_.push_back(std::move(plugin));
      return;
    }
    pawn::Answers answers = record_.answers(plugin.slug.str());
    pawn::Collected collected = collect(source, answers);
    const std::vector<std::string_view> includes(collected.own_includes.begin(),
                                                 collected.own_includes.end());
    plugin.facts = texts_.facts(collected.version.files.front().content, includes);
    if (plugin.facts.is_plugin && plugin.slug.empty()) {
      const auto moved =
          record_.slug_of_moved(plugin.facts.name, plugin.facts.author,
                                [&](const std::string& path) { return sources_.contains(path); });
      if (moved) {
        plugin.slug = *moved;
        answers = record_.answers(moved->str());
      }
    }
    if (plugin.facts.is_plugin) {
      pawn::add_named_files(tree_, source, neighbours_.own_folder(source), plugin.facts, answers,
                            directory_.owners, collected);
    }
    plugin.version = std::move(collected.version);
    plugin.missing = std::move(collected.missing);
    plugin.asked = std::move(collected.asked);
    plugin.notes = std::move(collected.notes);
    if (plugin.facts.is_plugin) complete(plugin, source, answers);
    for (const pawn::SourceFile* copy : copies) {
      if (copy != &source) plugin.notes.push_back("the same source is at " + copy->path);
    }
    plugins_.push_back(std::move(plugin));
  } catch (const base::Interrupted&) {
    throw;
  } catch (const host::ReaderUnavailable&) {
    throw;
  } catch (const std::exception& failure) {
    refuse(copies.front()->path, failure.what());
  }

  void complete(ScannedPlugin& plugin, const pawn::SourceFile& source,
                const pawn::Answers& answers) {
    answer_doubts(plugin, answers);
    plugin.version.version = pawn::legal_version(plugin.facts.version);
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
    license(plugin, source);
    describe(plugin, source);
    ask_about_stock(plugin, answers);
    ask_about_secrets(plugin, answers);
  }

  // An edited plugin of a component, or of another version of it: servers have the component's.
  void ask_about_stock(ScannedPlugin& plugin, const pawn::Answers& answers) const {
    std::string binary = foreign_binary(plugin.version, directory_.owners);
    if (binary.empty()) return;
    plugin.notes.push_back(std::move(binary));
    pawn::Question question{"stock",
                            "servers have plugins of these names from components, and keep those; "
                            "are the sources to be "
                            "skipped, or to be plugins of the directory?",
                            kSkip,
                            {kSkip, "plugin"}};
    question.is_shared = true;
    if (pawn::ask(std::move(question), answers, plugin.asked) != kSkip) return;
    plugin.is_skipped = plugin.is_skipped || plugin.asked.back().answer.has_value();
  }

  // The answer is about what was found: something else asks anew.
  void ask_about_secrets(ScannedPlugin& plugin, const pawn::Answers& answers) const {
    constexpr std::size_t kMostNamed = 3;
    const std::vector<std::string> found = secrets_of(plugin.version, texts_);
    if (found.empty()) return;
    for (const std::string& each : found) plugin.notes.push_back("may be private: " + each);
    const std::string answer = pawn::ask(
        {"private " + base::sha256_hex(base::join(found, "\n")).substr(0, 8),
         "everybody could read what may be private: " + base::join_some(found, kMostNamed, "; ") +
             "; publish the files as they are, or skip the plugin?",
         kSkip,
         {"publish", kSkip}},
        answers, plugin.asked);
    if (plugin.asked.back().answer && answer == kSkip) plugin.is_skipped = true;
  }

  // What the facts of the source leave open, what it does not say, and what has no legal form.
  static std::vector<pawn::Question> doubts_about(ScannedPlugin& plugin) {
    pawn::SourceFacts& facts = plugin.facts;
    std::vector<pawn::Question> doubts = facts.doubts;
    const auto is_asked = [&](std::string_view topic) {
      return std::any_of(doubts.begin(), doubts.end(),
                         [&](const pawn::Question& doubt) { return doubt.topic == topic; });
    };
    if (is_of_template(facts.author)) facts.author.clear();
    if (!is_asked("name") && is_of_template(facts.name)) {
      facts.name.clear();
      plugin.notes.emplace_back("the source does not say its name; it is named after its file");
    }
    if (is_asked("version") || facts.version == "0" || facts.has_platform_version) return doubts;
    if (is_placeholder(facts.version)) facts.version.clear();
    if (facts.version.empty()) {
      doubts.push_back({"version", "the sources do not say their version; what is it?", "0", {}});
      doubts.back().is_shared = true;
    } else if (pawn::legal_version(facts.version) == "0") {
      doubts.push_back({"version",
                        "nothing of the version \"" + facts.version + "\" is legal; what is it?",
                        "0",
                        {}});
    }
    return doubts;
  }

  static void answer_doubts(ScannedPlugin& plugin, const pawn::Answers& answers) {
    pawn::SourceFacts& facts = plugin.facts;
    for (pawn::Question& doubt : doubts_about(plugin)) {
      std::string& fact = doubt.topic == "name"      ? facts.name
                          : doubt.topic == "version" ? facts.version
                                                     : facts.author;
      fact = pawn::ask(std::move(doubt), answers, plugin.asked);
    }
  }

  // The source's own counts before that of the folders above, which is the plugin's if it lies
  // beside no other source, or if its holder is the author.
  void license(ScannedPlugin& plugin, const pawn::SourceFile& source) {
    if (!plugin.facts.license.empty()) return;
    const pawn::SourceFile* const file = neighbours_.license(source);
    if (!file) return;
    const pawn::TextReader::License& license = license_at(*file);
    if (license.id.empty()) {
      plugin.notes.push_back("the license at " + file->path + " is none that is recognised");
    } else if (neighbours_.is_own(pawn::folder_of(file->path)) ||
               covers(license.holder, plugin.facts.author)) {
      take_license(plugin, *file);
    } else {
      foreign_licenses_.emplace(plugin.path, file);
    }
  }

  // Without an id if it can't be read.
  const pawn::TextReader::License& license_at(const pawn::SourceFile& file) {
    const auto [place, is_new] = licenses_.try_emplace(&file);
    if (!is_new) return place->second;
    try {
      place->second = texts_.license_of_text(file.read());
    } catch (const base::FileError&) {  // stays without
    } catch (const host::Unreadable&) {
    }
    return place->second;
  }

  void take_license(ScannedPlugin& plugin, const pawn::SourceFile& file) {
    plugin.facts.license = license_at(file).id;
    plugin.notes.push_back("the license is that at " + file.path);
  }

  // Whoever wrote the LICENSE of a collection need not have written its sources: one question for
  // each, about all authors below it, unless it names nobody and they are one.
  void ask_about_licenses() {
    std::map<const pawn::SourceFile*, std::vector<ScannedPlugin*>> plugins;
    for (ScannedPlugin& plugin : plugins_) {
      const auto license = foreign_licenses_.find(plugin.path);
      if (license != foreign_licenses_.end()) plugins[license->second].push_back(&plugin);
    }
    for (const auto& [file, group] : plugins) {
      const std::string& author = group.front()->facts.author;
      const bool is_of_one =
          !author.empty() && license_at(*file).holder.empty() &&
          std::all_of(group.begin(), group.end(),
                      [&](const ScannedPlugin* plugin) { return plugin->facts.author == author; });
      if (is_of_one) {
        for (ScannedPlugin* plugin : group) take_license(*plugin, *file);
        continue;
      }
      const pawn::Question question = question_about(*file, group);
      for (ScannedPlugin* plugin : group) {
        pawn::ask(question, record_.answers(plugin->slug.str()), plugin->asked);
        const std::optional<std::string>& names = plugin->asked.back().answer;
        // Nobody gets a license only because it is proposed.
        if (names && (*names == kAll || covers(*names, plugin->facts.author))) {
          take_license(*plugin, *file);
        } else {
          plugin->notes.push_back("the license at " + file->path + " is not of its author");
        }
      }
    }
  }

  pawn::Question question_about(const pawn::SourceFile& file,
                                const std::vector<ScannedPlugin*>& group) {
    constexpr std::size_t kMostNamed = 8;
    std::map<std::string, std::size_t> counts;
    for (const ScannedPlugin* plugin : group) ++counts[plugin->facts.author];
    std::vector<std::pair<std::string, std::size_t>> authors(counts.begin(), counts.end());
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
    pawn::Question question{
        "license " + file.path,
        fmt::format("the {} at {} is of {}, the sources below it are of {}; of which authors does "
                    "it cover the sources: all, none, or names with semicolons between them?",
                    license.id, file.path, license.holder.empty() ? "nobody" : license.holder,
                    base::join(named, ", ")),
        !first.empty() && most * 2 >= group.size() ? first : "none",
        {}};
    question.is_shared = true;
    return question;
  }

  // Whether all authors are among the names.
  static bool covers(std::string_view names, std::string_view author) {
    const std::vector<std::string> granted = people_in(names);
    const std::vector<std::string> authors = people_in(author);
    return !authors.empty() &&
           std::all_of(authors.begin(), authors.end(), [&](const std::string& one) {
             return std::find(granted.begin(), granted.end(), one) != granted.end();
           });
  }

  // In lower case.
  static std::vector<std::string> people_in(std::string_view names) {
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

  // What a README says counts before what the source does.
  void describe(ScannedPlugin& plugin, const pawn::SourceFile& source) const try {
    plugin.prose = plugin.facts.prose;
    const pawn::SourceFile* const readme = neighbours_.readme(source);
    if (!readme) return;
    pawn::Prose prose = texts_.prose_of_readme(readme->path, readme->read());
    if (!prose.summary.empty()) plugin.prose = std::move(prose);
  } catch (const base::FileError& failure) {
    plugin.notes.emplace_back(failure.what());
  } catch (const host::Unreadable& failure) {
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
    const std::string name = in_latin_letters(plugin.name());
    const std::string file = in_latin_letters(plugin.stem());
    const std::string folder = in_latin_letters(pawn::name_in(pawn::folder_of(plugin.path)));
    const std::string author = in_latin_letters(plugin.facts.author);
    for (;;) {
      domain::Slug slug = pawn::new_slug({name, file, folder, author}, taken_);
      const auto stored = directory_.names.find(slug.str());
      if (stored == directory_.names.end() ||
          (base::fold_case(stored->second.name) == base::fold_case(plugin.name()) &&
           base::fold_case(stored->second.author) == base::fold_case(plugin.facts.author))) {
        return slug;
      }
    }
  }

  const pawn::SourceTree& tree_;
  const pawn::TextReader& texts_;
  const pawn::Neighbours neighbours_;
  const ScanRecord& record_;
  const Directory& directory_;
  std::set<std::string> taken_;
  const pawn::IsInstalled is_installed_;
  std::map<std::string, Files> copies_;  // by digest
  std::set<std::string> sources_;        // their paths
  std::map<const pawn::SourceFile*, pawn::TextReader::License> licenses_;
  std::map<std::string, const pawn::SourceFile*> foreign_licenses_;  // by the source's path
  ScannedPlugins plugins_;
};

}  // namespace

std::string digest_of(std::string_view source) {
  std::string plain;
  for (const std::string_view line : base::split(source, '\n')) {
    const std::size_t end = line.find_last_not_of(" \t\r");
    plain.append(line.substr(0, end == line.npos ? 0 : end + 1)) += '\n';
  }
  while (plain.ends_with("\n\n")) plain.pop_back();
  return base::sha256_hex(plain);
}

bool ScanLine::has(const std::string& include) const {
  return includes->in_any_case(include).has_value() ||
         (components.offers && components.offers->in_any_case(include).has_value());
}

ScannedPlugins read_sources(const pawn::SourceTree& tree, const pawn::TextReader& texts,
                            const std::vector<ScanLine>& lines, const ScanRecord& record,
                            const Directory& directory, ProgressLine& progress) {
  return Reader(tree, texts, lines, record, directory).run(progress);
}

namespace {

namespace fs = std::filesystem;

// What was taken from archives, deflated, in a file without a name: whatever an archive makes of a
// few bytes takes little room, and nothing of it stays, whatever happens.
class Taken {
 public:
  explicit Taken(fs::path folder)
      : folder_(std::move(folder)), file_(base::unnamed_file(folder_)) {}

  const fs::path& folder() const { return folder_; }

  struct Part {
    std::uint64_t offset;
    std::size_t packed;
    std::size_t size;
  };

  Part add(const std::string& content) {
    std::string packed;
    const auto append = [&](std::string_view piece) { packed += piece; };
    deflater_.write(content, append);
    deflater_.finish(append);
    archive::write_at({file_.get(), end_, folder_}, packed);
    const Part part{end_, packed.size(), content.size()};
    end_ += packed.size();
    return part;
  }

  std::string read(const Part& part) const {
    std::string packed(part.packed, '\0');
    packed.resize(archive::read_at({file_.get(), part.offset, folder_}, packed));
    std::string content(part.size, '\0');
    std::size_t produced = 0;
    archive::Inflater inflater;
    for (std::string_view input = packed; produced < content.size();) {
      const auto step = inflater.step(input, std::span(content).subspan(produced));
      if (step.consumed == 0 && step.produced == 0) {
        throw base::FileError(folder_, {"a temporary file in it is damaged", EIO});
      }
      input.remove_prefix(step.consumed);
      produced += step.produced;
    }
    return content;
  }

 private:
  fs::path folder_;
  base::UniqueFd file_;
  std::uint64_t end_ = 0;
  archive::Deflater deflater_{1};
};

class Unpacking : public std::enable_shared_from_this<Unpacking> {
 public:
  Unpacking(const base::MirrorConfig& limits, const fs::path& folder, FreeSpace free_space,
            ProgressLine& progress)
      : limits_(limits),
        left_(limits.unpacked_bytes),
        free_space_(std::move(free_space)),
        progress_(progress),
        taken_(std::make_shared<Taken>(folder)) {}

  std::vector<pawn::SourceFile> unpack(const base::UniqueFd& archive, const fs::path& path) {
    return unpack(archive, path, std::make_shared<std::uint64_t>(most_of(archive, path)));
  }

 private:
  // What an archive, and those in it, may still unpack to, by the size of the outermost.
  using Budget = std::shared_ptr<std::uint64_t>;

  // The ratio counts for all archives in an archive together, and not for small ones.
  std::uint64_t most_of(const base::UniqueFd& archive, const fs::path& path) const {
    constexpr std::uint64_t kSmall = 64U << 20;
    struct stat status{};
    if (::fstat(archive.get(), &status) != 0) {
      throw base::FileError(path, "can't be examined", errno);
    }
    return std::max(kSmall, static_cast<std::uint64_t>(status.st_size) * limits_.ratio);
  }

  std::vector<pawn::SourceFile> unpack(const base::UniqueFd& archive, const fs::path& path,
                                       const Budget& budget) {
    progress_.show("unpacking " + path.filename().string());
    const std::uint64_t room = this->room();
    base::MirrorConfig limits = limits_;
    limits.unpacked_bytes = std::min({left_, room, *budget});
    if (limits.unpacked_bytes == 0) refuse(room, *budget);
    const base::TempDir folder(taken_->folder());
    const fs::path zip = folder.path() / "all.zip";
    try {
      mirror::normalise({{archive, path}}, {}, limits, zip, mirror::Names::any);
    } catch (const mirror::RefusedArchive& refusal) {
      if (is_too_much(refusal)) refuse(room, *budget);
      throw Failure("is refused: " + reason_of(refusal.what(), path));
    } catch (const mirror::UnpackError& failure) {
      if (is_too_much(failure)) refuse(room, *budget);
      throw;
    }
    return take(std::make_shared<const archive::ZipReader>(zip), path, budget);
  }

  // The reason alone, where it begins with the archive's path.
  static std::string reason_of(std::string_view what, const fs::path& archive) {
    const std::string path = archive.string() + ": ";
    return std::string(what.starts_with(path) ? what.substr(path.size()) : what);
  }

  static bool is_too_much(const std::exception& failure) {
    return std::string_view(failure.what()).ends_with("mirror.unpacked_mb allows");
  }

  // What an archive may unpack to so that the disk is not full: for a moment there are two copies,
  // and others write there, too.
  std::uint64_t room() const {
    constexpr std::uint64_t kForOthers = 64U << 20;
    const std::uint64_t free = free_space_(taken_->folder());
    return free > kForOthers ? (free - kForOthers) / 2 : 0;
  }

  [[noreturn]] void refuse(std::uint64_t room, std::uint64_t budget) const {
    if (budget < std::min(left_, room)) {
      throw Failure(fmt::format(
          "is refused: with it an archive, and those in it, unpack to more than {} times "
          "its packed size, which mirror.ratio forbids",
          limits_.ratio));
    }
    if (room < left_) {
      throw Failure("is refused: there is too little room to unpack it, " +
                    base::readable_size(free_space_(taken_->folder())) + " in " +
                    taken_->folder().string() +
                    "; name a folder on a larger disk in TMPDIR, or scan a part of the archives");
    }
    throw Failure(
        fmt::format("is refused: with it the archives of the scan unpack to more than the {} MiB "
                    "that mirror.unpacked_mb allows for all of them together; give "
                    "--mirror.unpacked_mb=N, or scan a part of them",
                    limits_.unpacked_bytes >> 20));
  }

  // The paths of a ZIP that was made from an archive are safe.
  std::vector<pawn::SourceFile> take(const std::shared_ptr<const archive::ZipReader>& reader,
                                     const fs::path& path, const Budget& budget) {
    std::vector<pawn::SourceFile> files;
    for (const archive::ZipEntry& entry : reader->entries()) {
      left_ -= std::min(left_, entry.size);
      *budget -= std::min(*budget, entry.size);
      pawn::SourceFile file{{}, entry.path, entry.size, {}};
      if (pawn::is_archive(base::to_lower_ascii(entry.path))) {
        file.unpack = [self = shared_from_this(), reader, &entry, at = path / entry.path, budget] {
          return self->unpack(self->copy_of(*reader, entry), at, budget);
        };
      } else if (entry.size <= pawn::kLargestSource) {
        const Taken::Part part = taken_->add(reader->read(entry, pawn::kLargestSource));
        file.read = [taken = taken_, part] { return taken->read(part); };
      }
      files.push_back(std::move(file));
    }
    return files;
  }

  // In a file without a name.
  base::UniqueFd copy_of(const archive::ZipReader& reader, const archive::ZipEntry& entry) const {
    base::UniqueFd copy = base::unnamed_file(taken_->folder());
    reader.read(entry, [&](std::string_view piece) {
      base::write_all(copy.get(), piece, taken_->folder());
    });
    if (::lseek(copy.get(), 0, SEEK_SET) != 0) {
      throw base::FileError(taken_->folder(), "can't be read again", errno);
    }
    return copy;
  }

  const base::MirrorConfig limits_;
  std::uint64_t left_;  // of mirror.unpacked_mb
  const FreeSpace free_space_;
  ProgressLine& progress_;
  const std::shared_ptr<Taken> taken_;
};

}  // namespace

pawn::SourceTree::Unpack unpack_archives(const base::MirrorConfig& limits, ProgressLine& progress,
                                         FreeSpace free_space) {
  const auto unpacking = std::make_shared<Unpacking>(limits, fs::temp_directory_path(),
                                                     std::move(free_space), progress);
  return [unpacking](const base::UniqueFd& archive, const fs::path& path) {
    return unpacking->unpack(archive, path);
  };
}

}  // namespace goldsmith::cli
