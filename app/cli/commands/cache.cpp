#include <algorithm>
#include <ostream>
#include <thread>

#include <fmt/core.h>

#include "app/archive/archive_cache.hpp"
#include "app/archive/resource_cache.hpp"
#include "app/archive/resource_links.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/compile/compiled_plugin_cache.hpp"
#include "app/host/account.hpp"

namespace goldsmith::cli::commands::cache {
namespace {

using archive::CacheFolder;
using archive::VerifiedFile;
using State = VerifiedFile::State;

std::string_view name_of(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::damaged:
      return "damaged";
    case State::stray:
      break;
  }
  return "stray";
}

std::vector<CacheFolder> caches(Context& context) {
  host::become_owner_of(context.config().archive_cache);
  return {archive::archive_folder(context.config()), compile::artefact_folder(context.config()),
          archive::resource_folder(context.config())};
}

// Nobody can know whether nginx has opened an archive that it was handed a moment ago.
CacheFolder::Wait waiting(Context& context) {
  return [&context](std::chrono::seconds time) {
    context.progress(
        fmt::format("waiting {} s for nginx to open what it was handed last …", time.count()));
    std::this_thread::sleep_for(time);
  };
}

struct CacheStats {
  std::string cache;
  std::string folder;
  bool exists = false;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t max_bytes = 0;  // that pruning leaves
  std::uint64_t inodes = 0;     // the files, and what leads to them
  std::uint64_t max_inodes = 0;
  std::optional<std::chrono::system_clock::time_point> oldest_use = {};
};

// Only the contents for game clients have links.
std::uint64_t linking_inodes(const CacheFolder& cache, Context& context) {
  const CacheFolder resources = archive::resource_folder(context.config());
  return cache.path() == resources.path() ? archive::ResourceLinks(resources).inodes() : 0;
}

CacheStats stats_of(const CacheFolder& cache, Context& context) {
  std::error_code error;
  CacheStats stats{cache.name(), cache.path(), std::filesystem::is_directory(cache.path(), error)};
  stats.max_bytes = cache.limits().bytes;
  stats.max_inodes = context.config().cache.inodes;
  for (const archive::CachedFile& file : cache.files()) {
    ++stats.files;
    stats.bytes += file.bytes;
    stats.oldest_use = std::min(stats.oldest_use.value_or(file.last_use), file.last_use);
  }
  stats.inodes = stats.files + linking_inodes(cache, context);
  return stats;
}

std::string oldest_use(const CacheStats& stats) {
  if (!stats.oldest_use) return "";
  return domain::format_timestamp(std::chrono::floor<std::chrono::seconds>(*stats.oldest_use));
}

Listing<CacheStats> stats_listing() {
  using Row = CacheStats;
  const auto place = [](const Row& row) { return row.folder + (row.exists ? "" : " (missing)"); };
  return {{{"CACHE", "cache", &Row::cache},
           {"FILES", "files", &Row::files},
           {"BYTES", "bytes", &Row::bytes},
           {"LIMIT", "limit_bytes", &Row::max_bytes},
           {"INODES", "inodes", &Row::inodes},
           {"INODE LIMIT", "limit_inodes", &Row::max_inodes},
           {"OLDEST USE", "oldest_use", oldest_use, "-"},
           {.header = "FOLDER", .value = place},
           {.field = "folder", .value = &Row::folder},
           {.field = "exists", .value = &Row::exists}}};
}

void run_stats(const Arguments& arguments, Context& context) {
  std::vector<CacheStats> stats;
  for (const CacheFolder& cache : caches(context)) stats.push_back(stats_of(cache, context));
  stats_listing().print(stats, arguments, context);
}

void run_prune(const Arguments& arguments, Context& context) {
  json::Array listing;
  for (const CacheFolder& cache : caches(context)) {
    const archive::Removed removed =
        arguments.has("all") ? cache.clear(waiting(context)) : cache.prune(waiting(context));
    const CacheStats left = stats_of(cache, context);
    listing.emplace_back(json::Object{{"cache", cache.name()},
                                      {"removed_files", removed.files},
                                      {"removed_bytes", removed.bytes},
                                      {"files", left.files},
                                      {"bytes", left.bytes}});
    if (arguments.has("json")) continue;
    context.out() << cache.name() << ": removed " << count_of(removed.files, "file") << " of "
                  << removed.bytes << " bytes, " << count_of(left.files, "file") << " of "
                  << left.bytes << " bytes left\n";
  }
  const CacheFolder resources = archive::resource_folder(context.config());
  archive::ResourceLinks(resources).prune();
  if (arguments.has("json")) context.print(listing);
}

// A file that was read.
struct Checked {
  std::string cache;
  VerifiedFile file;
};

Listing<Checked> checked_listing() {
  return {{{"CACHE", "cache", &Checked::cache},
           {"STATE", "state", [](const Checked& row) { return name_of(row.file.state); }},
           {"DETAIL", "detail", [](const Checked& row) { return row.file.detail; }},
           {.field = "file", .value = [](const Checked& row) { return row.file.file.string(); }}}};
}

// What is not ok, and how many files of each cache are.
void print_checked(std::vector<Checked> all, const std::vector<CacheFolder>& caches,
                   std::ostream& out) {
  std::string totals;
  for (const CacheFolder& cache : caches) {
    const auto count = [&](State state) {
      return std::count_if(all.begin(), all.end(), [&](const Checked& each) {
        return each.cache == cache.name() && each.file.state == state;
      });
    };
    totals += fmt::format("{}: {} ok, {} damaged\n", cache.name(),
                          count_of(count(State::ok), "file"), count(State::damaged));
  }
  std::erase_if(all, [](const Checked& each) { return each.file.state == State::ok; });
  if (!all.empty()) checked_listing().table(all).print(out);
  out << totals;
}

void run_verify(const Arguments& arguments, Context& context) {
  const std::vector<CacheFolder> folders = caches(context);
  std::vector<Checked> checked;
  std::vector<std::vector<std::filesystem::path>> damaged(folders.size());
  std::uint64_t damaged_files = 0;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    context.progress("reading the " + std::string(folders[i].name()) + " …");
    for (VerifiedFile& file : folders[i].verify()) {
      if (file.state == State::damaged) {
        damaged[i].push_back(file.file);
        ++damaged_files;
      }
      checked.push_back({folders[i].name(), std::move(file)});
    }
  }
  checked_listing().print(checked, arguments, context,
                          [&] { print_checked(checked, folders, context.out()); });
  if (damaged_files == 0) return;
  if (!arguments.has("repair")) {
    throw Failure(count_of(damaged_files, "file") +
                  " damaged; --repair removes them, and they are made again on the next request");
  }
  archive::Removed removed;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    removed += folders[i].remove(damaged[i], waiting(context));
  }
  if (arguments.has("json")) return;
  context.out() << "removed " << count_of(removed.files, "file") << '\n';
}

