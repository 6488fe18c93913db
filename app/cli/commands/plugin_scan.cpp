#include "app/cli/commands/plugin_scan.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/cli/plugin_tools.hpp"
#include "app/compile/content.hpp"
#include "app/creator/catalog.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::cli {

class Stored {
 public:
  explicit Stored(Context& context)
      : stock_(context.config(), context.database(), db::Drafts::found),
        verdicts_(context.database()) {}

  Directory directory() {
    Directory directory;
    directory.owners = *stock_.catalog.file_owners(0);
    for (const db::PluginOverview& each : stock_.plugins.list_all()) {
      directory.names.emplace(each.slug.str(), Directory::Name{each.name, each.author});
    }
    if (!components_) components_ = sources_of_components();
    directory.stock = *components_;
    directory.has_file = [this](const domain::Slug& slug, const std::string& sha1) {
      const auto plugin = stock_.plugins.find_any(slug);
      if (!plugin) return false;
      const auto has = [&](const domain::PluginVersion& version) {
        return std::any_of(version.files.begin(), version.files.end(),
                           [&](const domain::PluginFile& file) { return file.sha1 == sha1; });
      };
      return std::any_of(plugin->versions.begin(), plugin->versions.end(), has);
    };
    return directory;
  }

  std::optional<std::vector<std::string>> natives(const std::string& line) {
    return stock_.catalog.platform_natives(line, 0);
  }

  // Of a draft, or of what was edited in the folder, the verdict waits for who has that content.
  void keep_verdicts(const domain::Slug& slug, domain::PluginVersion version,
                     const std::vector<domain::CompileVerdict>& made, domain::Timestamp now) {
    std::sort(version.files.begin(), version.files.end(), [](const auto& one, const auto& other) {
      return std::tie(one.filename, one.install_dir) < std::tie(other.filename, other.install_dir);
    });
    const std::string digest = compile::content_digest(version);
    const auto stored = stock_.plugins.find_head(slug, version.version);
    const bool is_it = stored && stored->version.content_digest == digest;
    verdicts_.record(is_it ? stored->version.id : 0, digest, made, now);
  }

