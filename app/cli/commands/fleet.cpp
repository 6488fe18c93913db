#include <fcntl.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <ostream>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/held_folder.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/fleet.hpp"
#include "app/cli/fleet_report.hpp"
#include "app/cli/output.hpp"
#include "db/download_log.hpp"

namespace goldsmith::cli::commands::fleet {
namespace {

// Each costs a query.
constexpr std::size_t kMostVersions = 20'000;

std::vector<FleetServer> read(const std::string& file) {
  if (file == "-") return read_fleet(std::cin);
  // It may be a stranger's, also in a folder of theirs.
  const base::UniqueFd fd = base::open_named(file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  std::ifstream in("/proc/self/fd/" + std::to_string(fd.get()), std::ios::binary);
  if (!in) throw Failure(file + ": can't be read");
  return read_fleet(in);
}

std::vector<Running> all_running(const std::vector<FleetServer>& servers,
                                 const domain::Catalog& catalog, db::BuildStore builds) {
  std::map<std::string, std::string> known;  // of a fleet many have the same
  const auto selection_of = [&](const std::string& build_hash) {
    const auto [found, is_new] = known.try_emplace(build_hash);
    if (is_new) {
      const auto recorded = builds.find_selection(build_hash);
      if (recorded) found->second = recorded->selection;
    }
    return found->second;
  };
  std::vector<Running> running;
  running.reserve(servers.size());
  for (const FleetServer& server : servers) {
    running.push_back(running_on(server, catalog, selection_of));
  }
  return running;
}

void add_version(const domain::PluginVersion& version, FleetPlugin& plugin) {
  plugin.versions.insert(version.version.str());
  for (const domain::StartVerdict& start : version.starts) {
    if (start.result != domain::StartVerdict::Result::faulty) continue;
    const std::string why = start.messages.empty() ? "it fails" : start.messages.front();
    plugin.faults.try_emplace({version.version.str(), start.toolchain}, why);
  }
}

FleetPlugins plugins_of(const std::vector<Running>& running, db::PluginStore store) {
  std::map<domain::Slug, std::set<std::string>> versions;
  std::size_t count = 0;
  for (const Running& each : running) {
    for (const creator::Token& token : each.plugins) {
      const auto slug = domain::Slug::parse(token.slug);
      if (slug) count += versions[*slug].insert(token.version).second ? 1U : 0U;
    }
  }
  if (count > kMostVersions) {
    throw Failure(
        fmt::format("more than {} versions of plugins: check parts of the fleet", kMostVersions));
  }
  std::vector<domain::Slug> slugs;
  for (const auto& [slug, wanted] : versions) slugs.push_back(slug);
  FleetPlugins plugins;
  for (const auto& [slug, newest] : store.newest_verdicts(slugs)) {
    FleetPlugin& plugin = plugins[slug.str()];
    plugin.newest = newest.version.version.str();
    add_version(newest.version, plugin);
    for (const std::string& name : versions[slug]) {
      const auto version = domain::Version::parse(name);
      if (!version || name == plugin.newest) continue;
      if (const auto found = store.find_head(slug, *version)) add_version(found->version, plugin);
    }
  }
  return plugins;
}

struct Checked {
  std::string name;
  std::vector<FleetFinding> findings;

  std::string_view state() const {
    return findings.empty() ? "current" : to_string(findings.front().concern);
  }
};

// One cause, and how many servers have it.
struct Cause {
  FleetFinding finding;
  std::int64_t servers = 0;
};

std::vector<Cause> causes_of(const std::vector<Checked>& servers) {
  std::map<FleetFinding, std::int64_t> counts;
  for (const Checked& server : servers) {
    for (const FleetFinding& finding : server.findings) ++counts[finding];
  }
  std::vector<Cause> causes;
  for (const auto& [finding, count] : counts) causes.push_back({finding, count});
  std::ranges::stable_sort(causes, [](const Cause& one, const Cause& other) {
    if (one.finding.concern != other.finding.concern) {
      return one.finding.concern < other.finding.concern;
    }
    return one.servers > other.servers;
  });
  return causes;
}

Listing<Cause> cause_listing() {
  return {{{"SERVERS", "servers", &Cause::servers},
           {"STATE", "state",
            [](const Cause& each) { return std::string(to_string(each.finding.concern)); }},
           {"WHAT", "what", [](const Cause& each) { return each.finding.what; }, "-"},
           {"REASON", "reason", [](const Cause& each) { return each.finding.reason; }}}};
}

Listing<FleetFinding> finding_listing() {
  return {{{.field = "state",
            .value = [](const FleetFinding& each) { return std::string(to_string(each.concern)); }},
           {.field = "what", .value = &FleetFinding::what},
           {.field = "reason", .value = &FleetFinding::reason}}};
}

json::Object counts_of(const std::vector<Checked>& servers) {
  json::Object counts{{"servers", servers.size()}, {"current", 0}};
  std::map<std::string, std::int64_t> found{{"current", 0}};
  for (std::size_t i = 0; i < kConcerns; ++i) {
    found.emplace(to_string(static_cast<Concern>(i)), 0);
  }
  for (const Checked& server : servers) ++found[std::string(server.state())];
  for (const auto& [state, count] : found) counts[state] = count;
  return counts;
}

void print(const std::vector<Checked>& servers, std::ostream& out) {
  const json::Object counts = counts_of(servers);
  const auto count = [&](std::string_view state) {
    return fmt::format("{} {}", *counts.at(std::string(state)).as_integer(), state);
  };
  out << count_of(servers.size(), "server") << ": " << count("current");
  for (std::size_t i = 0; i < kConcerns; ++i) {
    out << ", " << count(to_string(static_cast<Concern>(i)));
  }
  out << '\n';
  const Table causes = cause_listing().table(causes_of(servers));
  if (!causes.empty()) {
    out << '\n';
    causes.print(out);
  }
  Table table({"SERVER", "STATE", "BECAUSE OF"});
  for (const Checked& server : servers) {
    if (server.findings.empty()) continue;
    std::vector<std::string> names;
    for (const FleetFinding& finding : server.findings) {
      if (!finding.what.empty()) names.push_back(finding.what);
    }
    table.add({server.name, std::string(server.state()),
               names.empty() ? server.findings.front().reason : base::join(names, ", ")});
  }
  if (table.empty()) return;
  out << '\n';
  table.print(out);
}

void run_check(const Arguments& arguments, Context& context) {
  const std::vector<FleetServer> servers = read(arguments.text("FILE"));
  const domain::Catalog catalog = context.components().load_catalog();
  const std::vector<Running> running =
      all_running(servers, catalog, db::BuildStore(context.database()));
  const FleetPlugins plugins = plugins_of(running, context.plugins());
  std::vector<Checked> checked;
  checked.reserve(servers.size());
  for (std::size_t i = 0; i < servers.size(); ++i) {
    checked.push_back({servers[i].name, findings_of(running[i], catalog, plugins)});
  }
  if (!arguments.has("json")) return print(checked, context.out());
  context.print(json::Object{{"counts", counts_of(checked)},
                             {"causes", cause_listing().array(causes_of(checked))},
                             {"servers", json::array_of(checked, [](const Checked& server) {
                                return json::Object{
                                    {"name", server.name},
                                    {"state", server.state()},
                                    {"findings", finding_listing().array(server.findings)}};
                              })}});
}

Verb check_verb() {
  return {
      .name = "check",
      .summary = "Tells which servers run what is held, fails, has defects or is outdated.",
      .text =
          "Reads what \"goldsmith-keeper status --json\" printed on many servers, one object after "
          "the other or in an array, or links to the server creator or build hashes, one a line "
          "and with a name in front or not. An object may have a \"name\"; otherwise a server is "
          "named by its number. What is there and loaded is compared with the catalog and the "
          "directory of this host, and nothing of it is kept.\n\n"
          "The state of a server is the worst that was found: unreadable, fails (a rule of the "
          "catalog forbids it, or a start showed that a plugin does not run with its AMX Mod X), "
          "held, defect, outdated, unknown, or else current. First come the causes, each with the "
          "number of servers, then the servers that are not current.\n\n"
          "One call takes 10000 servers in 256 MiB; a link without versions means the latest "
          "ones.",
      .positionals = {{.name = "FILE"}},
      .options = {json_option()},
      .examples = {"goldsmith fleet check fleet.json",
                   "cat servers/*.json | goldsmith fleet check - --json"},
      .run = run_check,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "fleet",
      .summary = "Servers of customers.",
      .text = "Compares what runs on many servers with the catalog and the directory.",
      .verbs = {check_verb()},
  };
}

}  // namespace goldsmith::cli::commands::fleet
