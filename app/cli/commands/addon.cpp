#include <algorithm>
#include <ostream>
#include <set>

#include <fmt/core.h>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/import_report.hpp"
#include "app/cli/output.hpp"
#include "app/domain/manifest.hpp"

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

std::vector<ReadPack> read_packs(const std::vector<std::string>& files, const StoredPacks& stored,
                                 Context& context) {
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
  check_plugins(packs, context, problems);
  problems.check(context);
  return packs;
}

// A pack that says no time of its own keeps that of its first import.
void settle_time(domain::AddonPack& pack, const StoredPacks& stored, domain::Timestamp now) {
  if (pack.created_at) return;
  const auto found = stored.find(pack.slug);
  pack.created_at = found == stored.end() ? now : found->second.created_at;
}

void run_import(const Arguments& arguments, Context& context) {
  import_packs(arguments.list("FILE"), context);
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
          "array of packs; every plugin that a pack names must be in the directory.\n\n"
          "All files are read and checked first; if anything is wrong, nothing is written. "
          "Importing the same again changes nothing. A status that a manifest omits is kept; for a "
          "new pack it is \"draft\".",
      .positionals = {{.name = "FILE", .repeated = true}},
      .examples = {"goldsmith addon import starter.json"},
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
  const StoredPacks stored = stored_packs(context);
  std::vector<ReadPack> packs = read_packs(files, stored, context);
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

Noun noun() {
  return {
      .name = "addon",
      .summary = "Addon packs: curated bundles of plugins.",
      .text = "Manages addon packs: curated, ordered bundles of plugins of the directory.",
      .verbs = {import_verb(), list_verb(), publish_verb(), unpublish_verb(), remove_verb()},
  };
}

}  // namespace goldsmith::cli::commands::addon