Verb stats_verb() {
  return {
      .name = "stats",
      .summary = "Shows how large the caches are.",
      .text =
          "Shows the files and bytes of the caches of server archives, of compiled plugins and of "
          "files for game clients (resources), the inodes that they take, with the links and "
          "folders of the latter, the limits that pruning enforces, and when the least recently "
          "used file was used.",
      .options = {json_option()},
      .examples = {"goldsmith cache stats"},
      .run = run_stats,
  };
}

Verb prune_verb() {
  return {
      .name = "prune",
      .summary = "Trims the caches to the configured limits.",
      .text =
          "Removes the least recently used server archives, compiled plugins and files for game "
          "clients until the configured limits are met: the sizes cache.archives_mb, "
          "cache.artefacts_mb and cache.resources_mb, cache.inodes for each cache, "
          "cache.unused_days without use, and cache.free_mb and cache.free_inodes of the disk that "
          "stay free. Unfinished files of killed workers are removed too; files that are not "
          "goldsmith's stay. The package "
          "runs this command every hour (goldsmith-cache-prune.timer).\n\n"
          "The service keeps running and no request fails: downloads in progress are completed, "
          "archives that are being built are left alone, and an archive that was handed to nginx a "
          "moment ago is removed only after cache.handover_seconds, for which the command waits.",
      .options = {{.name = "all", .help = "Empties the caches, whatever the limits are."},
                  json_option()},
      .examples = {"goldsmith cache prune", "goldsmith cache prune --all"},
      .run = run_prune,
  };
}

Verb verify_verb() {
  return {
      .name = "verify",
      .summary = "Reads every file of the caches and lists damaged ones.",
      .text =
          "Reads every server archive to its end and checks its structure and checksums, and that "
          "its comment and time match the build that its name states; and checks every compiled "
          "plugin, every kept rejection of a plugin, and the SHA-256 of every file for game "
          "clients. The state is \"ok\", \"damaged\", or "
          "\"stray\" for a file that is not goldsmith's, which does no harm. The exit code is 1 if "
          "something is damaged and was not removed.",
      .options = {{.name = "repair",
                   .help = "Removes damaged files; they are made again on the next request."},
                  json_option()},
      .examples = {"goldsmith cache verify", "goldsmith cache verify --repair"},
      .run = run_verify,
  };
}

std::vector<Verb> verbs() { return {stats_verb(), prune_verb(), verify_verb()}; }

}  // namespace

Noun noun() {
  return {
      .name = "cache",
      .summary = "The caches of built archives, compiled plugins and files for game clients.",
      .text =
          "Shows, trims and checks the caches of built server archives, of the plugins compiled "
          "for "
          "them, and of their files that game clients download. Removing a file loses nothing: it "
          "is made again on the next request, with the "
          "same bytes.",
      .verbs = verbs(),
  };
}

}  // namespace goldsmith::cli::commands::cache
