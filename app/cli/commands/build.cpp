#include <chrono>
#include <filesystem>
#include <functional>
#include <ostream>
#include <set>
#include <variant>

#include "app/archive/depot.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/commands/plugin_check.hpp"
#include "app/cli/commands/starts.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/creator/archive_digests.hpp"
#include "app/creator/plugin_files.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/plugin.hpp"
#include "app/host/account.hpp"
#include "app/host/shared_file.hpp"
#include "app/start/server_start.hpp"
#include "app/start/stand_ins.hpp"
#include "app/web/request.hpp"
#include "db/download_log.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::cli::commands::build {
namespace {

// Where one file of a build comes from.
struct ExplainedFile {
  const creator::PlannedFile* file = nullptr;
  std::string version;                     // of the component or the plugin; "" = neither
  const domain::Source* source = nullptr;  // null = none, or not recorded
  std::string source_path;
};

struct Explained {
  std::string selection;       // a query string
  std::string archive_sha256;  // "" = not known
  std::vector<ExplainedFile> files;
};

// A link, a query string, or a list of components.
std::string query_of(const std::string& selection) {
  const std::size_t question_mark = selection.find('?');
  if (question_mark != std::string::npos) return selection.substr(question_mark + 1);
  if (selection.find("://") != std::string::npos) return "";  // a link to the recommended server
  return selection.find('=') == std::string::npos ? "components=" + selection : selection;
}

using Origins = std::map<std::string, domain::FileOrigin, std::less<>>;

// By path; empty if they are not recorded.
Origins load_origins(const creator::Selected& selected, db::ComponentStore& components) {
  const auto origins = components.load_origins(selected.component->slug, selected.version->version);
  const std::vector<domain::ManifestFile>& files = selected.version->files;
  Origins by_path;
  if (origins.size() != files.size()) return by_path;
  for (std::size_t i = 0; i < files.size(); ++i) by_path.emplace(files[i].path, origins[i]);
  return by_path;
}

// `origins`: of each component of the selection.
ExplainedFile explain(const creator::PlannedFile& file, const creator::Plan& plan,
                      const std::vector<Origins>& origins) {
  ExplainedFile explained{&file, "", nullptr, ""};
  if (const auto* from = std::get_if<creator::PlannedFile::FromDepot>(&file.source)) {
    const domain::ComponentVersion& version = *plan.selection.components[from->component].version;
    explained.version = version.version;
    const Origins& known = origins[from->component];
    const auto origin = known.find(file.path);
    if (origin != known.end() && origin->second.source < version.sources.size()) {
      explained.source = &version.sources[origin->second.source];
      explained.source_path = origin->second.path;
    }
  }
  for (const creator::PlannedPlugin& plugin : plan.plugins) {
    if (file.from == "plugin:" + plugin.slug) explained.version = plugin.version;
  }
  return explained;
}

std::vector<ExplainedFile> explain(const creator::Plan& plan, db::ComponentStore components) {
  std::vector<Origins> origins;
  for (const creator::Selected& each : plan.selection.components) {
    origins.push_back(load_origins(each, components));
  }
  std::vector<ExplainedFile> files;
  for (const creator::PlannedFile& file : plan.files) files.push_back(explain(file, plan, origins));
  return files;
}

void print(const creator::Plan& plan, const Explained& explained, std::ostream& out) {
  print_fields(out, {{"build_hash", plan.build_hash},
                     {"archive_sha256", explained.archive_sha256.empty()
                                            ? "not known: nobody has downloaded it yet"
                                            : explained.archive_sha256},
                     {"selection", explained.selection}});
  Table table({"PATH", "ORIGIN", "FROM", "SHA256 OF THE UPSTREAM ARCHIVE", "PATH IN IT"});
  for (const ExplainedFile& each : explained.files) {
    const creator::PlannedFile& file = *each.file;
    const bool is_upstream = file.origin == creator::Origin::upstream;
    const std::string unknown = is_upstream ? "not recorded" : "-";
    table.add({file.path, std::string(creator::to_string(file.origin)),
               file.from + (each.version.empty() ? "" : " " + each.version),
               each.source ? each.source->sha256 : unknown,
               each.source ? each.source_path : unknown});
  }
  out << '\n';
  table.print(out);
}

json::Object file_view(const ExplainedFile& each) {
  const creator::PlannedFile& file = *each.file;
  return {{"path", file.path},
          {"size", file.size},
          {"executable", file.executable},
          {"sha256", file.sha256},
          {"origin", creator::to_string(file.origin)},
          {"from", file.from},
          {"version", each.version},
          {"source_url", each.source ? each.source->url : ""},
          {"source_sha256", each.source ? each.source->sha256 : ""},
          {"source_path", each.source_path}};
}

json::Object plugin_view(const creator::PlannedPlugin& plugin) {
  return {{"slug", plugin.slug},
          {"version", plugin.version},
          {"content_digest", plugin.content_digest},
          {"toolchain_fingerprint", plugin.toolchain_fingerprint}};
}

json::Object view(const creator::Plan& plan, const Explained& explained) {
  return {{"build_hash", plan.build_hash},
          {"archive_sha256", explained.archive_sha256},
          {"selection", explained.selection},
          {"files", json::array_of(explained.files, file_view)},
          {"plugins", json::array_of(plan.plugins, plugin_view)}};
}

std::string selection_of(const std::string& asked, db::BuildStore& builds) {
  if (!base::is_sha256_hex(asked)) return query_of(asked);
  const auto build = builds.find(asked);
  if (build) return build->selection;
  throw Failure("no download of the build " + asked +
                " is recorded; name its selection instead: a link to it, or components=…");
}

void check_hash(const std::string& asked, const std::string& selection, const creator::Plan& plan) {
  if (!base::is_sha256_hex(asked) || asked == plan.build_hash) return;
  throw Failure("what the build " + asked + " was made of has changed since: its selection \"" +
                selection + "\" is the build " + plan.build_hash + " now");
}

// What the command line names.
std::shared_ptr<const creator::ResolvedPlan> resolve(const Arguments& arguments,
                                                     const Resolve& resolve_request,
                                                     db::BuildStore& records) {
  const std::string asked = arguments.text("HASH|SELECTION");
  const std::string selection = selection_of(asked, records);
  auto resolved = cli::resolve(request_of(selection), resolve_request);
  check_hash(asked, selection, resolved->plan);
  return resolved;
}

void run_explain(const Arguments& arguments, Context& context) {
  db::BuildStore records(context.database());
  creator::OfflineBuilds builds(context.config(), context.clock(), context.database());
  const auto resolved = resolve(
      arguments, [&](const creator::SelectionRequest& request) { return builds.resolve(request); },
      records);
  const creator::Plan& plan = resolved->plan;
  Explained explained;
  explained.selection = plan.download_query;
  if (const auto build = records.find(plan.build_hash)) {
    explained.archive_sha256 = build->archive_sha256;
  }
  explained.files = explain(plan, context.components());
  if (arguments.has("json")) return context.print(view(plan, explained));
  print(plan, explained, context.out());
}

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
                     {"outcome", std::string(name_of(report.outcome))},
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
  const std::vector<std::string> lines = lines_of(report);
  if (!lines.empty()) out << '\n';
  for (const std::string& line : lines) out << line << '\n';
}

