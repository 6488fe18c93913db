#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/core.h>

#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/followed_report.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/commands/scan_options.hpp"
#include "app/cli/output.hpp"
#include "app/cli/scan_host.hpp"
#include "app/domain/plugin_manifest.hpp"
#include "app/scan/followed_run.hpp"

namespace goldsmith::cli {
namespace {

// Of a positional and its options; also the address of a page of GitHub, with its branch and
// folder.
domain::PluginUpstream upstream_of(const Arguments& arguments) {
  constexpr std::string_view kGithub = "https://github.com/";
  json::Object manifest;
  std::string repository = arguments.text("REPOSITORY");
  std::string folder = arguments.text("folder");
  std::string branch = arguments.text("branch");
  if (repository.starts_with(kGithub) && repository.find("/archive/") == repository.npos) {
    repository.erase(0, kGithub.size());
    while (repository.ends_with('/')) repository.pop_back();
    if (const std::size_t tree = repository.find("/tree/"); tree != repository.npos) {
      const std::string rest = repository.substr(tree + 6);
      repository.erase(tree);
      const std::size_t slash = rest.find('/');
      if (branch.empty()) branch = rest.substr(0, slash);
      if (folder.empty() && slash != rest.npos) folder = rest.substr(slash + 1);
    }
    if (repository.ends_with(".git")) repository.erase(repository.size() - 4);
  }
  manifest.emplace("repository", repository);
  if (!folder.empty()) manifest.emplace("folder", folder);
  if (!branch.empty()) manifest.emplace("branch", branch);
  if (arguments.has("releases")) manifest.emplace("releases", arguments.text("releases"));
  try {
    const json::Value value(std::move(manifest));
    return domain::read_plugin_upstream(domain::Node(domain::Location("REPOSITORY"), value), {});
  } catch (const domain::ManifestError& error) {
    throw UsageError(error.what());
  }
}

scan::PluginMirroring::Request mirroring_request(const Arguments& arguments) {
  scan::PluginMirroring::Request request;
  if (arguments.has("category")) request.options.category = arguments.slug("category").str();
  request.answers = answers_of(arguments);
  request.again = arguments.has("again");
  request.trusts = arguments.has("trust");
  return request;
}

using Access = scan::FollowedRepositories::Access;

void check_policy(Context& context) {
  if (context.config().mirror.publish_plugins != base::PublishPlugins::never) return;
  throw Failure(
      "mirror.publish_plugins is \"never\"; \"safe\" publishes what nothing speaks against, "
      "\"ask\" "
      "keeps all as drafts");
}

void run_follow(const Arguments& arguments, Context& context) {
  if (!arguments.has("REPOSITORY")) {
    for (const char* option : {"folder", "branch", "releases", "publish", "prereleases", "trust",
                               "answer", "category"}) {
      if (arguments.has(option)) throw UsageError("--" + std::string(option) + " needs REPOSITORY");
    }
    return list_followed(arguments, context);
  }
  if (arguments.has("json")) throw UsageError("--json is of the list, without REPOSITORY");
  const domain::PluginUpstream upstream = upstream_of(arguments);
  const scan::PluginMirroring::Request request = mirroring_request(arguments);
  check_policy(context);
  const base::InterruptionGuard guard;
  const scan::FollowedRepositories followed(context.config().followed, Access::changes);
  const ScanHost host(context);
  scan::PluginMirroring mirroring(host, jobs_of(arguments));
  scan::FollowedRepository repository;
  repository.upstream = upstream;
  repository = mirroring.find_followed(std::move(repository), followed);
  const bool is_new = repository.folder.empty();
  repository.slugs.clear();
  repository.publishes_new = repository.publishes_new || arguments.has("publish");
  repository.takes_prereleases = repository.takes_prereleases || arguments.has("prereleases");
  scan::PluginMirroring::Request again = request;
  again.again = true;
  scan::FollowedRun run(followed, scan::FollowedRun::Failures::end, 1, host,
                        printed_on(context.out()));
  run.mirror(std::move(repository), is_new, mirroring, again);
}

void run_unfollow(const Arguments& arguments, Context& context) {
  scan::FollowedRepository repository;
  repository.upstream = upstream_of(arguments);
  const scan::FollowedRepositories followed(context.config().followed, Access::changes);
  const std::optional<scan::FollowedRepository> known = followed.find(repository.upstream);
  if (known) repository = *known;
  const std::vector<std::string> plugins =
      scan::forget_upstream(repository, followed, ScanHost(context));
  if (!known && plugins.empty()) {
    throw Failure(repository.title() +
                  " is not followed; \"goldsmith plugin follow\" lists what is");
  }
  followed.remove(repository);
  context.out() << repository.title() << " is not followed any more; "
                << count_of(plugins.size(), "plugin")
                << " of it stay as they are, without an upstream\n";
}

struct News {
  scan::FollowedRepository repository;
  mirror::Snapshot snapshot;
};

Listing<News> news_listing() {
  using Row = News;
  return {
      {{"REPOSITORY", "repository", [](const Row& row) { return row.repository.title(); }},
       {"MIRRORED", "mirrored", [](const Row& row) { return to_json(row.repository.time); }, "-"},
       {"UPSTREAM", "time", [](const Row& row) { return to_json(row.snapshot.time); }, "-"},
       {"COMMIT", "commit",
        [](const Row& row) {
          return row.snapshot.release.empty() ? short_commit(row.snapshot.commit)
                                              : row.snapshot.release;
        },
        "-"}}};
}

void check_news(scan::PluginMirroring& mirroring, const scan::FollowedRepositories& followed,
                const std::vector<scan::FollowedRepository>& repositories, const scan::Host& host,
                const Arguments& arguments, Context& context) {
  scan::FollowedRun visits(followed, scan::FollowedRun::Failures::end, repositories.size(), host,
                           printed_on(context.out()));
  std::vector<News> found;
  for (const scan::FollowedRepository& repository : repositories) {
    visits.visit(repository, [&] {
      if (auto news = mirroring.find_news(repository)) found.push_back({repository, *news});
    });
  }
  news_listing().print(found, arguments, context, [&] {
    if (!found.empty()) return news_listing().table(found).print(context.out());
    if (visits.is_all_well()) context.out() << "Nothing that is followed has anything new.\n";
  });
  visits.finish();
}

void run_plugin_mirror(const Arguments& arguments, Context& context) {
  const std::optional<domain::Slug> slug = arguments.optional_slug("SLUG");
  if (slug && arguments.has("all")) throw UsageError("SLUG and --all can't be combined");
  if (!slug && !arguments.has("all") && !arguments.has("check")) {
    throw UsageError("SLUG is missing; --all mirrors everything that is followed");
  }
  if (arguments.has("json") && !arguments.has("check")) throw UsageError("--json needs --check");
  const scan::PluginMirroring::Request request = mirroring_request(arguments);
  const bool is_never = context.config().mirror.publish_plugins == base::PublishPlugins::never;
  if (is_never && arguments.has("all") && !arguments.has("check")) {
    context.out() << "Nothing is mirrored: mirror.publish_plugins is \"never\".\n";
    return;
  }
  if (!arguments.has("check")) check_policy(context);
  const base::InterruptionGuard guard;
  const scan::FollowedRepositories followed(
      context.config().followed, arguments.has("check") ? Access::reads : Access::changes);
  const ScanHost host(context);
  const std::vector<scan::FollowedRepository> repositories =
      scan::repositories_of(followed, slug, host);
  if (slug && repositories.empty()) {
    if (!context.plugins().find_any(*slug)) throw no_such("plugin", *slug, "plugin");
    throw Failure("the plugin \"" + *slug +
                  "\" comes from no repository; an \"upstream\" in its manifest names one");
  }
  if (repositories.empty()) {
    context.out() << "No repository is followed; \"goldsmith plugin follow REPOSITORY\" begins.\n";
    return;
  }
  scan::PluginMirroring mirroring(host, jobs_of(arguments));
  if (arguments.has("check")) {
    return check_news(mirroring, followed, repositories, host, arguments, context);
  }
  using enum scan::FollowedRun::Failures;
  scan::FollowedRun run(followed, slug ? end : are_counted, repositories.size(), host,
                        printed_on(context.out()));
  for (const scan::FollowedRepository& repository : repositories) {
    run.visit(repository, [&] { run.mirror(repository, false, mirroring, request); });
  }
  run.finish();
}

std::vector<Option> upstream_options() {
  return {{.name = "folder",
           .value_name = "PATH",
           .help = "The only folder of the repository that counts."},
          {.name = "releases",
           .value_name = "KIND",
           .help = "What a release is: \"releases\" or \"tags\" of GitHub, or \"commits\" of a "
                   "branch (the default)."},
          {.name = "branch",
           .value_name = "NAME",
           .help = "The branch whose newest commit is mirrored (the default one by default)."}};
}

}  // namespace

Verb plugin_follow_verb() {
  std::vector<Option> options = upstream_options();
  for (Option& each : std::vector<Option>{
           {.name = "publish",
            .help = "Publishes plugins that are new, in place of keeping them as drafts."},
           {.name = "prereleases",
            .help = "Takes a version that is not final yet, such as 1.2-rc1, for one that is."},
           {.name = "trust",
            .help = "Takes the repository as it is now for the one that is meant: what waits for "
                    "that alone is published."},
           {.name = "category",
            .value_name = "SLUG",
            .help = "The category of new plugins, in place of those that are derived."},
           answer_option(),
           jobs_option(),
           json_option()}) {
    options.push_back(std::move(each));
  }
  return {
      .name = "follow",
      .summary = "Takes the plugins of a repository, and all that it will have.",
      .text =
          "Downloads what is newest in a repository, scans it as \"goldsmith plugin scan\" does, "
          "with the same questions, and imports the plugins. From then on \"goldsmith plugin "
          "mirror "
          "--all\", which the package runs once a day, takes what is new in it. REPOSITORY is "
          "OWNER/NAME on GitHub, the address of its page, or the https address of the archive "
          "(.tar.gz, .zip) that another forge makes of a branch. Without REPOSITORY it lists what "
          "is followed.\n\n"
          "New plugins are drafts, or with --publish published if nothing is asked about them. "
          "Questions are in questions.json in the repository's folder below the option "
          "\"followed\"; what is answered there, or with --answer, counts from then on. Following "
          "the same again scans it again. A source that was moved or renamed stays the plugin that "
          "it was: it is known by its place, its content, or its name and author.\n\n"
          "A name is not the repository: if it leads to another one, to another account or to a "
          "history that was rewritten, all that changes waits, in later runs too, until somebody "
          "has looked: \"goldsmith plugin publish\" publishes a version, and with it what follows "
          "of that plugin; --trust does it for all of them. Other forges than GitHub tell none of "
          "this, so each version from there waits. A repository that was renamed is followed under "
          "its new name.\n\n"
          "Of tags and releases the highest number counts, as goldsmith orders versions. One that "
          "is not final yet waits, unless what is published is such a version of the same line, "
          "and so does one that leaps: a date among numbers, or ten times the number. What follows "
          "on what is published goes on without it.",
      .positionals = {{.name = "REPOSITORY", .required = false}},
      .options = std::move(options),
      .examples = {"goldsmith plugin follow some-author/amxx-plugins --publish",
                   "goldsmith plugin follow https://github.com/some-author/mod/tree/main/scripting",
                   "goldsmith plugin follow some-author/amxx-plugins --answer version=1.0",
                   "goldsmith plugin follow"},
      .run = run_follow,
      .withdraws = true,
  };
}

Verb plugin_unfollow_verb() {
  return {
      .name = "unfollow",
      .summary = "Mirrors nothing from a repository any more.",
      .text =
          "Forgets a repository with its questions and answers. The plugins that came from it stay "
          "as they are, and so do those whose manifests name it; neither is mirrored any more: "
          "they have no upstream then. A manifest that names one gives its plugin an upstream "
          "again when it is imported.",
      .positionals = {{.name = "REPOSITORY"}},
      .options = upstream_options(),
      .examples = {"goldsmith plugin unfollow some-author/amxx-plugins"},
      .run = run_unfollow,
      .is_recorded = true,
  };
}

Verb plugin_mirror_verb() {
  return {
      .name = "mirror",
      .summary = "Takes new versions of plugins from the repositories that they come from.",
      .text =
          "Asks the repository of a plugin, or with --all all that are followed or named as "
          "\"upstream\" in manifests, for what is new, and mirrors it: downloads it over https, "
          "reads it in the sandbox, compiles it with each toolchain and starts it. What GitHub's "
          "limit of requests leaves out is what the next run begins with.\n\n"
          "By the option mirror.publish_plugins, \"safe\" publishes a new version that compiles "
          "and "
          "runs wherever the former one does, keeps the license and the author, has a higher "
          "number that is final and no leap, asks nothing and has nothing that may be private. All "
          "else waits as a draft; "
          "\"goldsmith plugin show\" tells why, and \"goldsmith plugin publish\" publishes it. "
          "With "
          "\"ask\" everything waits, with \"never\" nothing is mirrored. A source that changed "
          "under the same number gets the day of its commit behind it; one that compiles to the "
          "same is no new version. Whatever a person has changed of a plugin stays. What is no "
          "longer in its repository stays, and says so.",
      .positionals = {{.name = "SLUG", .required = false}},
      .options = {{.name = "all",
                   .help = "Mirrors everything that is followed; a failure does not stop the "
                           "others."},
                  {.name = "check",
                   .help = "Lists what has something new, and mirrors nothing.",
                   .effect = Effect::reads},
                  {.name = "again", .help = "Also scans what has nothing new."},
                  answer_option(),
                  jobs_option(),
                  {.name = "json", .help = "With --check: prints JSON, for scripts."}},
      .examples = {"goldsmith plugin mirror --all", "goldsmith plugin mirror --check",
                   "goldsmith plugin mirror afk-kicker"},
      .run = run_plugin_mirror,
      .withdraws = true,
  };
}

}  // namespace goldsmith::cli
