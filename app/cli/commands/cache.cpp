#include <algorithm>
#include <array>
#include <ostream>
#include <thread>

#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/table.hpp"
#include "app/service/cache_upkeep.hpp"

namespace goldsmith::cli {
namespace {

using service::CacheFinding;
using service::CacheKind;
using service::CacheUpkeep;

constexpr std::array kKinds = {CacheKind::archives, CacheKind::artefacts};

std::string name_of(CacheKind kind) {
  return kind == CacheKind::archives ? "archives" : "artefacts";
}

std::string_view name_of(CacheFinding::State state) {
  switch (state) {
    case CacheFinding::State::ok:
      return "ok";
    case CacheFinding::State::damaged:
      return "damaged";
    case CacheFinding::State::stray:
      return "stray";
  }
  return "";
}

std::string files(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " file" : " files");
}

CacheUpkeep upkeep(Context& context) { return {context.config(), context.clock()}; }

// What nobody can know is whether nginx has opened an archive that it was handed a moment ago.
CacheUpkeep::Wait waiting(Context& context) {
  return [&context](std::chrono::seconds time) {
    context.progress("waiting " + std::to_string(time.count()) +
                     " s for nginx to open what it was handed last …");
    std::this_thread::sleep_for(time);
  };
}

void run_stats(const Arguments& arguments, Context& context) {
  const CacheUpkeep caches = upkeep(context);
  json::Array listing;
  Table table({"CACHE", "FILES", "BYTES", "LIMIT", "OLDEST USE", "FOLDER"});
  for (const CacheKind kind : kKinds) {
    const service::CacheContent content = caches.measure(kind);
    const std::string folder = caches.folder_of(kind).string();
    const std::string oldest =
        content.oldest_use ? domain::format_timestamp(
                                 std::chrono::floor<std::chrono::seconds>(*content.oldest_use))
                           : "";
    listing.emplace_back(json::Object{{"cache", name_of(kind)},
                                      {"folder", folder},
                                      {"exists", content.exists},
                                      {"files", content.files},
                                      {"bytes", content.bytes},
                                      {"limit_bytes", content.max_bytes},
                                      {"oldest_use", oldest}});
    table.add({name_of(kind), std::to_string(content.files), std::to_string(content.bytes),
               std::to_string(content.max_bytes), oldest.empty() ? "-" : oldest,
               folder + (content.exists ? "" : " (missing)")});
  }
  if (arguments.has("json")) return context.print(listing);
  table.print(context.out());
}

void run_prune(const Arguments& arguments, Context& context) {
  const CacheUpkeep caches = upkeep(context);
  const auto extent =
      arguments.has("all") ? CacheUpkeep::Extent::all : CacheUpkeep::Extent::to_limits;
  json::Array listing;
  for (const CacheKind kind : kKinds) {
    const archive::Removed removed = caches.prune(kind, extent, waiting(context));
    const service::CacheContent left = caches.measure(kind);
    listing.emplace_back(json::Object{{"cache", name_of(kind)},
                                      {"removed_files", removed.files},
                                      {"removed_bytes", removed.bytes},
                                      {"files", left.files},
                                      {"bytes", left.bytes}});
    if (arguments.has("json")) continue;
    context.out() << name_of(kind) << ": removed " << files(removed.files) << " of "
                  << removed.bytes << " bytes, " << files(left.files) << " of " << left.bytes
                  << " bytes left\n";
  }
  if (arguments.has("json")) context.print(listing);
}

class CacheCheck {
 public:
  explicit CacheCheck(Context& context) : context_(context), caches_(upkeep(context)) {}

  void run() {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      context_.progress("reading the " + name_of(kKinds[i]) + " …");
      findings_[i] = caches_.verify(kKinds[i]);
    }
  }

  void print() const {
    Table table({"CACHE", "STATE", "DETAIL"});
    each([&](CacheKind kind, const CacheFinding& finding) {
      if (finding.state != CacheFinding::State::ok) {
        table.add({name_of(kind), std::string(name_of(finding.state)), finding.detail});
      }
    });
    if (!table.empty()) table.print(context_.out());
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      context_.out() << name_of(kKinds[i]) << ": " << files(count(i, CacheFinding::State::ok))
                     << " ok, " << count(i, CacheFinding::State::damaged) << " damaged\n";
    }
  }

  json::Array listing() const {
    json::Array listing;
    each([&](CacheKind kind, const CacheFinding& finding) {
      listing.emplace_back(json::Object{{"cache", name_of(kind)},
                                        {"file", finding.file.string()},
                                        {"state", name_of(finding.state)},
                                        {"detail", finding.detail}});
    });
    return listing;
  }

  std::uint64_t damaged() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kKinds.size(); ++i) sum += count(i, CacheFinding::State::damaged);
    return sum;
  }

  archive::Removed remove_damaged() const {
    archive::Removed removed;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      removed += caches_.remove_damaged(kKinds[i], findings_[i], waiting(context_));
    }
    return removed;
  }

 private:
  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      for (const CacheFinding& finding : findings_[i]) visit(kKinds[i], finding);
    }
  }

  std::uint64_t count(std::size_t kind, CacheFinding::State state) const {
    return static_cast<std::uint64_t>(
        std::count_if(findings_[kind].begin(), findings_[kind].end(),
                      [&](const CacheFinding& finding) { return finding.state == state; }));
  }

  Context& context_;
  CacheUpkeep caches_;
  std::array<std::vector<CacheFinding>, kKinds.size()> findings_;
};

void run_verify(const Arguments& arguments, Context& context) {
  CacheCheck check(context);
  check.run();
  if (arguments.has("json")) {
    context.print(check.listing());
  } else {
    check.print();
  }
  if (check.damaged() == 0) return;
  if (!arguments.has("repair")) {
    throw Failure(files(check.damaged()) +
                  " damaged; --repair removes them, and they are made again on the next request");
  }
  const archive::Removed removed = check.remove_damaged();
  if (!arguments.has("json")) context.out() << "removed " << files(removed.files) << '\n';
}

Verb stats_verb() {
  return {
      .name = "stats",
      .summary = "Shows how large the caches are.",
      .text =
          "Shows the files and bytes of the cache of server archives and of the cache of compiled "
          "plugins, the limit that pruning enforces, and when the least recently used file was "
          "used.",
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
          "Removes the least recently used server archives and compiled plugins until the "
          "configured limits are met: the sizes cache.archives_mb and cache.artefacts_mb, "
          "cache.unused_days without use, and cache.free_mb of free disk space. Unfinished files "
          "of killed workers are removed too; files that are not goldsmith's stay. The package "
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
          "plugin and every kept rejection of a plugin. The state is \"ok\", \"damaged\", or "
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

Noun cache_noun() {
  return {
      .name = "cache",
      .summary = "The caches of built archives and compiled plugins.",
      .text =
          "Shows, trims and checks the caches of built server archives and of the plugins compiled "
          "for them. Removing a file loses nothing: it is made again on the next request, with the "
          "same bytes.",
      .verbs = verbs(),
  };
}

}  // namespace goldsmith::cli
