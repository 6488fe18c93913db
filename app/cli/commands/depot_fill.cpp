#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/archive/depot_upkeep.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "app/mirror/depot_filling.hpp"
#include "app/mirror/release_mirroring.hpp"

namespace goldsmith::cli {

namespace {

namespace fs = std::filesystem;

// HOST, https://HOST or a folder.
mirror::FillSources parse_source(const std::string& from) {
  mirror::FillSources sources;
  std::error_code error;
  if (from.find("://") == std::string::npos && from.find('/') != std::string::npos) {
    if (!fs::is_directory(from, error)) {
      throw Failure("--from " + from + ": there is no such folder");
    }
    sources.folder = from;
    return sources;
  }
  const std::string url = from.find("://") == std::string::npos ? "https://" + from : from;
  if (!base::is_secure_url(url)) {
    throw UsageError(
        "--from is \"" + from +
        "\"; it must be a host such as host-2.example.org, an https:// address without "
        "a slash at its end, or a folder with a slash in it");
  }
  sources.peers = {url};
  return sources;
}

mirror::FillSources sources_of(const Arguments& arguments, Context& context) {
  if (arguments.has("from")) return parse_source(arguments.text("from"));
  return {std::nullopt, context.config().depot_peers.peers, true};
}

void list_missing(Context& context, const archive::Depot& depot) {
  const domain::Catalog catalog = context.components().load_catalog();
  const auto missing = archive::find_missing(catalog, depot);
  for (const auto& [component, version] : missing) {
    context.out() << "would fetch " << component->slug << ' ' << version->version << '\n';
  }
  context.out() << count_of(missing.size(), "file") << " of " << archive::count_versions(catalog)
                << " missing\n";
}

void print_totals(const mirror::FillOutcome& outcome, const archive::Depot& depot,
                  std::ostream& out) {
  if (outcome.opened > 0) {
    out << count_of(outcome.opened, "file")
        << " could not be read by the workers, and can be now\n";
  }
  if (outcome.filled + outcome.failed == 0) {
    out << "nothing is missing: " << count_of(outcome.versions, "mirrored version") << " in "
        << depot.root().string() << '\n';
    return;
  }
  out << count_of(outcome.filled, "file") << " fetched, " << outcome.failed << " missing\n";
  if (outcome.failed == 0) return;
  throw Failure(fmt::format("{} of {} missing files could not be fetched", outcome.failed,
                            outcome.filled + outcome.failed));
}

void run_fill(const Arguments& arguments, Context& context) {
  const archive::Depot depot(context.config().depot);
  const mirror::FillSources sources = sources_of(arguments, context);
  if (arguments.has("dry-run")) return list_missing(context, depot);
  const base::InterruptionGuard guard;
  db::ComponentStore components = context.components();
  ProgressLine line(context.err(), context.shows_progress());
  const mirror::FillObserver observer{
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
  const mirror::FillOutcome outcome =
      mirror::fill_depot(components, context.config(), context.clock(), sources, observer);
  line.clear();
  print_totals(outcome, depot, context.out());
}

void run_collect(const Arguments& arguments, Context& context) {
  const bool dry_run = arguments.has("dry-run");
  const archive::Depot depot(context.config().depot);
  db::ComponentStore components = context.components();
  const base::InterruptionGuard guard;
  const auto mode = dry_run ? archive::RemovalMode::dry_run : archive::RemovalMode::remove;
  const char* const verb = dry_run ? "would remove " : "removed ";
  const auto files = mirror::collect_superseded(components, depot, mirror::kSupersededGrace, mode);
  json::Array listing;
  for (const db::SupersededFile& file : files) {
    listing.emplace_back(
        json::Object{{"component", file.slug}, {"version", file.version}, {"digest", file.digest}});
    if (!arguments.has("json")) {
      context.out() << verb << file.slug << ' ' << file.version << ' ' << file.digest << '\n';
    }
  }
  for (const fs::path& file :
       archive::collect_damaged(components.load_catalog(), depot, archive::kDamagedGrace, mode)) {
    listing.emplace_back(json::Object{{"damaged_file", file.string()}});
    if (!arguments.has("json")) context.out() << verb << file.string() << '\n';
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
          "the only place to ask instead. A file is taken only if its digest is the one in the "
          "catalog. Files that the workers may not read are opened to them. An interrupted "
          "transfer is continued by the next run. A source that fails is "
          "reported once and not asked again. The exit code is 1 if a file is still missing.\n\n"
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
      .summary = "Removes files that were superseded, and damaged ones that were replaced.",
      .text =
          "Removes the files of versions that were removed, or mirrored again with other content, "
          "an hour or longer ago, on any host that shares the database; and damaged files that "
          "goldsmith depot verify --repair set aside a week or longer ago, if the depot has their "
          "versions again. Files that the catalog has never known stay; goldsmith depot verify "
          "lists them. goldsmith-depot-fill.timer runs this, too.",
      .options = {{.name = "dry-run", .help = "Shows what would be removed, and changes nothing."},
                  json_option()},
      .examples = {"goldsmith depot collect --dry-run"},
      .run = run_collect,
  };
}

}  // namespace goldsmith::cli