  // For several threads, as what follows.
  std::optional<domain::CompileVerdict> verdict(const std::string& content_digest,
                                                const ScanLine& line) {
    const std::lock_guard lock(mutex_);
    auto verdict = verdicts_.find(content_digest, line.fingerprint);
    if (verdict) return verdict;
    // What depends on components is kept with the version alone.
    const compile::VerdictBasis basis({{line.toolchain.line, line.fingerprint}},
                                      [&](const std::string&) { return line.components.offers; });
    const auto kept = verdicts_.of_content(content_digest);
    const domain::CompileVerdict* found = basis.find(kept, line.toolchain.line);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  compile::ComponentIncludes includes(const std::string& line) {
    compile::ComponentIncludes includes = stock_.includes.newest(line, 0);
    includes.read = [this,
                     read = std::move(includes.read)](const compile::OfferedInclude& include) {
      const std::lock_guard lock(mutex_);
      return read(include);
    };
    return includes;
  }

 private:
  // By digest_of(). What this host's depot lacks is not known.
  std::map<std::string, std::string> sources_of_components() {
    std::map<std::string, std::string> sources;
    const domain::Catalog catalog = stock_.components.load_catalog();
    for (const domain::Component& component : catalog.components()) {
      for (const domain::ComponentVersion& version : component.versions) {
        const auto file = stock_.depot.find(component.slug, version.version, version.digest);
        if (!file) continue;
        const archive::ZipReader reader(*file);
        for (const archive::ZipEntry& entry : reader.entries()) {
          if (!entry.path.ends_with(".sma") || entry.size > pawn::kLargestSource) continue;
          sources.emplace(digest_of(reader.read(entry)),
                          component.title() + ' ' + version.version.str());
        }
      }
    }
    return sources;
  }

  creator::Stock stock_;
  db::VerdictStore verdicts_;
  std::optional<std::map<std::string, std::string>> components_;
  std::mutex mutex_;
};

namespace {

constexpr std::int64_t kMaxScanJobs = 64;

// Null, and it is said, if there is no database: scans work without.
std::unique_ptr<Stored> open_stored(Context& context, bool is_needed) try {
  context.database();
  return std::make_unique<Stored>(context);
} catch (const std::exception& failure) {
  if (is_needed) throw;
  context.report(
      "scanned without the directory, and without the includes and files of components: " +
      std::string(failure.what()));
  return nullptr;
}

std::vector<ScanLine> scan_lines(const compile::Toolchains& toolchains, Stored* stored) {
  std::vector<ScanLine> lines;
  for (const compile::Toolchain& toolchain : toolchains.installed()) {
    lines.push_back({toolchain, toolchains.fingerprint(toolchain),
                     &toolchains.include_index(toolchain),
                     stored ? stored->includes(toolchain.line) : compile::ComponentIncludes(),
                     stored ? stored->natives(toolchain.line) : std::nullopt});
  }
  if (lines.empty()) {
    throw Failure("no toolchain is installed; goldsmith-install-toolchain installs one");
  }
  return lines;
}

std::string remark_on(const ScannedPlugin& plugin) {
  if (!plugin.refused.empty()) return plugin.path + " " + plugin.refused;
  if (!plugin.stock.empty()) return plugin.path + " is a file of " + plugin.stock;
  if (!plugin.facts.is_plugin) {
    return plugin.path + (plugin.facts.notes.empty() ? " has no function that AMX Mod X calls"
                                                     : ": " + plugin.facts.notes.front());
  }
  if (plugin.toolchain.empty()) return plugin.why;
  if (!plugin.part_of.empty()) return "is a version of " + plugin.part_of;
  if (const auto open = plugin.open_questions(); !open.empty()) return open.front()->text;
  return plugin.notes.empty() ? "" : plugin.notes.front();
}

Listing<ScannedPlugin> listing(const std::vector<ScanLine>& lines) {
  using Row = ScannedPlugin;
  std::vector<Column<Row>> columns{
      {"STATE", "state", &Row::state},
      {"SLUG", "slug", &Row::slug, "-"},
      {"NAME", "name", &Row::name, "-"},
      {"VERSION", "version", [](const Row& row) { return row.version.version; }, "-"},
      {"AUTHOR", "author", [](const Row& row) { return row.facts.author; }, "-"}};
  for (Column<Row>& column : topic_columns()) columns.push_back(std::move(column));
  for (const ScanLine& each : lines) {
    const std::string& line = each.toolchain.line;
    const auto result = [line](const Row& row) {
      const auto found = row.results.find(line);
      return found == row.results.end() ? std::string() : found->second;
    };
    columns.push_back({.header = line, .value = result, .absent = "-"});
  }
  const auto results = [](const Row& row) {
    json::Object object;
    for (const auto& [line, result] : row.results) object.emplace(line, result);
    return json::Value(std::move(object));
  };
  columns.push_back({.header = "REMARK", .value = remark_on});
  columns.push_back({.field = "compiles_with", .value = results});
  columns.push_back(
      {.field = "encoding", .value = [](const Row& row) { return row.facts.encoding; }});
  columns.push_back(
      {.field = "includes", .value = [](const Row& row) { return row.facts.includes; }});
  columns.push_back(
      {.field = "license", .value = [](const Row& row) { return row.facts.license; }});
  columns.push_back({.field = "notes", .value = &Row::notes});
  columns.push_back({.field = "questions", .value = [](const Row& row) {
                       json::Array texts;
                       for (const auto* question : row.open_questions()) {
                         texts.emplace_back(question->text);
                       }
                       return json::Value(std::move(texts));
                     }});
  columns.push_back({.field = "source", .value = &Row::path});
  columns.push_back(
      {.field = "summary", .value = [](const Row& row) { return row.prose.summary; }});
  columns.push_back({.field = "toolchain", .value = &Row::toolchain});
  columns.push_back(
      {.field = "why", .value = [](const Row& row) { return row.refused + row.why; }});
  return columns;
}

void print_totals(const ScannedPlugins& plugins, std::ostream& out) {
  std::map<std::string, std::size_t> totals;
  for (const ScannedPlugin& plugin : plugins) ++totals[plugin.state()];
  out << '\n' << totals["ready"] << " ready, " << totals["questions"] << " with questions, ";
  if (totals["version"] > 0) out << totals["version"] << " versions of others, ";
  if (totals["skipped"] > 0) out << totals["skipped"] << " skipped, ";
  if (totals["stock"] > 0) out << totals["stock"] << " of components, ";
  out << totals["fails"] << " not compiling, " << totals["no plugin"] << " no plugins, "
      << totals["refused"] << " refused\n";
  const std::string categories = categories_of(plugins);
  if (!categories.empty()) out << "Categories: " << categories << '\n';
}

void add_paths(pawn::SourceTree& tree, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    try {
      tree.add(path);
    } catch (const std::filesystem::filesystem_error& failure) {
      throw Failure(path + ": " + failure.code().message());
    }
  }
}

void print_scanned(const ScannedPlugins& plugins, const std::vector<ScanLine>& lines,
                   const Arguments& arguments, Context& context) {
  const Listing<ScannedPlugin> table = listing(lines);
  table.print(plugins, arguments, context, [&] {
    table.table(plugins).print(context.out());
    print_totals(plugins, context.out());
    const std::string open = open_topics(plugins);
    if (!open.empty()) {
      context.out() << "questions: " << open << "; --answer TOPIC=ANSWER answers all of a topic\n";
    }
  });
}

// What is ready, and the pack if there is one.
void import_ready(const base::HeldFolder& folder, const ScannedPlugins& plugins, bool has_pack,
                  ScanRecord& record, Scanner& scanner, Context& context) {
  std::vector<std::string> paths;
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.state() == "ready") paths.push_back((folder.path() / plugin.slug.view()).string());
  }
  if (paths.empty()) return;
  // What may be private was asked about, plugin by plugin.
  commands::plugin::import_plugins(paths, commands::plugin::Secrets::accepted, context);
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.state() != "ready") continue;
    record.plugins()[plugin.slug.str()].is_imported = true;
    for (const ScannedPlugin* each : versions_of(plugin)) {
      scanner.keep_verdicts(plugin.slug, each->version, each->verdicts);
    }
  }
  if (has_pack) commands::addon::import_packs({(folder.path() / "addon.json").string()}, context);
  context.announce_change();
}