// Of models that plugins of the plan lack.
std::vector<archive::MemoryFile> missing_models(const creator::Plan& plan,
                                                db::PluginStore& plugins) {
  std::set<std::string> paths;
  for (const creator::PlannedPlugin& planned : plan.plugins) {
    const auto slug = domain::Slug::parse(planned.slug);
    const auto found = slug ? plugins.find_version(*slug, planned.version) : std::nullopt;
    if (!found) continue;
    for (const domain::PrecachedFile& file : creator::missing_files(found->version)) {
      if (file.is_model) paths.insert(file.path);
    }
  }
  std::vector<archive::MemoryFile> files;
  for (const std::string& path : paths) {
    files.push_back({"cstrike/" + path, start::stand_in(path)});
  }
  return files;
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
    CheckHost host(context.config(), base::interruptible_sleep);
    const base::Config config = config_for_builds(context.config(), own.path());
    creator::ServerBuilds builds = server_builds(host, config);
    db::BuildStore records(context.database());
    const auto may_compile = host.gate.background_start_permit();
    const auto resolved = resolve(
        arguments,
        [&](const creator::SelectionRequest& request) {
          return builds.resolve(request, may_compile, host.freshness.epoch());
        },
        records);
    const creator::Plan& plan = resolved->plan;
    build_hash = plan.build_hash;
    const base::UniqueFd zip = open_archive(plan, builds);
    context.progress("starting the server");
    StartedBeside beside;
    beside.tells_facts = arguments.has("facts");
    if (beside.tells_facts) {
      beside.player = player_for(plan, builds, may_compile);
      beside.files = missing_models(plan, host.stock.plugins);
    }
    start::Report report = start_archive(plan, zip, context.config().start, beside);
    bool is_played = false;
    if (!beside.tells_facts) {
      std::string cause;
      auto played =
          play_archive(plan, zip, report, builds, may_compile, context.config().start, cause);
      is_played = played.has_value();
      if (played) report = *std::move(played);
      if (!cause.empty()) context.report("nobody has played there: " + cause);
    }
    if (arguments.has("json")) {
      context.print(view(build_hash, name_of(report.outcome), report));
    } else {
      print(build_hash, report, context.out());
    }
    if (report.outcome == Outcome::faulty) {
      throw Failure(is_played ? "not all of the server plays" : "not all of the server runs");
    }
    if (report.outcome == Outcome::failed) {
      throw Failure(is_played ? "the server starts, but nobody can play there"
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

void run_start(const Arguments& arguments, Context& context) {
  const bool is_named = !arguments.text("HASH|SELECTION").empty();
  if (is_named == arguments.has("pending")) {
    throw UsageError("name either a build (HASH|SELECTION) or --pending");
  }
  if (arguments.has("facts") && !(is_named && arguments.has("json"))) {
    throw UsageError("--facts needs a build (HASH|SELECTION) and --json");
  }
  const base::InterruptionGuard guard;
  if (is_named) return start_one(arguments, context);
  start_pending(context);
}

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
                  json_option()},
      .examples = {"goldsmith build start rehlds,regamedll-cs,metamod-r,amxmodx-1-9",
                   "goldsmith build start 'https://goldsmith.example/server?plugins=afk-watch' "
                   "--json"},
      .run = run_start,
  };
}

Verb explain_verb() {
  return {
      .name = "explain",
      .summary = "Lists where each file of a server archive comes from.",
      .text =
          "Lists every file of a server archive with its origin: the component and its version, "
          "the SHA-256 of the upstream archive that it was taken from, and its path in there. "
          "With these anybody can check a file by hand: download the archive (component show names "
          "its address), compare its SHA-256, and compare the file in it with the one in the "
          "server archive. Generated, edited and compiled files have no upstream archive.\n\n"
          "HASH is the build hash of an archive that was downloaded from this service. SELECTION "
          "is a link to the server creator, a query string such as "
          "\"components=rehlds,reapi&optimized=1\", or a list of components. Nothing is compiled "
          "or built.",
      .positionals = {{.name = "HASH|SELECTION"}},
      .options = {json_option()},
      .examples = {"goldsmith build explain rehlds,regamedll-cs,metamod-r",
                   "goldsmith build explain 'https://goldsmith.example/server?optimized=1' --json"},
      .run = run_explain,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "build",
      .summary = "Server archives.",
      .text = "Explains what server archives are made of, and starts them.",
      .verbs = {explain_verb(), start_verb()},
  };
}

}  // namespace goldsmith::cli::commands::build
