// build explain: where each file of a server archive comes from.
#include "app/cli/commands/build.hpp"

#include <map>
#include <ostream>
#include <utility>
#include <variant>
#include <vector>

#include "app/base/digest.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/output.hpp"
#include "app/creator/server_builds.hpp"
#include "app/start/selection_query.hpp"
#include "db/component_store.hpp"

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

std::shared_ptr<const creator::ResolvedPlan> resolve(const Arguments& arguments,
                                                     const start::Resolve& resolve_request,
                                                     db::BuildStore& records) {
  const std::string asked = arguments.text("HASH|SELECTION");
  const std::string selection = selection_of(asked, records);
  auto resolved = start::resolve(start::request_of(selection), resolve_request);
  check_hash(asked, selection, resolved->plan);
  return resolved;
}

Noun noun() {
  return {
      .name = "build",
      .summary = "Server archives.",
      .text = "Explains what server archives are made of, and starts them.",
      .verbs = {explain_verb(), start_verb()},
  };
}

}  // namespace goldsmith::cli::commands::build
