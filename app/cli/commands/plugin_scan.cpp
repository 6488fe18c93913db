#include "app/cli/commands/plugin_scan.hpp"

#include <algorithm>
#include <exception>
#include <ostream>
#include <set>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/listing.hpp"
#include "app/cli/parallel.hpp"
#include "app/cli/progress_line.hpp"
#include "app/compile/compiler.hpp"
#include "app/compile/diagnostics.hpp"
#include "app/compile/equipment.hpp"
#include "app/compile/job.hpp"
#include "app/domain/names.hpp"
#include "app/scan/layout.hpp"
#include "app/scan/naming.hpp"
#include "app/scan/readme.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/interruption.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::int64_t kMaxJobs = 64;

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

// Reads all sources of a heap. Not those of includes: they register nothing.
class Scan {
 public:
  Scan(const scan::Heap& heap, const compile::Toolchains& toolchains,
       std::map<std::string, std::string> slugs)
      : heap_(heap), readmes_(heap), toolchains_(toolchains), known_(std::move(slugs)) {
    for (const auto& [path, slug] : known_) taken_.insert(slug);
  }

  std::vector<ScannedPlugin> run(ProgressLine& progress) {
    std::vector<const scan::HeapFile*> sources;
    for (const scan::HeapFile& file : heap_.files()) {
      if (sys::to_lower_ascii(file.path).ends_with(".sma")) sources.push_back(&file);
    }
    std::sort(sources.begin(), sources.end(),
              [](const auto* a, const auto* b) { return a->path < b->path; });
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sys::check_interruption();
      read(*sources[i]);
      progress.show_count("sources read", i + 1, sources.size());
    }
    for (const scan::Refusal& refusal : heap_.refusals()) refuse(refusal.path, refusal.reason);
    ask_about_names();
    return std::move(plugins_);
  }

 private:
  void refuse(const std::string& path, const std::string& why) {
    ScannedPlugin plugin;
    plugin.path = path;
    plugin.refused = why;
    plugins_.push_back(std::move(plugin));
  }

  bool is_installed(const std::string& include) const {
    const auto installed = toolchains_.installed();
    return !installed.empty() &&
           std::all_of(installed.begin(), installed.end(), [&](const auto& toolchain) {
             return toolchains_.include_index(toolchain).in_any_case(include).has_value();
           });
  }

  void read(const scan::HeapFile& source) try {
    if (source.size > compile::kLargestSource) {
      return refuse(source.path, "has more than 1 MB");
    }
    scan::Collected collected = scan::collect(
        heap_, source, [&](const std::string& include) { return is_installed(include); });
    const std::string& content = collected.version.files.front().content;
    const auto [copy, is_new] = copies_.emplace(digest_of(content), plugins_.size());
    if (!is_new) {
      plugins_[copy->second].notes.push_back("the same source is at " + source.path);
      return;
    }
    const std::vector<std::string_view> includes(collected.own_includes.begin(),
                                                 collected.own_includes.end());
    ScannedPlugin plugin;
    plugin.path = source.path;
    plugin.facts = scan::read_facts(content, includes);
    if (plugin.facts.is_plugin) scan::add_named_files(heap_, source, plugin.facts, collected);
    plugin.version = std::move(collected.version);
    plugin.questions = std::move(collected.questions);
    plugin.notes = std::move(collected.notes);
    if (plugin.facts.is_plugin) {
      complete(plugin);
      describe(plugin, source);
    }
    plugins_.push_back(std::move(plugin));
  } catch (const std::exception& failure) {
    refuse(source.path, failure.what());
  }

  // Gives the plugin legal names, and says what is not certain.
  void complete(ScannedPlugin& plugin) {
    const scan::SourceFacts& facts = plugin.facts;
    for (const std::string& doubt : facts.doubts) plugin.questions.push_back(doubt);
    plugin.version.version = scan::legal_version(facts.version);
    if (facts.name.empty()) {
      plugin.questions.emplace_back("the source does not say its name; is the file's right?");
    }
    if (facts.version.empty()) {
      plugin.questions.emplace_back("the source does not say its version; \"0\" stands for it");
    } else if (facts.version != plugin.version.version.view()) {
      plugin.notes.push_back("the version \"" + facts.version + "\" is written as " +
                             plugin.version.version.str());
    }
    if (facts.author.empty()) plugin.notes.emplace_back("the source does not say its author");
    if (facts.encoding != "UTF-8") plugin.notes.push_back("the source is in " + facts.encoding);
    const auto known = known_.find(plugin.path);
    const auto slug = known == known_.end() ? std::nullopt : domain::Slug::parse(known->second);
    const std::string file = plugin.version.files.front().filename;
    plugin.slug = slug ? *slug : scan::new_slug(plugin.name(), file, facts.author, taken_);
  }

  // What a README says counts before what the source does.
  void describe(ScannedPlugin& plugin, const scan::HeapFile& source) const try {
    plugin.prose = plugin.facts.prose;
    const scan::HeapFile* const readme = readmes_.find(source);
    if (!readme) return;
    scan::Prose prose = scan::prose_of_readme(readme->path, sys::read_file(readme->on_disk));
    if (!prose.summary.empty()) plugin.prose = std::move(prose);
  } catch (const sys::FileError& failure) {
    plugin.notes.emplace_back(failure.what());
  }

  void ask_about_names() {
    std::map<std::string, std::vector<ScannedPlugin*>> by_name;
    for (ScannedPlugin& plugin : plugins_) {
      if (plugin.facts.is_plugin) by_name[sys::fold_case(plugin.name())].push_back(&plugin);
    }
    for (const auto& [name, plugins] : by_name) {
      for (std::size_t i = 1; i < plugins.size(); ++i) {
        plugins[i]->questions.push_back("another source has this name, " + plugins[0]->path +
                                        "; are they versions of one plugin?");
      }
    }
  }

  const scan::Heap& heap_;
  const scan::Readmes readmes_;
  const compile::Toolchains& toolchains_;
  const std::map<std::string, std::string> known_;  // slugs of sources by path
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> copies_;
  std::vector<ScannedPlugin> plugins_;
};

