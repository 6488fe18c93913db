#include <algorithm>
#include <optional>
#include <ostream>
#include <set>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/compile/content.hpp"
#include "app/compile/sandboxed_texts.hpp"
#include "app/domain/file_content.hpp"
#include "app/domain/manifest.hpp"
#include "app/scan/plugin_checks.hpp"
#include "app/scan/plugin_tools.hpp"
#include "db/plugin_import.hpp"

namespace goldsmith::cli::commands::plugin {

namespace {

constexpr const char* kAccept = "accept-secrets";

// What to do about what was found in a plugin's files.
std::string refusal_of(const std::vector<std::string>& found) {
  return "everybody could read what may be private: " + base::join(found, "; ") +
         "; take it out, or look at it and give --" + kAccept;
}

bool has_same(const domain::Plugin* stored, const domain::PluginFile& file) {
  if (!stored || stored->status != domain::Status::published) return false;
  const auto is_same = [&](const domain::PluginFile& each) { return each.sha1 == file.sha1; };
  return std::any_of(stored->versions.begin(), stored->versions.end(), [&](const auto& version) {
    return version.status == domain::Status::published &&
           std::any_of(version.files.begin(), version.files.end(), is_same);
  });
}

// Throws Failure for what would become public and is not yet.
void check_secrets(const std::string& path, const domain::Plugin& plugin,
                   const domain::Plugin* stored, const pawn::TextReader& texts) {
  if (plugin.status != domain::Status::published) return;
  std::vector<std::string> found;
  for (const domain::PluginVersion& version : plugin.versions) {
    if (version.status != domain::Status::published) continue;
    for (const domain::PluginFile& file : version.files) {
      if (has_same(stored, file)) continue;
      for (std::string& each : scan::secrets_of(file, texts)) {
        if (std::find(found.begin(), found.end(), each) == found.end()) found.push_back(each);
      }
    }
  }
  if (!found.empty()) throw Failure(path + ": " + refusal_of(found) + ", or import a draft");
}

// Throws Failure for what belongs to somebody else.
void check_places(const std::string& name, const std::vector<std::string>& foreign) {
  if (foreign.empty()) return;
  throw Failure(name + ": " + base::join(foreign, "; ") +
                "; no plugin replaces it: take it out, or give it a name of its own");
}

// Who asks for the plugin gets it, but a server keeps what it has.
void remark_binaries(const domain::Plugin& plugin, const domain::FileOwners& owners,
                     std::set<std::string>& remarks) {
  for (const domain::PluginVersion& version : plugin.versions) {
    const std::string found = scan::foreign_binary(version, owners);
    if (!found.empty()) remarks.insert(plugin.slug.str() + ": " + found);
  }
}

// A person's manifest names it, but players would not get what its name says.
void remark_contents(const domain::Plugin& plugin, std::set<std::string>& remarks) {
  for (const domain::PluginVersion& version : plugin.versions) {
    for (const domain::PluginFile& file : version.files) {
      const std::string defect = domain::content_defect(file.filename, file.content);
      if (defect.empty()) continue;
      remarks.insert(plugin.slug.str() + ": " + domain::installed_path(file) + ' ' + defect);
    }
  }
}

// Reads each plugin and hands it to `import`, until there is a problem: then the others are only
// checked, so that all problems are reported at once. Returns the slugs.
std::vector<std::string> read_into(db::PluginImport& import, const std::vector<std::string>& paths,
                                   Secrets secrets, Context& context) {
  db::PluginStore store = context.plugins();
  std::optional<domain::Plugin> known;  // what is stored of the plugin that is read
  const auto stored = [&](const domain::Slug& slug) { return known = store.find_any(slug); };
  const pawn::TextReader texts = compile::text_reader();
  const domain::PluginTools tools = scan::plugin_tools(context.config().mirror, texts);
  const domain::FileOwners owners = scan::file_owners(context.database());
  std::set<std::string> remarks;
  ProgressLine progress(context.err(), context.shows_progress());
  std::vector<std::string> read;
  NamesRead slugs("slug");
  Problems problems;
  for (const std::string& path : paths) {
    std::optional<domain::Plugin> plugin;
    problems.collect([&] {
      plugin = domain::read_plugin(path, stored, tools);
      compile::describe(*plugin, [&](std::string_view text) { return texts.named_files(text); });
      slugs.add(plugin->slug.str(), path);
      check_places(path, scan::foreign_files(*plugin, owners));
      remark_binaries(*plugin, owners, remarks);
      remark_contents(*plugin, remarks);
      if (secrets == Secrets::refused) {
        check_secrets(path, *plugin, known ? &*known : nullptr, texts);
      }
      read.push_back(plugin->slug.str());
    });
    if (problems.none()) import.add(*std::move(plugin));
    progress.show_count("plugins read", read.size(), paths.size());
  }
  progress.clear();
  problems.check(context);
  for (const std::string& remark : remarks) context.report(remark);
  return read;
}

void run_import(const Arguments& arguments, Context& context) {
  import_plugins(arguments.list("PATH"),
                 arguments.has(kAccept) ? Secrets::accepted : Secrets::refused, context);
}

Listing<db::PluginOverview> plugins() {
  using Row = db::PluginOverview;
  return {{{"SLUG", "slug", &Row::slug},
           {"NAME", "name", &Row::name},
           {"CATEGORY", "category", &Row::category},
           {"STATUS", "status", &Row::status},
           {"VERSIONS", "version_count", &Row::version_count},
           {"LATEST", "latest_version", &Row::latest_version, "-"},
           {"DOWNLOADS", "downloads", &Row::downloads},
           {"UPDATED", "updated_at", &Row::updated_at},
           {.field = "author", .value = &Row::author},
           {.field = "held", .value = &Row::held_count},
           {.field = "license", .value = &Row::license},
           {.field = "summary", .value = &Row::summary},
           {.field = "rating", .value = &Row::rating}}};
}

Listing<db::HeldVersion> held_versions() {
  using Row = db::HeldVersion;
  const auto reasons = [](const Row& row) {
    return json::array_of(base::split(row.held, '\n'),
                          [](std::string_view each) { return std::string(each); });
  };
  return {{{"SLUG", "slug", &Row::slug},
           {"VERSION", "version", &Row::version},
           {"FROM", "created_at", &Row::created_at},
           {"WAITS BECAUSE", "held", reasons}}};
}

void run_list(const Arguments& arguments, Context& context) {
  if (arguments.has("held")) {
    return held_versions().print(context.plugins().held_versions(), arguments, context);
  }
  plugins().print(context.plugins().list_all(), arguments, context);
}

template <domain::Status Wanted>
void set_status(const Arguments& arguments, Context& context) {
  const domain::Slug slug = arguments.slug("SLUG");
  const std::optional<domain::Version> version = arguments.optional_version("VERSION");
  db::PluginStore store = context.plugins();
  const domain::Timestamp now = context.now();
  if (!(version ? store.set_status(slug, *version, Wanted, now)
                : store.set_status(slug, Wanted, now))) {
    if (!version || !store.find_any(slug)) throw no_such("plugin", slug, "plugin");
    throw Failure("the plugin \"" + slug + "\" has no version \"" + *version + "\"");
  }
  print_status(slug + (version ? " " + *version : ""), Wanted, context.out());
}

void run_publish(const Arguments& arguments, Context& context) {
  const domain::Slug slug = arguments.slug("SLUG");
  const std::optional<domain::Version> version = arguments.optional_version("VERSION");
  if (auto stored = context.plugins().find_any(slug)) {
    std::erase_if(stored->versions, [&](const domain::PluginVersion& each) {
      return version ? each.version != *version : each.status != domain::Status::published;
    });
    check_places(slug.str(), scan::foreign_files(*stored, scan::file_owners(context.database())));
  }
  if (!arguments.has(kAccept)) {
    const pawn::TextReader texts = compile::text_reader();
    std::vector<std::string> found;
    context.plugins().each_text(slug, [&](const db::StoredText& text) {
      if (text.is_public || (version && *version != text.version)) return;
      for (std::string& each : scan::secrets_of(text.file, texts)) found.push_back(std::move(each));
    });
    if (!found.empty()) throw Failure(slug + ": " + refusal_of(found));
  }
  set_status<domain::Status::published>(arguments, context);
}

void run_remove(const Arguments& arguments, Context& context) {
  const domain::Slug slug = arguments.slug("SLUG");
  if (!context.plugins().remove(slug)) throw no_such("plugin", slug, "plugin");
  context.out() << slug << " is removed\n";
}

Option accept_option() {
  return {.name = kAccept,
          .help =
              "Publishes files in which passwords, keys, mail addresses or addresses of servers "
              "were found, which is refused otherwise."};
}

Verb import_verb() {
  return {
      .name = "import",
      .summary = "Creates plugins, or makes them equal to their manifests.",
      .text =
          "Reads plugins and writes them to the directory. A PATH is a folder that holds a "
          "plugin.json, the plugin.json itself, or a .zip of such a folder, which is opened in the "
          "sandbox. Links among the files are refused, and so are links of other users on the way "
          "to a PATH.\n\n"
          "The plugins of a call become visible together when all of them have been read and "
          "checked; if anything is wrong, nothing changes. Downloads go on meanwhile. Only one "
          "import can run at a time, and it stops if another command changes one of its plugins. "
          "Importing the same again changes nothing. Versions that a manifest no longer names are "
          "removed; the counters of downloads and ratings are kept. A status that a manifest omits "
          "is kept too; for a new plugin it is \"draft\" (see publish). A file that is not what "
          "the "
          "end of its name says, such as a Git LFS pointer, is imported, and named.\n\n"
          "A manifest says what its plugin is with \"summary\" (a line), \"description\" "
          "(CommonMark), \"links\" ({\"title\", \"url\"}), \"cvars\" ({\"name\", \"default\", "
          "\"help\"}) and \"commands\" ({\"name\", \"flags\", \"help\"}), and each version what is "
          "new in it with \"changes\" (CommonMark). All of them are optional.\n\n"
          "\"upstream\" is where newer versions come from: {\"repository\": \"OWNER/NAME\"} on "
          "GitHub, "
          "with \"branch\" and with \"releases\", which is \"releases\", \"tags\" or \"commits\", "
          "or "
          "{\"repository\": \"https://...\"} of the .tar.gz or .zip of a branch; and the "
          "\"folder\" in "
          "it that counts. Without it what is stored stays; null takes it away.\n\n"
          "The latest version is the one with the latest \"created_at\", among equals the one with "
          "the highest number. A version without it has the time of its first import; if its "
          "number is lower than that of the latest, it comes behind all higher ones, and the "
          "command says so.",
      .positionals = {{.name = "PATH", .repeated = true}},
      .options = {accept_option()},
      .examples = {"goldsmith plugin import afk-kicker/",
                   "goldsmith plugin import plugins/*/ extra.zip"},
      .run = run_import,
      .changes = true,
      .withdraws = true,
  };
}

Verb list_verb() {
  return {
      .name = "list",
      .summary = "Lists all plugins, drafts too.",
      .text =
          "Lists all plugins, drafts too, by slug: their status, how many versions they have, the "
          "newest published version and the downloads. With --held, it lists the versions that "
          "\"goldsmith plugin mirror\" did not publish, and why.",
      .options = {{.name = "held", .help = "Lists versions that were mirrored and wait as drafts."},
                  json_option()},
      .examples = {"goldsmith plugin list", "goldsmith plugin list --json | jq -r '.[].slug'"},
      .run = run_list,
  };
}

Verb publish_verb() {
  return {
      .name = "publish",
      .summary = "Makes a plugin, or one of its versions, visible.",
      .text =
          "Makes a plugin visible in the API, or with VERSION that version of it. A version can be "
          "downloaded if both are published.",
      .positionals = {{.name = "SLUG"}, {.name = "VERSION", .required = false}},
      .options = {accept_option()},
      .examples = {"goldsmith plugin publish afk-kicker",
                   "goldsmith plugin publish afk-kicker 1.2"},
      .run = run_publish,
      .changes = true,
      .withdraws = true,
  };
}

Verb unpublish_verb() {
  return {
      .name = "unpublish",
      .summary = "Hides a plugin, or one of its versions.",
      .text =
          "Hides a plugin from the API, or with VERSION only that version. Nothing is lost: "
          "publish shows it again.",
      .positionals = {{.name = "SLUG"}, {.name = "VERSION", .required = false}},
      .examples = {"goldsmith plugin unpublish afk-kicker 1.2"},
      .run = set_status<domain::Status::draft>,
      .changes = true,
      .withdraws = true,
  };
}

Verb remove_verb() {
  return {
      .name = "remove",
      .summary = "Removes a plugin with all its versions.",
      .text =
          "Removes a plugin with all its versions, files and counters permanently. A plugin that "
          "an addon pack names can't be removed. To hide it, use unpublish.",
      .positionals = {{.name = "SLUG"}},
      .examples = {"goldsmith plugin remove afk-kicker"},
      .run = run_remove,
      .changes = true,
      .withdraws = true,
  };
}

}  // namespace

void import_plugins(const std::vector<std::string>& paths, Secrets secrets, Context& context) {
  context.database();  // says what is wrong with it
  db::Database writer(db::connection_settings(context.config().database));
  db::PluginImport import(writer, context.now(), db::PluginImport::Writes::beside_caller);
  const std::vector<std::string> slugs = read_into(import, paths, secrets, context);
  std::vector<db::ImportChange> changes;
  {
    ProgressLine progress(context.err(), context.shows_progress());
    progress.show(fmt::format("publishing {} plugins", slugs.size()));
    changes = import.finish();
  }
  for (const std::string& remark : import.remarks()) context.report(remark);
  report_changes(context, "plugin", slugs, changes);
}

Noun noun() {
  return {
      .name = "plugin",
      .summary = "The plugin directory.",
      .text =
          "Manages the plugins of the directory: source files by version, compiled when they are "
          "downloaded.",
      .verbs = {import_verb(), list_verb(), plugin_show_verb(), publish_verb(), unpublish_verb(),
                remove_verb(), plugin_check_verb(), plugin_scan_verb(), plugin_follow_verb(),
                plugin_unfollow_verb(), plugin_mirror_verb(), plugin_inbox_verb()},
  };
}

}  // namespace goldsmith::cli::commands::plugin
