#include <ostream>
#include <system_error>

#include "app/archive/depot.hpp"
#include "app/cli/commands/depot.hpp"
#include "app/cli/context.hpp"
#include "app/cli/progress_line.hpp"
#include "app/service/depot_filling.hpp"
#include "app/service/depot_upkeep.hpp"
#include "app/sys/config_values.hpp"
#include "app/sys/interruption.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

std::string count_of(std::size_t count, std::string_view what) {
  return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

// HOST, https://HOST or a folder.
service::FillSources parse_source(const std::string& from) {
  service::FillSources sources;
  std::error_code error;
  if (from.find("://") == std::string::npos && from.find('/') != std::string::npos) {
    if (!fs::is_directory(from, error)) {
      throw Failure("--from " + from + ": there is no such folder");
    }
    sources.folder = from;
    return sources;
  }
  const std::string url = from.find("://") == std::string::npos ? "https://" + from : from;
  if (!sys::is_secure_url(url)) {
    throw UsageError(
        "--from is \"" + from +
        "\"; it must be a host such as host-2.example.org, an https:// address without "
        "a slash at its end, or a folder with a slash in it");
  }
  sources.peers = {url};
  return sources;
}

service::FillSources sources_of(const Arguments& arguments, Context& context) {
  if (arguments.has("from")) return parse_source(arguments.text("from"));
  return {std::nullopt, context.config().depot_peers.peers, true};
}

void list_missing(Context& context, const archive::Depot& depot) {
  const domain::Catalog catalog = context.components().load_catalog();
  const auto missing = service::find_missing(catalog, depot);
  for (const auto& [component, version] : missing) {
    context.out() << "would fetch " << component->slug << ' ' << version->version << '\n';
  }
  context.out() << count_of(missing.size(), "file") << " of " << service::count_versions(catalog)
                << " missing\n";
}

void print_totals(const service::FillOutcome& outcome, const archive::Depot& depot,
                  std::ostream& out) {
  if (outcome.filled + outcome.failed == 0) {
    out << "nothing is missing: " << count_of(outcome.versions, "mirrored version") << " in "
        << depot.root().string() << '\n';
    return;
  }
  out << count_of(outcome.filled, "file") << " fetched, " << outcome.failed << " missing\n";
  if (outcome.failed == 0) return;
  throw Failure(std::to_string(outcome.failed) + " of " +
                std::to_string(outcome.filled + outcome.failed) +
                " missing files could not be fetched");
}

void run_fill(const Arguments& arguments, Context& context) {
  const archive::Depot depot(context.config().depot);
  const service::FillSources sources = sources_of(arguments, context);
  if (arguments.has("dry-run")) return list_missing(context, depot);
  const sys::InterruptionGuard guard;
  db::ComponentStore components = context.components();
  ProgressLine line(context.err(), context.shows_progress());
  const service::FillObserver observer{
      [&](std::string_view what) { line.show(std::string(what) + " …"); },
      [&](const std::string& file, std::uint64_t done, std::uint64_t total) {
        line.show_transfer(file, done, total);
      },
      [&](const db::VersionName& name, const std::string& source) {
        line.clear();
        context.out() << "fetched " << name.slug << ' ' << name.version << " from " << source
                      << std::endl;
      },
      [&](const std::string& problem) {
        line.clear();
        context.report(problem);
      }};
  const service::DepotFilling filling(components, depot, context.config(), context.clock());
  const service::FillOutcome outcome = filling.fill(sources, observer);
  line.clear();
  print_totals(outcome, depot, context.out());
}

void run_collect(const Arguments& arguments, Context& context) {
  const bool dry_run = arguments.has("dry-run");
  const archive::Depot depot(context.config().depot);
  db::ComponentStore components = context.components();
  const sys::InterruptionGuard guard;
  const auto files = service::collect_superseded(
      components, depot, service::kSupersededGrace,
      dry_run ? service::CollectMode::dry_run : service::CollectMode::remove);
  json::Array listing;
  for (const db::SupersededFile& file : files) {
    listing.emplace_back(
        json::Object{{"component", file.slug}, {"version", file.version}, {"digest", file.digest}});
    if (!arguments.has("json")) {
      context.out() << (dry_run ? "would remove " : "removed ") << file.slug << ' ' << file.version
                    << ' ' << file.digest << '\n';
    }
  }
  if (arguments.has("json")) return context.print(listing);
  context.out() << count_of(files.size(), "superseded file")
                << (dry_run ? " would be removed\n" : " removed\n");
}

}  // namespace

Verb fill_verb() {
  return {
      .name = "fill",
      .summary = "Fetches the files that the catalog knows and this host lacks.",
      .text =
          "Fetches each missing file from the first place that has it: the hosts in depot.peers, "
          "which must list this host in their depot.allow or trust its depot.tls_certificate, then "
          "the upstream addresses that were recorded when the version was mirrored. --from names "
          "the only place to ask instead. A "
          "file is taken only if its digest is the one in the catalog. An interrupted transfer is "
          "continued by the next run. A source that fails is reported once and not asked again. "
          "The exit code is 1 if a file is still missing.\n\n"
          "goldsmith-depot-fill.timer runs this regularly, and the workers of a host request it "
          "when they miss a file.",
      .options = {{.name = "from",
                   .value_name = "HOST_OR_FOLDER",
                   .help = "Asks only this host, or copies from this folder, which holds another "
                           "depot; a folder is written with a slash."},
                  {.name = "dry-run", .help = "Shows what is missing, and changes nothing."}},
      .examples = {"goldsmith depot fill", "goldsmith depot fill --from host-1.example.org",
                   "goldsmith depot fill --from /mnt/backup/depot"},
      .run = run_fill,
  };
}

Verb collect_verb() {
  return {
      .name = "collect",
      .summary = "Removes files that were superseded.",
      .text =
          "Removes the files of versions that were removed, or mirrored again with other content, "
          "an hour or longer ago, on any host that shares the database. Files that the catalog has "
          "never known stay; goldsmith depot verify lists them. goldsmith-depot-fill.timer runs "
          "this, too.",
      .options = {{.name = "dry-run", .help = "Shows what would be removed, and changes nothing."},
                  json_option()},
      .examples = {"goldsmith depot collect --dry-run"},
      .run = run_collect,
  };
}

}  // namespace goldsmith::cli
