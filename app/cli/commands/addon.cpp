#include <algorithm>
#include <ostream>
#include <set>

#include <fmt/core.h>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/domain/manifest.hpp"
#include "app/start/selection_query.hpp"

namespace goldsmith::cli::commands::addon {
namespace {

struct ReadPack {
  domain::AddonPack pack;
  std::string file;
};

std::set<domain::Slug> plugin_slugs(Context& context) {
  std::set<domain::Slug> slugs;
  for (const db::PluginOverview& plugin : context.plugins().list_all()) {
    slugs.insert(plugin.slug);
  }
  return slugs;
}

void check_server(const ReadPack& each, Problems& problems) {
  const auto refuse = [&](const std::string& why) {
    problems.add(fmt::format("{}: server of \"{}\": {}", each.file, each.pack.slug.view(), why));
  };
  for (const std::string& name : start::unknown_parameters(each.pack.server)) {
    refuse(fmt::format("\"{}\" is no parameter of a server", name));
  }
  if (!start::request_of(each.pack.server).plugins.empty()) {
    refuse("plugins are named by \"plugins\" of the pack");
  }
}

void check_plugins(const std::vector<ReadPack>& packs, Context& context, Problems& problems) {
  const std::set<domain::Slug> known = plugin_slugs(context);
  for (const ReadPack& each : packs) {
    for (std::size_t i = 0; i < each.pack.plugins.size(); ++i) {
      if (known.contains(each.pack.plugins[i])) continue;
      problems.add(fmt::format(
          "{}: plugins[{}] of \"{}\": \"{}\" is not in the plugin directory; import it first",
          each.file, i, each.pack.slug.view(), each.pack.plugins[i].view()));
    }
  }
}

using StoredPacks = std::map<domain::Slug, domain::AddonPack>;

StoredPacks stored_packs(Context& context) {
  StoredPacks stored;
  for (domain::AddonPack& pack : context.addons().list_all()) {
    stored.emplace(pack.slug, std::move(pack));
  }
  return stored;
}

// Those of the catalog that the directory has all plugins for. A new one is published: nobody has
// to look at what came with goldsmith.
void pass_over(std::vector<ReadPack>& packs, const StoredPacks& stored, Context& context) {
  const std::set<domain::Slug> known = plugin_slugs(context);
  std::erase_if(packs, [&](const ReadPack& each) {
    std::string missing;
    for (const domain::Slug& slug : each.pack.plugins) {
      if (!known.contains(slug)) missing += (missing.empty() ? "" : ", ") + slug;
    }
    if (missing.empty()) return false;
    context.out() << "passed over " << each.pack.slug << ": the directory does not have " << missing
                  << '\n';
    return true;
  });
  for (ReadPack& each : packs) {
    if (!stored.contains(each.pack.slug)) each.pack.status = domain::Status::published;
  }
}

enum class Which { all, offered };

std::vector<ReadPack> read_packs(const std::vector<std::string>& files, Which which,
                                 const StoredPacks& stored, Context& context) {
  const auto status_of = [&](const domain::Slug& slug) {
    const auto found = stored.find(slug);
    return found == stored.end() ? std::nullopt : std::optional(found->second.status);
  };
  std::vector<ReadPack> packs;
  NamesRead slugs("slug");
  Problems problems;
  for (const std::string& file : files) {
    problems.collect([&] {
      for (domain::AddonPack& pack : domain::read_addons(file, status_of)) {
        slugs.add(pack.slug.str(), file);
        packs.push_back({std::move(pack), file});
      }
    });
  }
  for (const ReadPack& each : packs) check_server(each, problems);
  if (which == Which::offered) {
    pass_over(packs, stored, context);
  } else {
    check_plugins(packs, context, problems);
  }
  problems.check(context);
  return packs;
}

// A pack that says no time of its own keeps that of its first import.
void settle_time(domain::AddonPack& pack, const StoredPacks& stored, domain::Timestamp now) {
  if (pack.created_at) return;
  const auto found = stored.find(pack.slug);
  pack.created_at = found == stored.end() ? now : found->second.created_at;
}

void import_read(const std::vector<std::string>& files, Which which, Context& context) {
  const StoredPacks stored = stored_packs(context);
  std::vector<ReadPack> packs = read_packs(files, which, stored, context);
  const domain::Timestamp now = context.now();
  db::AddonStore store = context.addons();
  std::vector<std::string> slugs;
  std::vector<db::ImportChange> changes;
  context.database().transaction([&] {
    for (ReadPack& each : packs) {
      settle_time(each.pack, stored, now);
      slugs.push_back(each.pack.slug.str());
      changes.push_back(store.import(each.pack));
    }
  });
  report_changes(context, "pack", slugs, changes);
}

void run_import(const Arguments& arguments, Context& context) {
  const std::vector<std::string> files =
      files_or_defaults(arguments, default_preset_files, context);
  import_read(files, arguments.has("defaults") ? Which::offered : Which::all, context);
}

Listing<domain::AddonPack> listing() {
  using Pack = domain::AddonPack;
  return {{{"SLUG", "slug", &Pack::slug},
           {"NAME", "name", &Pack::name},
           {"STATUS", "status", &Pack::status},
           {"PLUGINS", "plugin_count", [](const Pack& pack) { return pack.plugins.size(); }},
           {"DOWNLOADS", "downloads", &Pack::downloads},
           {"CREATED", "created_at", &Pack::created_at},
           {.field = "description", .value = &Pack::description},
           {.field = "server", .value = &Pack::server},
           {.field = "plugins", .value = &Pack::plugins}}};
}

void run_list(const Arguments& arguments, Context& context) {
  listing().print(context.addons().list_all(), arguments, context);
}

template <domain::Status Wanted>
void set_status(const Arguments& arguments, Context& context) {
  const domain::Slug slug = arguments.slug("SLUG");
  if (!context.addons().set_status(slug, Wanted)) throw no_such("addon pack", slug, "addon");
  print_status(slug, Wanted, context.out());
}

void run_remove(const Arguments& arguments, Context& context) {
  const domain::Slug slug = arguments.slug("SLUG");
  if (!context.addons().remove(slug)) throw no_such("addon pack", slug, "addon");
  context.out() << slug << " is removed\n";
}

Verb import_verb() {
  return {
      .name = "import",
      .summary = "Creates packs, or makes them equal to their manifests.",
      .text =
          "Reads addon packs and writes them. A FILE is an addon.json that holds one pack or an "
          "array of packs; every plugin that a pack names must be in the directory. A pack with a "
          "\"server\", the query of a link to the server creator without its plugins, is offered "
          "there as a ready-made server.\n\n"
          "All files are read and checked first; if anything is wrong, nothing is written. "
          "Importing the same again changes nothing. A status that a manifest omits is kept; for a "
          "new pack it is \"draft\".\n\n"
          "With --defaults, the ready-made servers that come with goldsmith are imported, and new "
          "ones published; repeat this after an upgrade, and after plugins were added. Those whose "
          "plugins are not in the directory are passed over.",
      .positionals = {{.name = "FILE", .required = false, .repeated = true}},
      .options = {{.name = "defaults",
                   .help = "Imports the ready-made servers of the default catalog."}},
      .examples = {"goldsmith addon import starter.json", "goldsmith addon import --defaults"},
      .run = run_import,
      .changes = true,
      .withdraws = true,
  };
}

Verb list_verb() {
  return {
      .name = "list",
      .summary = "Lists all packs, drafts too.",
      .text = "Lists all packs, drafts too, with the number of plugins that each names.",
      .options = {json_option()},
      .examples = {"goldsmith addon list"},
      .run = run_list,
  };
}

Verb publish_verb() {
  return {
      .name = "publish",
      .summary = "Makes a pack visible.",
      .text = "Makes a pack visible in the API.",
      .positionals = {{.name = "SLUG"}},
      .examples = {"goldsmith addon publish starter"},
      .run = set_status<domain::Status::published>,
      .changes = true,
      .withdraws = true,
  };
}

Verb unpublish_verb() {
  return {
      .name = "unpublish",
      .summary = "Hides a pack.",
      .text = "Hides a pack from the API. Nothing is lost: publish shows it again.",
      .positionals = {{.name = "SLUG"}},
      .examples = {"goldsmith addon unpublish starter"},
      .run = set_status<domain::Status::draft>,
      .changes = true,
      .withdraws = true,
  };
}

Verb remove_verb() {
  return {
      .name = "remove",
      .summary = "Removes a pack.",
      .text = "Removes a pack permanently. The plugins that it names stay.",
      .positionals = {{.name = "SLUG"}},
      .examples = {"goldsmith addon remove starter"},
      .run = run_remove,
      .changes = true,
      .withdraws = true,
  };
}

}  // namespace

void import_packs(const std::vector<std::string>& files, Context& context) {
  import_read(files, Which::all, context);
}

Noun noun() {
  return {
      .name = "addon",
      .summary = "Addon packs: curated bundles of plugins.",
      .text = "Manages addon packs: curated, ordered bundles of plugins of the directory.",
      .verbs = {import_verb(), list_verb(), publish_verb(), unpublish_verb(), remove_verb()},
  };
}

}  // namespace goldsmith::cli::commands::addon
