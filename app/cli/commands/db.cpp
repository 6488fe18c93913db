#include <filesystem>
#include <ostream>
#include <vector>

#include <fmt/core.h>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/component.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/compile/plugin_sources.hpp"
#include "app/compile/sandboxed_texts.hpp"
#include "app/host/sandboxed_reader.hpp"
#include "app/mirror/release_mirroring.hpp"
#include "db/addon_store.hpp"
#include "db/migrations.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::cli::commands::database {
namespace {

// What an older version imported, also while this one is being installed, is read once; until then
// workers read it whenever they plan with it. Each version is stored on its own: an interrupted run
// is continued by the next one.
void describe_versions(Context& context) {
  db::PluginStore store(context.any_database());
  const compile::PluginSources sources(store, compile::text_reader());
  const std::vector<std::int64_t> ids = store.undescribed_versions();
  ProgressLine progress(context.err(), context.shows_progress());
  std::size_t read = 0;
  for (const std::int64_t id : ids) {
    domain::PluginVersion version;
    version.id = id;
    try {
      store.load_files({&version});
      sources.describe(version);
      store.describe(version);
    } catch (const compile::PluginGone&) {
      // An import has replaced it.
    } catch (const host::Unreadable&) {
      // Workers read it when they plan with it, and have no rights either.
    } catch (const host::ReaderUnavailable& failure) {
      progress.clear();
      context.report("plugins of an older version are read when they are asked for: " +
                     std::string(failure.what()));
      break;
    }
    progress.show_count("plugin versions read", ++read, ids.size());
  }
  progress.clear();
  if (read > 0) context.out() << "read the content of " << read << " plugin versions\n";
}

void run_migrate(const Arguments&, Context& context) {
  const std::vector<db::Migration> applied =
      db::migrate(db::connection_settings(context.config().database));
  for (const db::Migration& migration : applied) {
    context.out() << "applied " << migration.number << ' ' << migration.name << '\n';
  }
  describe_versions(context);
  context.out() << (applied.empty() ? "The schema was up to date.\n"
                                    : "The schema is up to date.\n");
}

// Withdraws what has that name, one of `names`, in the way that loses least; returns what to call
// it.
std::string withdraw(const std::vector<std::string>& words, const Withdrawals::Names& names,
                     bool dry_run, Context& context) {
  const std::string& kind = words.at(0);
  if (kind == "key") {
    const auto key = context.keys().find(words.at(1));
    if (!key) return "";
    if (!dry_run) context.keys().set_disabled(key->id, true);
    return fmt::format("key {} ({})", key->id, key->name);
  }
  const domain::Slug slug = *domain::Slug::parse(words.at(1));
  const bool has_version = words.size() > 2;
  const bool is_hold = kind == "offered";
  std::string text = (is_hold ? "component" : kind) + ' ' + slug +
                     (has_version ? ' ' + words[2] : "") + (is_hold ? ", which is held" : "");
  // What was removed needs no hold.
  const bool is_removed =
      is_hold && names.contains(fmt::format("component {} {}", words.at(1), words.at(2)));
  if (is_removed) return "";
  if (dry_run) return text;
  constexpr auto kDraft = domain::Status::draft;
  if (kind == "pack") {
    context.addons().set_status(slug, kDraft);
  } else if (is_hold) {
    context.components().hold(
        {slug, *domain::Version::parse(words.at(2))},
        domain::Hold{"it was held before the database was restored", context.now()});
  } else if (kind == "component") {
    db::ComponentStore components = context.components();
    mirror::remove_version(components, archive::Depot(context.config().depot),
                           {slug, *domain::Version::parse(words.at(2))}, true);
  } else if (has_version) {
    context.plugins().set_status(slug, *domain::Version::parse(words[2]), kDraft, context.now());
  } else {
    context.plugins().set_status(slug, kDraft, context.now());
  }
  return text;
}

void run_withdraw(const Arguments& arguments, Context& context) {
  const bool dry_run = arguments.has("dry-run");
  const Withdrawals record = context.withdrawals();
  std::error_code error;
  if (!std::filesystem::exists(record.file(), error)) {
    throw Failure(record.file().native() +
                  ": there is none; put its copy back, or go on if nothing was ever withdrawn");
  }
  const Withdrawals::Names names = record.brought_back(db::public_names(context.database()));
  const base::InterruptionGuard guard;
  for (const std::string& name : names) {
    std::vector<std::string> words;
    for (const std::string_view word : base::split(name, ' ')) words.emplace_back(word);
    const std::string text = withdraw(words, names, dry_run, context);
    if (text.empty()) continue;
    context.out() << (dry_run ? "would withdraw " : "withdrew ") << text << '\n';
  }
  if (names.empty()) {
    context.out() << "Nothing that " << record.file().native()
                  << " names as withdrawn is public.\n";
  } else if (!dry_run) {
    forget_outdated_verdicts(context);
    context.announce_change();
  }
}

void run_status(const Arguments& arguments, Context& context) {
  using Status = db::MigrationStatus;
  const Listing<Status> listing({{"NUMBER", "number", &Status::number},
                                 {"NAME", "name", &Status::name},
                                 {"APPLIED", "applied_at", &Status::applied_at, "pending"}});
  listing.print(db::migration_status(context.any_database()), arguments, context);
}

Verb migrate_verb() {
  return {
      .name = "migrate",
      .summary = "Applies missing migrations of the schema.",
      .text =
          "Applies every migration that is missing, in order, and lists them. If the schema is up "
          "to date, nothing happens. A schema that is newer than this program is refused. Run this "
          "command after every upgrade of goldsmith; two at once are safe. Then it reads the "
          "content "
          "of plugin versions that an older goldsmith imported, and stores its digests: servers "
          "are "
          "planned with these. Until that is done, workers read such a version each time.",
      .examples = {"goldsmith db migrate"},
      .run = run_migrate,
      .changes = true,
  };
}

Verb withdraw_verb() {
  return {
      .name = "withdraw",
      .summary = "Withdraws again what a restored database has brought back.",
      .text =
          "Commands record in the file of the option withdrawals what they disable, hide or "
          "remove: "
          "keys, plugins and their versions, packs, mirrored versions. A database that is restored "
          "from a backup of before has them again. This command disables such keys, makes such "
          "plugins, versions and packs drafts, removes such mirrored versions, and holds those "
          "that were held; it removes no "
          "key, plugin or pack, so that nothing is lost. Run it before the workers start. What was "
          "made public again since it was withdrawn stays. A file of a version that an import has "
          "replaced is not recorded: import it again.",
      .options = {{.name = "dry-run",
                   .help = "Only lists them, and changes nothing.",
                   .effect = Effect::reads}},
      .examples = {"goldsmith db withdraw --dry-run", "goldsmith db withdraw"},
      .run = run_withdraw,
      .is_recorded = true,
  };
}

Verb status_verb() {
  return {
      .name = "status",
      .summary = "Shows which migrations were applied, and when.",
      .text =
          "Lists the migrations that this program knows, with the time at which each was applied "
          "to the database, or \"pending\".",
      .options = {json_option()},
      .examples = {"goldsmith db status", "goldsmith db status --json"},
      .run = run_status,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "db",
      .summary = "The database: its schema, and a restored one.",
      .text =
          "Updates the database schema to the version of this program, and shows which migrations "
          "were applied; withdraws again what a restored backup has brought back. The configured "
          "database must exist, and its user must be allowed to "
          "create tables: put the operator's user into operator.conf.",
      .verbs = {migrate_verb(), status_verb(), withdraw_verb()},
  };
}

}  // namespace goldsmith::cli::commands::database