// Compiles each plugin with each toolchain, in several threads.
class Compiling {
 public:
  Compiling(const sys::Config& config, const compile::Toolchains& toolchains,
            const scan::Heap& heap)
      : compiler_(compile::command_compiler(config.compile)), heap_(heap) {
    for (const compile::Toolchain& toolchain : toolchains.installed()) {
      lines_.push_back(
          {toolchain, toolchains.fingerprint(toolchain), &toolchains.include_index(toolchain)});
    }
    if (lines_.empty()) {
      throw Failure("no toolchain is installed; goldsmith-install-toolchain installs one");
    }
  }

  void run(std::vector<ScannedPlugin>& plugins, std::size_t jobs, ProgressLine& progress) {
    in_threads(
        jobs, plugins.size(),
        [&](std::size_t, std::size_t i) {
          if (plugins[i].facts.is_plugin) compile_all(plugins[i]);
        },
        progress, "plugins compiled");
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> names;
    for (const Line& line : lines_) names.push_back(line.toolchain.line);
    return names;
  }

 private:
  struct Line {
    compile::Toolchain toolchain;
    std::string fingerprint;
    const compile::InstalledIncludes* includes;
  };

  void compile_all(ScannedPlugin& plugin) const {
    for (const Line& line : lines_) {
      const compile::Equipment equipment =
          compile::equip(line.toolchain, *line.includes, line.fingerprint, plugin.version, {});
      const compile::Compilation made =
          compiler_.compile(equipment.toolchain, plugin.version, compile::Priority::normal);
      std::string& result = plugin.results[line.toolchain.line];
      if (made.result == compile::Result::compiled) {
        result = "ok";
        plugin.toolchain = line.toolchain.line;  // the newest comes last
      } else {
        result = made.is_verdict() ? "failed" : "unknown";
        plugin.why = why(plugin, made);
      }
    }
  }

  std::string why(const ScannedPlugin& plugin, const compile::Compilation& made) const {
    if (made.result == compile::Result::unavailable) return "not compiled: " + made.cause;
    if (made.missing_include.empty()) return one_line(compile::first_errors(made.output));
    const auto found = heap_.find(made.missing_include + ".inc", scan::folder_of(plugin.path));
    return "the include \"" + made.missing_include + "\" is missing" +
           (found.empty() ? ", in the scanned folders, too" : "; it is at " + found[0]->path);
  }

  compile::Compiler compiler_;
  const scan::Heap& heap_;
  std::vector<Line> lines_;
};

std::string remark_of(const ScannedPlugin& plugin) {
  if (!plugin.refused.empty()) return plugin.path + " " + plugin.refused;
  if (!plugin.facts.is_plugin) return plugin.path + " does not call register_plugin()";
  if (plugin.toolchain.empty()) return plugin.why;
  if (!plugin.questions.empty()) return plugin.questions.front();
  return plugin.notes.empty() ? "" : plugin.notes.front();
}