void write_scanned(const base::HeldFolder& folder, const ScannedPlugins& plugins,
                   const Arguments& arguments, ScanRecord& record, Scanner& scanner,
                   Context& context) {
  const ManifestOptions options{arguments.has("category") ? arguments.slug("category").str() : "",
                                arguments.has("publish")};
  const std::optional<domain::Slug> pack = arguments.optional_slug("pack");
  std::vector<std::string> remarks = write_manifests(folder, plugins, options, record);
  if (pack) {
    std::string remark = write_pack(folder, plugins, *pack, options.is_published, record);
    if (!remark.empty()) remarks.push_back(std::move(remark));
  }
  for (std::string& remark : record.write(folder, plugins)) remarks.push_back(std::move(remark));
  for (const std::string& remark : remarks) context.report(remark);
  if (!arguments.has("import")) return;
  import_ready(folder, plugins, pack.has_value(), record, scanner, context);
  record.write(folder, plugins);
}

void run_scan(const Arguments& arguments, Context& context) {
  const auto jobs = static_cast<std::size_t>(arguments.integer("jobs", 1, kMaxScanJobs, 2));
  const std::filesystem::path folder = arguments.text("write");
  for (const char* option : {"pack", "publish", "import"}) {
    if (arguments.has(option) && folder.empty()) {
      throw UsageError("--" + std::string(option) + " needs --write");
    }
  }
  if (arguments.has("import") && arguments.has("json")) {
    throw UsageError("--import prints what it changed; leave out --json");
  }
  const std::optional<pawn::TopicTable> topics = topic_table(arguments, context);
  const auto answers = answers_for_all(arguments.list("answer"));
  const base::InterruptionGuard guard;
  Scanner scanner(context, arguments.has("import"));
  // One that is there is held from here on: what the record says of it is true of what is written.
  std::optional<base::HeldFolder> target;
  if (std::filesystem::exists(folder)) target.emplace(folder);
  ScanRecord record = target ? ScanRecord(*target) : ScanRecord();
  for (const auto& [topic, answer] : answers) record.answer_all(topic, answer);
  const auto add = [&](pawn::SourceTree& tree) { add_paths(tree, arguments.list("PATH")); };
  const ScannedPlugins plugins =
      scanner.scan({add, folder, topics ? &*topics : nullptr, jobs}, record);
  print_scanned(plugins, scanner.lines(), arguments, context);
  if (folder.empty()) return;
  if (!target) target = base::HeldFolder::make(folder);
  write_scanned(*target, plugins, arguments, record, scanner, context);
}

}  // namespace

