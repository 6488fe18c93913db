#include <ostream>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/table.hpp"
#include "db/migrations.hpp"

namespace goldsmith::cli {
namespace {

void run_migrate(const Arguments&, Context& context) {
  const std::vector<db::Migration> applied = db::migrate(context.any_database());
  for (const db::Migration& migration : applied) {
    context.out() << "applied " << migration.number << ' ' << migration.name << '\n';
  }
  context.out() << (applied.empty() ? "The schema was up to date.\n"
                                    : "The schema is up to date.\n");
}

void run_status(const Arguments& arguments, Context& context) {
  json::Array listing;
  Table table({"NUMBER", "NAME", "APPLIED"});
  for (const db::MigrationStatus& each : db::migration_status(context.any_database())) {
    const std::string applied_at = domain::format_timestamp(each.applied_at);
    listing.emplace_back(
        json::Object{{"number", each.number}, {"name", each.name}, {"applied_at", applied_at}});
    table.add({std::to_string(each.number), each.name, each.applied_at ? applied_at : "pending"});
  }
  if (arguments.has("json")) return context.print(listing);
  table.print(context.out());
}

Verb migrate_verb() {
  return {
      .name = "migrate",
      .summary = "Applies missing migrations of the schema.",
      .text =
          "Applies every migration that is missing, in order, and lists them. If the schema is up "
          "to date, nothing happens. A schema that is newer than this program is refused. Run this "
          "command after every upgrade of goldsmith; two at once are safe.",
      .examples = {"goldsmith db migrate"},
      .run = run_migrate,
      .effect = Effect::changes,
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

Noun db_noun() {
  return {
      .name = "db",
      .summary = "The database's schema.",
      .text =
          "Updates the database schema to the version of this program, and shows which migrations "
          "were applied. The configured database must exist, and its user must be allowed to "
          "create tables: put the operator's user into operator.conf.",
      .verbs = {migrate_verb(), status_verb()},
  };
}

}  // namespace goldsmith::cli
