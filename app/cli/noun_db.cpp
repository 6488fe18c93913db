#include <ostream>

#include "app/cli/context.hpp"
#include "app/cli/nouns.hpp"
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
    listing.emplace_back(json::Object{
        {"number", each.number}, {"name", each.name}, {"applied_at", each.applied_at}});
    table.add({std::to_string(each.number), each.name,
               each.applied_at.empty() ? "pending" : each.applied_at});
  }
  if (arguments.has("json")) return context.print(listing);
  table.print(context.out());
}

}  // namespace

Noun db_noun() {
  return {
      "db",
      "The database's schema.",
      "Brings the database's schema to the version of this program, and shows which changes were "
      "applied. The configured database must exist and its user must be allowed to create tables: "
      "put the operator's user into operator.conf.",
      {{"migrate",
        "Applies the changes of the schema that are missing.",
        "Applies every change of the schema that was not applied yet, in order, and says which. "
        "Nothing happens when the schema is up to date. A schema that is newer than this program "
        "is refused. Run it after every upgrade of goldsmith; two at once are safe.",
        {},
        {},
        {"goldsmith db migrate"},
        run_migrate,
        Effect::changes},
       {"status",
        "Shows which changes of the schema were applied, and when.",
        "Lists the changes of the schema that this program knows, with the time at which each was "
        "applied to the database, or \"pending\".",
        {},
        {json_option()},
        {"goldsmith db status", "goldsmith db status --json"},
        run_status}}};
}

}  // namespace goldsmith::cli
