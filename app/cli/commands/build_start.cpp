// build start: what a server loads and how it plays, or what of all that is due.
#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/archive/depot.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/cli/commands/build.hpp"
#include "app/cli/commands/plugin_costs.hpp"
#include "app/cli/output.hpp"
#include "app/cli/start_host.hpp"
#include "app/directory/check_host.hpp"
#include "app/host/account.hpp"
#include "app/start/named_start.hpp"
#include "app/start/pending_starts.hpp"
#include "app/start/server_start.hpp"
#include "app/start/summary.hpp"

namespace goldsmith::cli::commands::build {
namespace {

using Outcome = start::Report::Outcome;

Listing<start::Listed> metamod_listing() {
  return {{{.header = "METAMOD PLUGIN", .field = "file", .value = &start::Listed::file},
           {.header = "NAME", .field = "name", .value = &start::Listed::name},
           {.header = "VERSION", .field = "version", .value = &start::Listed::version},
           {.header = "STATE", .field = "state", .value = &start::Listed::state}}};
}

Listing<start::Listed> module_listing() {
  return {{{.header = "MODULE", .field = "name", .value = &start::Listed::name},
           {.header = "VERSION", .field = "version", .value = &start::Listed::version},
           {.header = "STATE", .field = "state", .value = &start::Listed::state}}};
}

Listing<start::LoadedPlugin> plugin_listing() {
  using start::LoadedPlugin;
  return {
      {{.header = "PLUGIN", .field = "file", .value = &LoadedPlugin::file},
       {.header = "SLUG", .field = "slug", .value = &LoadedPlugin::slug, .absent = "-"},
       {.header = "NAME", .field = "name", .value = &LoadedPlugin::name, .absent = "-"},
       {.header = "VERSION", .field = "version", .value = &LoadedPlugin::version, .absent = "-"},
       {.header = "STATE", .field = "state", .value = &LoadedPlugin::state},
       {.field = "errors", .value = &LoadedPlugin::errors}}};
}

json::Object view(const std::string& build_hash, std::string_view outcome,
                  const start::Report& report) {
  json::Array facts;
  for (const auto& fact : report.facts) facts.emplace_back(json::Array(fact.begin(), fact.end()));
  json::Object object{{"build_hash", build_hash},
                      {"outcome", outcome},
                      {"seconds", std::chrono::duration<double>(report.duration).count()},
                      {"engine", report.engine},
                      {"game", report.game},
                      {"metamod", metamod_listing().array(report.metamod)},
                      {"modules", module_listing().array(report.modules)},
                      {"plugins", plugin_listing().array(report.plugins)},
                      {"bots", report.bots},
                      {"messages", json::Array(report.messages.begin(), report.messages.end())}};
  if (!facts.empty()) object["facts"] = std::move(facts);
  return object;
}

void print(const std::string& build_hash, const start::Report& report, std::ostream& out) {
  const auto or_unknown = [](const std::string& text) { return text.empty() ? "not known" : text; };
  print_fields(out, {{"build_hash", build_hash},
                     {"outcome", std::string(start::name_of(report.outcome))},
                     {"engine", or_unknown(report.engine)},
                     {"game", or_unknown(report.game)},
                     {"bots", report.bots == 0 ? "none" : std::to_string(report.bots)}});
  const auto print_table = [&](const Table& table) {
    if (table.empty()) return;
    out << '\n';
    table.print(out);
  };
  print_table(metamod_listing().table(report.metamod));
  print_table(module_listing().table(report.modules));
  print_table(plugin_listing().table(report.plugins));
  const std::vector<std::string> lines = start::lines_of(report);
  if (!lines.empty()) out << '\n';
  for (const std::string& line : lines) out << line << '\n';
}

void start_one(const Arguments& arguments, Context& context) {
  std::string build_hash;
  const auto report_untried = [&](const std::string& cause) {
    start::Report nothing;
    nothing.messages = {cause};
    if (arguments.has("json")) context.print(view(build_hash, "unavailable", nothing));
    throw Untried("the server can't be started here: " + cause);
  };
  try {
    const base::TempDir own;
    directory::CheckHost host(context.config(), base::interruptible_sleep);
    const base::Config config = directory::config_for_builds(context.config(), own.path());
    creator::ServerBuilds builds = host.server_builds(config);
    db::BuildStore records(context.database());
    const auto may_compile = host.gate.background_start_permit();
    const auto resolved = resolve(
        arguments,
        [&](const creator::SelectionRequest& request) {
          return builds.resolve(request, may_compile, host.freshness.epoch());
        },
        records);
    build_hash = resolved->plan.build_hash;
    const start::NamedServer server{resolved->plan, builds, host.stock.plugins, may_compile};
    start::NamedStart started;
    if (arguments.has("costs")) {
      auto measured = start::measure_named(server, start_host(context));
      if (const auto* const costs = std::get_if<start::FrameCosts>(&measured)) {
        return print_costs(*costs, arguments, context);
      }
      started.report = std::get<start::Report>(std::move(measured));
    } else {
      started = start::start_named(server, arguments.has("facts"), start_host(context));
    }
    const start::Report& report = started.report;
    if (!started.unplayed.empty()) {
      context.report("nobody has played there: " + started.unplayed);
    }
    if (arguments.has("json")) {
      context.print(view(build_hash, start::name_of(report.outcome), report));
    } else {
      print(build_hash, report, context.out());
    }
    if (report.outcome == Outcome::faulty) {
      throw Failure(started.is_played ? "not all of the server plays"
                                      : "not all of the server runs");
    }
    if (report.outcome == Outcome::failed) {
      throw Failure(started.is_played ? "the server starts, but nobody can play there"
                                      : "the server does not start");
    }
  } catch (const start::Unavailable& unavailable) {
    report_untried(unavailable.what());
  } catch (const start::NotTried& cause) {
    report_untried(cause.what());
  } catch (const archive::MissingDepotFile& missing) {
    report_untried(missing.what());
  }
}

void print(const std::string& build_hash, const db::BuildStart& start, std::ostream& out) {
  out << build_hash << ": " << start.outcome << ", "
      << count_of(static_cast<std::size_t>(start.plugins_running), "plugin") << " running, "
      << start.plugins_faulty << " faulty"
      << (start.plays.empty()      ? ""
          : start.plays == "plays" ? ", and plays"
                                   : ", but does not play")
      << '\n';
}

void run_pending(Context& context) {
  // What the workers keep belongs to their user, who also reads their counters.
  if (host::is_root_in_folder_of_another(context.config().archive_cache)) {
    throw Failure(
        "root does not work in the cache of the workers' user: \"systemctl start "
        "goldsmith-build-start\" does this as that user");
  }
  try {
    const auto count = start::start_pending(
        start_host(context), [&](const std::string& build_hash, const db::BuildStart& start) {
          print(build_hash, start, context.out());
        });
    if (!count) {
      context.out() << "another process is starting what was not started yet\n";
    } else if (*count == 0) {
      context.out() << "every build was started before\n";
    }
  } catch (const start::Unavailable& unavailable) {
    throw Untried(std::string("no server can be started here: ") + unavailable.what());
  }
}

void run_start(const Arguments& arguments, Context& context) {
  const bool is_named = !arguments.text("HASH|SELECTION").empty();
  if (is_named == arguments.has("pending")) {
    throw UsageError("name either a build (HASH|SELECTION) or --pending");
  }
  if (arguments.has("facts") && !(is_named && arguments.has("json"))) {
    throw UsageError("--facts needs a build (HASH|SELECTION) and --json");
  }
  if (arguments.has("costs") && (!is_named || arguments.has("facts"))) {
    throw UsageError("--costs needs a build (HASH|SELECTION), and is for itself");
  }
  const base::InterruptionGuard guard;
  if (is_named) return start_one(arguments, context);
  run_pending(context);
}

}  // namespace

Verb start_verb() {
  return {
      .name = "start",
      .summary = "Starts a server archive, and lists what it loads.",
      .text =
          "Starts the server with its own engine in the sandbox and lists what was loaded: engine "
          "and game library with their versions, the plugins of Metamod, the modules and the "
          "plugins of AMX Mod X with their states and errors. A plugin of the selection that ends "
          "the engine is found and left out, by starting the server up to ten times. A start may "
          "take 20 seconds of processor time, and no further one begins after 40.\n\n"
          "Plugins of the selection that were not compiled yet are, as for a download. If all of "
          "it "
          "runs, the server is started once more with players who are made up: they join, shoot, "
          "die and leave within a second or two. What goes wrong then is told with what they did: "
          "\"spawn: Run time error 4: …\". \"bots\" are those of the server that joined them.\n\n"
          "With --facts, \"facts\" has an array of texts for each cvar, \"cvar\", file of the "
          "plugin, name, flags, value, description, and each command, \"command\", file of the "
          "plugin, what is typed, access, who may give it (\"c\" clients, \"s\" the server, "
          "\"b\" both), description.\n\n"
          "HASH and SELECTION are those of \"goldsmith build explain\". What only the game has, "
          "such as maps and models, is made up, unless start.game_folder names a folder with it. "
          "The server sees no network and nothing of this host, and nothing of it is left. "
          "Engines are 32-bit programs: where the kernel runs none, start.emulator names a program "
          "that does.\n\n"
          "With --pending, archives in this host's cache that were not started yet are started, "
          "one "
          "after the other, then the recommended server and every published pack; what that showed "
          "is kept for \"start\" in the API, and for the pages. goldsmith-build-start.service does "
          "this after each new archive, and once an hour.\n\n"
          "The exit code is 0 if all that was asked for runs, 1 if something does not, also if the "
          "archive has no engine that can be executed, and 3 if it could not be tried.",
      .positionals = {{.name = "HASH|SELECTION", .required = false}},
      .options = {{.name = "pending",
                   .help = "Starts what was not started yet, and keeps the outcomes."},
                  {.name = "facts",
                   .help = "Lists the cvars and commands that plugins registered, as the server "
                           "knows them, in place of playing. Models that are missing are made up. "
                           "With --json only."},
                  {.name = "costs",
                   .help = "Measures what each plugin of the selection takes of a frame with 32 "
                           "players, in place of playing, for a minute or two."},
                  json_option()},
      .examples = {"goldsmith build start rehlds,regamedll-cs,metamod-r,amxmodx-1-9",
                   "goldsmith build start 'https://goldsmith.example/server?plugins=afk-watch' "
                   "--json"},
      .run = run_start,
  };
}

}  // namespace goldsmith::cli::commands::build
