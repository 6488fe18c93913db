#include <array>
#include <map>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/core.h>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/commands/scan_options.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/cli/scan_host.hpp"
#include "app/scan/manifest.hpp"
#include "app/scan/scanner.hpp"

namespace goldsmith::cli {

namespace {

std::string remark_on(const scan::ScannedPlugin& plugin) {
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

json::Array tags_of(const scan::ScannedPlugin& plugin) {
  return json::array_of(plugin.topics.tags, [](const scan::DerivedTag& each) {
    return json::Object{{"from", json::Array(each.from.begin(), each.from.end())},
                        {"points", each.points},
                        {"tag", each.tag}};
  });
}

// How many plugins with a manifest have each category, in a line.
std::string categories_of(const scan::ScannedPlugins& plugins) {
  std::map<std::string, std::size_t> counts;
  for (const scan::ScannedPlugin& plugin : plugins) {
    if (plugin.is_written()) ++counts[plugin.topics.category.str()];
  }
  const std::size_t untold = counts[""];
  counts.erase("");
  std::vector<std::string> each;
  for (const auto& [category, count] : counts) {
    each.push_back(fmt::format("{} {}", count, category));
  }
  if (untold > 0) each.push_back(fmt::format("{} untold", untold));
  return base::join(each, ", ");
}

Listing<scan::ScannedPlugin> listing(const std::vector<scan::ScanLine>& lines) {
  using Row = scan::ScannedPlugin;
  std::vector<Column<Row>> columns{
      {"STATE", "state", [](const Row& row) { return to_string(row.state()); }},
      {"SLUG", "slug", &Row::slug, "-"},
      {"NAME", "name", &Row::name, "-"},
      {"VERSION", "version", [](const Row& row) { return row.version; }, "-"},
      {"AUTHOR", "author", [](const Row& row) { return row.facts.author; }, "-"},
      {"CATEGORY", "category", [](const Row& row) { return row.topics.category; }, "-"},
      {.field = "category_from", .value = [](const Row& row) { return row.topics.category_from; }},
      {.field = "game_modes", .value = [](const Row& row) { return row.topics.game_modes; }},
      {.field = "tags", .value = tags_of}};
  for (const scan::ScanLine& each : lines) {
    const std::string& line = each.toolchain.line;
    const auto result = [line](const Row& row) {
      const auto found = row.results.find(line);
      return found == row.results.end() ? "" : scan::text_of(found->second);
    };
    columns.push_back({.header = line, .value = result, .absent = "-"});
  }
  for (Column<Row>& column : std::vector<Column<Row>>{
           {.header = "REMARK", .value = remark_on},
           {.field = "compiles_with", .value = results_of},
           {.field = "encoding", .value = [](const Row& row) { return row.facts.encoding; }},
           {.field = "includes", .value = [](const Row& row) { return row.facts.includes; }},
           {.field = "license", .value = [](const Row& row) { return row.facts.license; }},
           {.field = "notes", .value = &Row::notes},
           {.field = "questions", .value = questions_of},
           {.field = "source", .value = &Row::path},
           {.field = "summary", .value = [](const Row& row) { return row.prose.summary; }},
           {.field = "toolchain", .value = &Row::toolchain},
           {.field = "why", .value = [](const Row& row) { return row.refused + row.why; }}}) {
    columns.push_back(std::move(column));
  }
  return columns;
}

void print_totals(const scan::ScannedPlugins& plugins, std::ostream& out) {
  using enum scan::ScannedPlugin::State;
  std::map<scan::ScannedPlugin::State, std::size_t> totals;
  for (const scan::ScannedPlugin& plugin : plugins) ++totals[plugin.state()];
  out << '\n' << totals[ready] << " ready, " << totals[questions] << " with questions, ";
  if (totals[version] > 0) out << totals[version] << " versions of others, ";
  if (totals[skipped] > 0) out << totals[skipped] << " skipped, ";
  if (totals[stock] > 0) out << totals[stock] << " of components, ";
  out << totals[fails] << " not compiling, " << totals[no_plugin] << " no plugins, "
      << totals[refused] << " refused\n";
  const std::string categories = categories_of(plugins);
  if (!categories.empty()) out << "Categories: " << categories << '\n';
}

void add_paths(scan::SourceTree& tree, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    try {
      tree.add(path);
    } catch (const std::filesystem::filesystem_error& failure) {
      throw Failure(path + ": " + failure.code().message());
    }
  }
}

void print_scanned(const scan::ScannedPlugins& plugins, const std::vector<scan::ScanLine>& lines,
                   const Arguments& arguments, Context& context) {
  const Listing<scan::ScannedPlugin> table = listing(lines);
  table.print(plugins, arguments, context, [&] {
    table.table(plugins).print(context.out());
    print_totals(plugins, context.out());
    const std::string open = scan::open_topics(plugins);
    if (!open.empty()) {
      context.out() << "questions: " << open << "; --answer TOPIC=ANSWER answers all of a topic\n";
    }
  });
}

// What is ready, and the pack if there is one.
void import_ready(const base::HeldFolder& folder, const scan::ScannedPlugins& plugins,
                  bool has_pack, scan::ScanRecord& record, scan::Scanner& scanner,
                  Context& context) {
  std::vector<std::string> paths;
  for (const scan::ScannedPlugin& plugin : plugins) {
    if (plugin.state() == scan::ScannedPlugin::State::ready) {
      paths.push_back((folder.path() / plugin.slug.view()).string());
    }
  }
  if (paths.empty()) return;
  // What may be private was asked about, plugin by plugin.
  commands::plugin::import_plugins(paths, commands::plugin::Secrets::accepted, context);
  for (const scan::ScannedPlugin& plugin : plugins) {
    if (plugin.state() != scan::ScannedPlugin::State::ready) continue;
    record.plugins()[plugin.slug.str()].is_imported = true;
    for (const scan::ScannedPlugin* each : scan::versions_of(plugin)) {
      scanner.keep_verdicts(plugin.slug, each->version, *each);
    }
  }
  if (has_pack) commands::addon::import_packs({(folder.path() / "addon.json").string()}, context);
  context.announce_change();
}

void write_scanned(const base::HeldFolder& folder, const scan::ScannedPlugins& plugins,
                   const Arguments& arguments, scan::ScanRecord& record, scan::Scanner& scanner,
                   Context& context) {
  const scan::ManifestOptions options{
      arguments.has("category") ? arguments.slug("category").str() : "", arguments.has("publish")};
  const std::optional<domain::Slug> pack = arguments.optional_slug("pack");
  std::vector<std::string> remarks = scan::write_manifests(folder, plugins, options, record);
  if (pack) {
    std::string remark = scan::write_pack(folder, plugins, *pack, options.is_published, record);
    if (!remark.empty()) remarks.push_back(std::move(remark));
  }
  for (std::string& remark : record.write(folder, plugins)) remarks.push_back(std::move(remark));
  for (const std::string& remark : remarks) context.report(remark);
  if (!arguments.has("import")) return;
  import_ready(folder, plugins, pack.has_value(), record, scanner, context);
  record.write(folder, plugins);
}

void run_scan(const Arguments& arguments, Context& context) {
  const std::size_t jobs = jobs_of(arguments);
  const std::filesystem::path folder = arguments.text("write");
  for (const char* option : {"pack", "publish", "import"}) {
    if (arguments.has(option) && folder.empty()) {
      throw UsageError("--" + std::string(option) + " needs --write");
    }
  }
  if (arguments.has("import") && arguments.has("json")) {
    throw UsageError("--import prints what it changed; leave out --json");
  }
  const ScanHost host(context);
  const std::optional<scan::TopicTable> topics = scan::topic_table(arguments.text("topics"), host);
  const auto answers = answers_of(arguments);
  const base::InterruptionGuard guard;
  scan::Scanner scanner(host, arguments.has("import"));
  // One that is there is held from here on: what the record says of it is true of what is written.
  std::optional<base::HeldFolder> target;
  if (std::filesystem::exists(folder)) target.emplace(folder);
  scan::ScanRecord record = target ? scan::ScanRecord(*target) : scan::ScanRecord();
  for (const auto& [topic, answer] : answers) record.answer_all(topic, answer);
  const auto add = [&](scan::SourceTree& tree) { add_paths(tree, arguments.list("PATH")); };
  const scan::ScannedPlugins plugins =
      scanner.scan({add, folder, topics ? &*topics : nullptr, jobs}, record);
  print_scanned(plugins, scanner.lines(), arguments, context);
  if (folder.empty()) return;
  if (!target) target = base::HeldFolder::make(folder);
  write_scanned(*target, plugins, arguments, record, scanner, context);
}

}  // namespace

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
          "several files: unpack it, and scan the folder. Links are left out and named. A scan "
          "works without "
          "the database, but knows neither the directory nor the "
          "includes and files of components then.\n\n"
          "The category and the tags follow from the name, the summary, includes, functions of "
          "others, commands, cvars and files, by the points of a table that you may change: "
          "topics.json of the catalog, or a copy of it that --topics names. The report counts the "
          "categories; --json tells what each tag was derived from.\n\n"
          "What would replace a file of a component or of a server's owner, such as AMX Mod X's "
          "users.ini, is left out, with a note. So are files that only keep a folder, and empty "
          "ones. A source that is not what its name says is refused: a Git LFS pointer, an HTML "
          "page "
          "or UTF-16. Of another file that a plugin needs, such as a sound that is a page or a "
          "link, "
          "the scan asks whether to take the plugin without it (topic \"content\").\n\n"
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
                  {.name = "import",
                   .help = "Imports what is ready, as \"plugin import\" does.",
                   .effect = Effect::changes},
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
                  jobs_option(),
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