Scanner::Scanner(Context& context, bool needs_directory)
    : context_(context),
      toolchains_(context.config().toolchains, context.config().includes),
      stored_(open_stored(context, needs_directory)),
      lines_(scan_lines(toolchains_, stored_.get())) {}

Scanner::~Scanner() = default;

ScannedPlugins Scanner::scan(const Request& request, const ScanRecord& record) {
  const base::Config& config = context_.config();
  const Directory directory = stored_ ? stored_->directory() : Directory();
  ProgressLine progress(context_.err(), context_.shows_progress());
  pawn::SourceTree tree(unpack_archives(config.mirror, progress), request.leave_out,
                        request.bounds);
  request.add(tree);
  ScannedPlugins plugins =
      read_sources(tree, text_reader(), lines_, record, directory, progress, request.reads_until);
  KnownVerdict known;
  if (stored_) {
    known = [this](const std::string& digest, const ScanLine& line) {
      return stored_->verdict(digest, line);
    };
  }
  compile_sources(plugins, tree, toolchains_, lines_, config.compile, known, request, progress);
  ask_about_names(plugins, record, directory);
  if (request.topics) derive_topics(plugins, *request.topics);
  return plugins;
}

void Scanner::keep_verdicts(const domain::Slug& slug, const domain::PluginVersion& version,
                            const std::vector<domain::CompileVerdict>& verdicts) {
  stored_->keep_verdicts(slug, version, verdicts, context_.clock().seconds());
}

