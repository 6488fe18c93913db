#include <ostream>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/listing.hpp"
#include "db/migrations.hpp"

namespace goldsmith::cli::commands::database {
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
          "command after every upgrade of goldsmith; two at once are safe.",
      .examples = {"goldsmith db migrate"},
      .run = run_migrate,
      .changes = true,
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
      .summary = "The database's schema.",
      .text =
          "Updates the database schema to the version of this program, and shows which migrations "
          "were applied. The configured database must exist, and its user must be allowed to "
          "create tables: put the operator's user into operator.conf.",
      .verbs = {migrate_verb(), status_verb()},
  };
}

}  // namespace goldsmith::cli::commands::database
