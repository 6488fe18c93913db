#include <optional>
#include <ostream>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/listing.hpp"
#include "app/cli/progress_line.hpp"
#include "app/manifest/manifest.hpp"
#include "db/plugin_import.hpp"

namespace goldsmith::cli::commands::plugin {
namespace {

// Reads each plugin and hands it to `import`, until there is a problem: then the others are only
// checked, so that all problems are reported at once. Returns the slugs.
std::vector<std::string> read_into(db::PluginImport& import, const std::vector<std::string>& paths,
                                   Context& context) {
  db::PluginStore store = context.plugins();
  const auto stored = [&](const domain::Slug& slug) { return store.find_any(slug); };
  ProgressLine progress(context.err(), context.shows_progress());
  std::vector<std::string> read;
  NamesRead slugs("slug");
  Problems problems;
  for (const std::string& path : paths) {
    std::optional<domain::Plugin> plugin;
    problems.collect([&] {
      plugin = manifest::read_plugin(path, stored);
      slugs.add(plugin->slug.str(), path);
      read.push_back(plugin->slug.str());
    });
    if (problems.none()) import.add(*std::move(plugin));
    progress.show_count("plugins read", read.size(), paths.size());
  }
  progress.clear();
  problems.check(context);
  return read;
}

void run_import(const Arguments& arguments, Context& context) {
  import_plugins(arguments.list("PATH"), context);
}

Listing<db::PluginOverview> plugins() {
  using Row = db::PluginOverview;
  using Summary = domain::PluginSummary;
  const auto of_summary = [](auto member) {
    return [member](const Row& row) { return to_json(row.summary.*member); };
  };
  return {{{"SLUG", "slug", of_summary(&Summary::slug)},
           {"NAME", "name", of_summary(&Summary::name)},
           {"CATEGORY", "category", of_summary(&Summary::category)},
           {"STATUS", "status", &Row::status},
           {"VERSIONS", "version_count", &Row::version_count},
           {"LATEST", "latest_version", of_summary(&Summary::latest_version), "-"},
           {"DOWNLOADS", "downloads", of_summary(&Summary::downloads)},
           {"UPDATED", "updated_at", of_summary(&Summary::updated_at)},
           {.field = "author", .value = of_summary(&Summary::author)},
           {.field = "license", .value = of_summary(&Summary::license)},
           {.field = "summary", .value = of_summary(&Summary::summary)},
           {.field = "rating", .value = of_summary(&Summary::rating)}}};
}

void run_list(const Arguments& arguments, Context& context) {
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

void run_remove(const Arguments& arguments, Context& context) {
  const domain::Slug slug = arguments.slug("SLUG");
  if (!context.plugins().remove(slug)) throw no_such("plugin", slug, "plugin");
  context.out() << slug << " is removed\n";
}

Verb import_verb() {
  return {
      .name = "import",
      .summary = "Creates plugins, or makes them equal to their manifests.",
      .text =
          "Reads plugins and writes them to the directory. A PATH is a folder that holds a "
          "plugin.json, the plugin.json itself, or a .zip of such a folder.\n\n"
          "The plugins of a call become visible together when all of them have been read and "
          "checked; if anything is wrong, nothing changes. Downloads go on meanwhile. Only one "
          "import can run at a time, and it stops if another command changes one of its plugins. "
          "Importing the same again changes nothing. Versions that a manifest no longer names are "
          "removed; the counters of downloads and ratings are kept. A status that a manifest omits "
          "is kept too; for a new plugin it is \"draft\" (see publish).\n\n"
          "A manifest says what its plugin is with \"summary\" (a line), \"description\" "
          "(CommonMark), \"links\" ({\"title\", \"url\"}), \"cvars\" ({\"name\", \"default\", "
          "\"help\"}) and \"commands\" ({\"name\", \"flags\", \"help\"}), and each version what is "
          "new in it with \"changes\" (CommonMark). All of them are optional.",
      .positionals = {{.name = "PATH", .repeated = true}},
      .examples = {"goldsmith plugin import afk-kicker/",
                   "goldsmith plugin import plugins/*/ extra.zip"},
      .run = run_import,
      .changes = true,
  };
}

Verb list_verb() {
  return {
      .name = "list",
      .summary = "Lists all plugins, drafts too.",
      .text =
          "Lists all plugins, drafts too, by slug: their status, how many versions they have, the "
          "newest published version and the downloads.",
      .options = {json_option()},
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
      .examples = {"goldsmith plugin publish afk-kicker",
                   "goldsmith plugin publish afk-kicker 1.2"},
      .run = set_status<domain::Status::published>,
      .changes = true,
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
  };
}

}  // namespace

void import_plugins(const std::vector<std::string>& paths, Context& context) {
  db::PluginImport import(context.database(), context.now());
  const std::vector<std::string> slugs = read_into(import, paths, context);
  std::vector<db::ImportChange> changes;
  {
    ProgressLine progress(context.err(), context.shows_progress());
    progress.show("publishing " + std::to_string(slugs.size()) + " plugins");
    changes = import.finish();
  }
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
                remove_verb(), plugin_check_verb(), plugin_scan_verb()},
  };
}

}  // namespace goldsmith::cli::commands::plugin