Listing<ScannedPlugin> listing(const std::vector<std::string>& lines) {
  using Row = ScannedPlugin;
  std::vector<Column<Row>> columns{
      {"STATE", "state", &Row::state},
      {"SLUG", "slug", &Row::slug, "-"},
      {"NAME", "name", &Row::name, "-"},
      {"VERSION", "version", [](const Row& row) { return row.version.version; }, "-"},
      {"AUTHOR", "author", [](const Row& row) { return row.facts.author; }, "-"}};
  for (const std::string& line : lines) {
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
  columns.push_back({.header = "REMARK", .value = remark_of});
  columns.push_back({.field = "compiles_with", .value = results});
  columns.push_back(
      {.field = "encoding", .value = [](const Row& row) { return row.facts.encoding; }});
  columns.push_back(
      {.field = "includes", .value = [](const Row& row) { return row.facts.includes; }});
  columns.push_back(
      {.field = "license", .value = [](const Row& row) { return row.facts.license; }});
  columns.push_back({.field = "notes", .value = &Row::notes});
  columns.push_back({.field = "questions", .value = &Row::questions});
  columns.push_back({.field = "source", .value = &Row::path});
  columns.push_back(
      {.field = "summary", .value = [](const Row& row) { return row.prose.summary; }});
  columns.push_back({.field = "toolchain", .value = &Row::toolchain});
  columns.push_back(
      {.field = "why", .value = [](const Row& row) { return row.refused + row.why; }});
  return columns;
}

void print_totals(const std::vector<ScannedPlugin>& plugins, std::ostream& out) {
  std::map<std::string, std::size_t> totals;
  for (const ScannedPlugin& plugin : plugins) ++totals[plugin.state()];
  out << '\n'
      << totals["ready"] << " ready, " << totals["questions"] << " with questions, "
      << totals["fails"] << " not compiling, " << totals["no plugin"] << " no plugins, "
      << totals["refused"] << " refused\n";
}

scan::Heap heap_of(const std::vector<std::string>& paths) {
  scan::Heap heap;
  for (const std::string& path : paths) {
    try {
      heap.add(path);
    } catch (const std::filesystem::filesystem_error& failure) {
      throw Failure(path + ": " + failure.code().message());
    }
  }
  return heap;
}

void run_scan(const Arguments& arguments, Context& context) {
  const auto jobs = static_cast<std::size_t>(arguments.integer("jobs", 1, kMaxJobs, 2));
  const std::string category =
      arguments.has("category") ? arguments.slug("category").str() : "general";
  const std::filesystem::path folder = arguments.text("write");
  const std::optional<domain::Slug> pack = arguments.optional_slug("pack");
  if (pack && folder.empty()) throw Failure("--pack needs --write");
  const sys::InterruptionGuard guard;
  const compile::Toolchains toolchains(context.config().toolchains, context.config().includes);
  const scan::Heap heap = heap_of(arguments.list("PATH"));
  Compiling compiling(context.config(), toolchains, heap);
  std::vector<ScannedPlugin> plugins;
  {
    ProgressLine progress(context.err(), context.shows_progress());
    plugins = Scan(heap, toolchains,
                   folder.empty() ? std::map<std::string, std::string>() : known_slugs(folder))
                  .run(progress);
    compiling.run(plugins, jobs, progress);
  }
  const Listing<ScannedPlugin> table = listing(compiling.lines());
  table.print(plugins, arguments, context, [&] {
    table.table(plugins).print(context.out());
    print_totals(plugins, context.out());
  });
  if (folder.empty()) return;
  for (const std::string& remark : write_manifests(folder, plugins, category)) {
    context.report(remark);
  }
  const std::string remark = pack ? write_pack(folder, plugins, *pack) : "";
  if (!remark.empty()) context.report(remark);
}

}  // namespace

std::string ScannedPlugin::name() const {
  if (!facts.name.empty() || version.files.empty()) return facts.name;
  const std::string& file = version.files.front().filename;
  return file.substr(0, file.rfind('.'));
}

std::string ScannedPlugin::state() const {
  if (!refused.empty()) return "refused";
  if (!facts.is_plugin) return "no plugin";
  if (toolchain.empty()) return "fails";
  return questions.empty() ? "ready" : "questions";
}

Verb plugin_scan_verb() {
  return {
      .name = "scan",
      .summary = "Makes manifests of plugins that have none.",
      .text =
          "Reads the sources (.sma) of folders and of all folders below them, compiles each with "
          "every installed toolchain, in the sandbox, and prints what it found: ready, with "
          "questions, or not compiling and why. The name, version, author, cvars and commands are "
          "those that a source registers, also through #define, constants and format strings. The "
          "summary and the description come from a README of the plugin alone, or from the comment "
          "before the source, and stay empty if that is not certainly prose. "
          "Includes that not every toolchain has are taken from the scanned folders, the nearest "
          "first; so are configuration, dictionaries, sounds, models and sprites that the source "
          "names. The same source twice is one plugin. It needs no database, and so "
          "compiles without the includes of components.\n\n"
          "With --write, what compiles gets a folder with its plugin.json and files, which "
          "\"plugin import\" reads; what is not certain is in questions.json there. Another scan "
          "keeps the slugs, and leaves a manifest that was edited as it is: what it would write "
          "then is in plugin.json.proposed.",
      .positionals = {{.name = "PATH", .repeated = true}},
      .options = {{.name = "write",
                   .value_name = "FOLDER",
                   .help = "Writes the manifests and files to this folder."},
                  {.name = "category",
                   .value_name = "SLUG",
                   .help = "The category of the plugins (general by default)."},
                  {.name = "pack",
                   .value_name = "SLUG",
                   .help = "Writes addon.json, too: a pack of the plugins that are ready."},
                  {.name = "jobs",
                   .value_name = "N",
                   .help = "How many compiles run at once (2 by default)."},
                  json_option()},
      .examples = {"goldsmith plugin scan collection/",
                   "goldsmith plugin scan collection/ --write manifests/"},
      .run = run_scan,
  };
}

}  // namespace goldsmith::cli
