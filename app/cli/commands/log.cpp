#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/table.hpp"
#include "db/download_log.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::int64_t kDefaultRows = 100;
constexpr std::int64_t kMaxRows = 1'000'000;

void run_downloads(const Arguments& arguments, Context& context) {
  const std::int64_t limit =
      arguments.has("limit") ? arguments.integer("limit", 1, kMaxRows) : kDefaultRows;
  const std::optional<domain::Timestamp> since = arguments.time("since");
  json::Array listing;
  Table table({"TIME", "PLUGIN", "VERSION", "KIND", "TOOLCHAIN", "CALLER", "RESULT", "MS"});
  for (const db::DownloadRecord& row : context.downloads().list(since, limit)) {
    const std::string time = domain::format_timestamp(row.time);
    listing.emplace_back(json::Object{{"time", time},
                                      {"slug", row.slug},
                                      {"version", row.version},
                                      {"kind", row.kind},
                                      {"toolchain", row.toolchain},
                                      {"caller", row.caller},
                                      {"result", row.result},
                                      {"compile_milliseconds", row.compile_milliseconds}});
    table.add({time, row.slug, row.version, row.kind, row.toolchain, row.caller, row.result,
               std::to_string(row.compile_milliseconds)});
  }
  if (arguments.has("json")) return context.print(listing);
  table.print(context.out());
}

Verb downloads_verb() {
  return {
      .name = "downloads",
      .summary = "Lists plugin downloads, newest first.",
      .text = "Lists plugin downloads, newest first.",
      .options = {{.name = "since",
                   .value_name = "T",
                   .help = "Shows only downloads since this time (UTC)."},
                  {.name = "limit",
                   .value_name = "N",
                   .help = "Shows at most this many, 1 to 1000000; the default is 100."},
                  json_option()},
      .examples = {"goldsmith log downloads --since 2026-01-31"},
      .run = run_downloads,
  };
}

}  // namespace

Noun log_noun() {
  return {
      .name = "log",
      .summary = "The log of plugin downloads.",
      .text = "Shows the plugin downloads that the database has logged.",
      .verbs = {downloads_verb()},
  };
}

}  // namespace goldsmith::cli