// The catalog of an operator may be of an older version, without one.
std::optional<pawn::TopicTable> topic_table(const Arguments& arguments, Context& context) {
  if (arguments.has("topics")) return pawn::TopicTable(arguments.text("topics"));
  const std::filesystem::path file = context.config().catalog / "topics.json";
  if (std::filesystem::exists(file)) return pawn::TopicTable(file);
  context.report("scanned without deriving categories and tags: there is no " + file.string());
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> answers_for_all(
    const std::vector<std::string>& given) {
  constexpr std::array<std::string_view, 9> kTopics{"directory", "file",  "include",
                                                    "license",   "name",  "private",
                                                    "same name", "stock", "version"};
  std::vector<std::pair<std::string, std::string>> answers;
  for (const std::string& each : given) {
    const std::size_t equals = each.find('=');
    const std::string topic = each.substr(0, equals);
    if (equals == each.npos || equals + 1 == each.size()) {
      throw UsageError("--answer: \"" + each + "\" is not TOPIC=ANSWER");
    }
    const std::string_view first = std::string_view(topic).substr(0, topic.find(' '));
    if (std::find(kTopics.begin(), kTopics.end(), topic) == kTopics.end() &&
        std::find(kTopics.begin(), kTopics.end(), first) == kTopics.end()) {
      throw UsageError("--answer: \"" + topic + "\" is no topic: " + base::join(kTopics, ", "));
    }
    answers.emplace_back(topic, each.substr(equals + 1));
  }
  return answers;
}

std::string open_topics(const ScannedPlugins& plugins) {
  std::map<std::string, std::set<std::string>> open;
  for (const ScannedPlugin& plugin : plugins) {
    for (const pawn::Question* question : plugin.open_questions()) {
      const std::string& topic = question->topic;
      const bool is_of_two_words = topic == "same name";
      const std::string group = is_of_two_words ? topic : topic.substr(0, topic.find(' '));
      open[group].insert(question->is_shared ? topic + question->proposed : plugin.path + topic);
    }
  }
  return base::join(open, ", ", [](const auto& each) {
    return fmt::format("{} ({})", each.first, each.second.size());
  });
}

std::string ScannedPlugin::name() const { return facts.name.empty() ? stem() : facts.name; }

std::string ScannedPlugin::state() const {
  if (!refused.empty()) return "refused";
  if (!stock.empty()) return "stock";
  if (is_late) return "late";
  if (!facts.is_plugin) return "no plugin";
  if (toolchain.empty()) return "fails";
  if (!part_of.empty()) return "version";
  if (is_skipped) return "skipped";
  return open_questions().empty() ? "ready" : "questions";
}

bool ScannedPlugin::asks(const pawn::Question& question) const {
  return !toolchain.empty() || question.topic.starts_with("include ");
}

std::vector<const pawn::Question*> ScannedPlugin::open_questions() const {
  std::vector<const pawn::Question*> open;
  for (const pawn::AskedQuestion& each : asked) {
    if (!each.answer && asks(each.question)) open.push_back(&each.question);
  }
  return open;
}

Verb plugin_scan_verb() {
  return {
      .name = "scan",
      .summary = "Makes manifests of plugins that have none.",
      .text =
          "Reads the sources (.sma) of folders, of all folders below them and of archives in them "
          "(zip, rar, 7z and tar, also as gz, xz, bz2 or zst, up to three in one another), "
          "compiles each with every installed toolchain, in the sandbox, and prints what it found: "
          "ready, with questions, or not compiling and why. The name, version, author, cvars and "
          "commands are those that a source registers, also through #define, constants, format "
          "strings and functions of its own; a source that registers no name, and all but one of "
          "different sources that register the same, are named after their files. The summary and "
          "the description come from a README of the plugin alone, or from the comment before the "
          "source, and stay empty if that is not certainly prose. The license is the one that the "
          "comment grants, or the nearest LICENSE above, of whose holder the plugin is. Includes "
          "that neither every toolchain nor a mirrored component has are taken from the scanned "
          "folders, the nearest first; so are configuration, dictionaries, sounds, models and "
          "sprites. The same source twice is one plugin; one that a component ships is none. "
          "Sources and archives are read in the sandbox; an archive that is unsafe is refused as a "
          "whole, and so is a source that takes too long or ends what reads it. All archives of a "
          "scan together, and those in them, may unpack to mirror.unpacked_mb, and to what the "
          "folder for temporary files (TMPDIR) has room for; one with which that is exceeded is "
          "refused. So is one that can't be read, such as an encrypted RAR archive, or one of "
          "several files: unpack it, and scan the folder. Links are refused. A scan works without "
          "the database, but knows neither the directory nor the "
          "includes and files of components then.\n\n"
          "The category and the tags follow from the name, the summary, includes, functions of "
          "others, commands, cvars and files, by the points of a table that you may change: "
          "topics.json of the catalog, or a copy of it that --topics names. The report counts the "
          "categories; --json tells what each tag was derived from.\n\n"
          "What would replace a file of a component or of a server's owner, such as AMX Mod X's "
          "users.ini, is left out, with a note.\n\n"
          "With --write, what compiles gets a folder with its plugin.json and files, which "
          "\"plugin import\" reads. What is not certain is in questions.json there: \"answer\" "
          "is true if what is proposed is right, or the right text. --answer answers all that are "
          "open of a topic, its first word or the whole of it. The next scan follows the "
          "answers, keeps the slugs, and writes anew what has changed. It leaves a folder in which "
          "something was edited as it is: what it would write is in the folder's proposed/.",
      .positionals = {{.name = "PATH", .repeated = true}},
      .options = {{.name = "write",
                   .value_name = "FOLDER",
                   .help = "Writes the manifests and files to this folder."},
                  {.name = "import", .help = "Imports what is ready, as \"plugin import\" does."},
                  {.name = "publish",
                   .help = "Makes the plugins, and the pack, published in place of drafts."},
                  {.name = "category",
                   .value_name = "SLUG",
                   .help = "The category of all plugins, in place of those that are derived."},
                  {.name = "topics",
                   .value_name = "FILE",
                   .help =
                       "The table that tells categories and tags (topics.json of the catalog by "
                       "default)."},
                  {.name = "pack",
                   .value_name = "SLUG",
                   .help = "Writes addon.json, too: a pack of the plugins that are ready."},
                  {.name = "answer",
                   .value_name = "TOPIC=ANSWER",
                   .help = "Answers all open questions of a topic: \"true\" if what is proposed is "
                           "right, or the right text.",
                   .repeated = true},
                  {.name = "jobs",
                   .value_name = "N",
                   .help = "How many compiles run at once (2 by default)."},
                  json_option()},
      .examples = {"goldsmith plugin scan collection/",
                   "goldsmith plugin scan collection/ --write manifests/",
                   "goldsmith plugin scan collection/ --write manifests/ --answer private=skip",
                   "goldsmith plugin scan collection/ --write manifests/ --import --publish"},
      .run = run_scan,
      .withdraws = true,
  };
}

}  // namespace goldsmith::cli
