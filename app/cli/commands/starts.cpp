#include "app/cli/commands/starts.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/plugin_check.hpp"
#include "app/cli/output.hpp"
#include "app/creator/archive_digests.hpp"
#include "app/host/account.hpp"
#include "app/host/shared_file.hpp"
#include "app/web/request.hpp"
#include "db/download_log.hpp"

namespace goldsmith::cli {

using Outcome = start::Report::Outcome;

creator::SelectionRequest request_of(const std::string& query) {
  static constexpr std::array<web::Parameter, 4> kParameters{
      {{"components"}, {"plugins"}, {"order"}, {"optimized"}}};
  const web::Query parsed(query, kParameters);
  return creator::parse_selection_request(parsed.get("components"), parsed.get("plugins"),
                                          parsed.flag("optimized"), parsed.get("order"));
}

std::string problems_of(const creator::InvalidSelection& invalid) {
  std::vector<std::string> problems;
  const auto add = [&](std::string problem) { problems.push_back(std::move(problem)); };
  if (!invalid.unknown.empty()) add("unknown: " + base::join(invalid.unknown, ", "));
  for (const auto& each : invalid.unavailable) add(each.component + ": " + each.reason.english());
  for (const auto& each : invalid.conflicts) {
    add(each.component + " conflicts with " + each.with + ": " + each.reason.english());
  }
  for (const auto& each : invalid.missing_requires) {
    add(each.component + " requires " + each.versions.of(each.requires_) + ": " +
        each.reason.english());
  }
  for (const auto& each : invalid.layer_conflicts) {
    add("only one of the layer " + each.layer +
        " can be chosen: " + base::join(each.components, ", "));
  }
  return base::join(problems, "; ");
}

namespace {

// Throws Failure if a plugin stands in the way.
creator::Resolved try_to_resolve(const creator::SelectionRequest& request,
                                 const Resolve& resolve_request) try {
  return resolve_request(request);
} catch (const compile::NeedsCompile&) {
  throw Failure(
      "a plugin of this selection was not compiled on this host yet; open the selection on the "
      "page of the server creator, which compiles it, and repeat this");
} catch (const domain::Failure& failure) {
  const bool is_too_large = failure.code == domain::Error::bad_request;
  throw Failure((is_too_large ? "this selection can't be built: "
                              : "a plugin of this selection can't be compiled: ") +
                failure.cause);
}

std::shared_ptr<const creator::ResolvedPlan> plan_of(const creator::Resolved& resolved) {
  if (const auto* invalid = std::get_if<creator::InvalidSelection>(&resolved)) {
    throw Failure("this selection can't be built: " + problems_of(*invalid));
  }
  if (std::holds_alternative<creator::EmptySelection>(resolved)) {
    throw Failure("nothing is left to build of this selection");
  }
  return std::get<std::shared_ptr<const creator::ResolvedPlan>>(resolved);
}

std::size_t running_plugins(const start::Report& report) {
  return static_cast<std::size_t>(
      std::count_if(report.plugins.begin(), report.plugins.end(), start::runs));
}

}  // namespace

std::shared_ptr<const creator::ResolvedPlan> resolve(const creator::SelectionRequest& request,
                                                     const Resolve& resolve_request) {
  return plan_of(try_to_resolve(request, resolve_request));
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::started:
      return "started";
    case Outcome::faulty:
      return "faulty";
    case Outcome::failed:
      break;
  }
  return "failed";
}

std::vector<std::string> lines_of(const start::Report& report) {
  std::vector<std::string> lines;
  for (const start::LoadedPlugin& plugin : report.plugins) {
    for (const std::string& error : plugin.errors) lines.push_back(plugin.file + ": " + error);
  }
  lines.insert(lines.end(), report.messages.begin(), report.messages.end());
  return lines;
}

std::string summary_of(const start::Report& report) {
  const std::size_t running = running_plugins(report);
  std::string text =
      fmt::format("{}, {} running", name_of(report.outcome), count_of(running, "plugin"));
  if (const std::size_t faulty = report.plugins.size() - running; faulty > 0) {
    text += fmt::format(", {} faulty", faulty);
  }
  const std::vector<std::string> lines = lines_of(report);
  return lines.empty() || report.outcome == Outcome::started ? text : text + ": " + lines.front();
}

namespace {

std::vector<start::AddedPlugin> added_plugins(const creator::Plan& plan) {
  std::vector<start::AddedPlugin> added;
  for (const creator::RequestedPlugin& each : plan.requested) {
    if (!each.binary.empty()) added.push_back({each.slug, each.binary});
  }
  return added;
}

// An archive that is open for reading: that in the cache, or one without a name.
base::UniqueFd open_archive(const creator::Plan& plan, const creator::ServerBuilds& builds) {
  const base::UniqueFd low = builds.open(plan, std::filesystem::temp_directory_path());
  return base::above_standard(low);
}

start::Report start_archive(const creator::Plan& plan, const base::UniqueFd& zip,
                            const base::StartConfig& config, const StartedBeside& beside = {}) {
  std::vector<start::AddedPlugin> plugins = added_plugins(plan);
  plugins.insert(plugins.end(), beside.plugins.begin(), beside.plugins.end());
  return start::start_server({zip.get(), std::move(plugins), beside.files}, config);
}

}  // namespace

start::Report start_plan(const creator::Plan& plan, const creator::ServerBuilds& builds,
                         const base::StartConfig& config, const StartedBeside& beside) {
  return start_archive(plan, open_archive(plan, builds), config, beside);
}

namespace {

constexpr const char* kUnavailable = "unavailable";
constexpr std::chrono::hours kRetriedAfter{24};

// What is kept of a start. What runs of Metamod and the modules is among its messages.
db::BuildStart record_of(const start::Report& report, domain::Timestamp now) {
  constexpr std::size_t kMostKept = 10;
  db::BuildStart record{std::string(name_of(report.outcome)), now, 0, 0, lines_of(report)};
  for (const start::LoadedPlugin& plugin : report.plugins) {
    ++(start::runs(plugin) ? record.plugins_running : record.plugins_faulty);
  }
  if (record.messages.size() > kMostKept) record.messages.resize(kMostKept);
  return record;
}

// Starts what was not started yet, and keeps the outcomes.
class PendingStarts {
 public:
  explicit PendingStarts(Context& context)
      : context_(context),
        host_(context.config(), base::interruptible_sleep),
        builds_(host_.stock, host_.stack, context.config(), context.config().state.parent_path(),
                [this] { return host_.freshness.verdicts(); }),
        records_(context.database()) {}

  // The archives that this host keeps, the newest first: another host starts its own.
  void start_recorded() {
    for (const db::Build& build : records_.not_started(context_.now() - kRetriedAfter)) {
      if (!builds_.archives().acquire(build.build_hash)) continue;
      context_.progress("starting " + build.build_hash);
      start(build.selection, build.build_hash);
    }
  }

  // The recommended server, where it can be built, and every published pack.
  void start_offered() {
    const auto catalog = host_.stock.catalog.catalog(0);
    const auto is_absent = [](const domain::Component& component) {
      return component.is_default && component.latest() == nullptr;
    };
    if (std::ranges::none_of(catalog->components(), is_absent)) start("", "");
    for (const domain::AddonPack& pack : context_.addons().list_all()) {
      if (pack.status != domain::Status::published) continue;
      std::vector<std::string> slugs;
      for (const domain::Slug& slug : pack.plugins) slugs.push_back(slug.str());
      start(creator::pack_query(slugs), "");
    }
  }

  std::size_t count() const { return count_; }

 private:
  // `build_hash`: what the selection gave when it was recorded; "" = whatever it gives.
  void start(const std::string& selection, const std::string& build_hash) {
    base::check_interruption();
    try {
      const auto resolved =
          resolve(request_of(selection), [&](const creator::SelectionRequest& request) {
            return builds_.resolve(request, host_.gate.background_start_permit(),
                                   host_.freshness.epoch());
          });
      const creator::Plan& plan = resolved->plan;
      if (!build_hash.empty() && build_hash != plan.build_hash) {
        throw Failure("what it was made of has changed since");
      }
      const auto known = records_.find(plan.build_hash);
      if (known && known->start && known->start->outcome != kUnavailable) return;
      const base::UniqueFd zip = open_archive(plan, builds_);
      if (!known) record_archive(plan, zip);
      record(plan.build_hash,
             record_of(start_archive(plan, zip, context_.config().start), context_.now()));
    } catch (const Failure& failure) {
      fail(selection, build_hash, failure.what());
    } catch (const archive::MissingDepotFile& missing) {
      fail(selection, build_hash, missing.what());
    }
  }

  // Nobody has downloaded it yet.
  void record_archive(const creator::Plan& plan, const base::UniqueFd& zip) {
    const std::string file = "/proc/self/fd/" + std::to_string(zip.get());
    records_.record({plan.build_hash, base::sha256_of_file(file), std::filesystem::file_size(file),
                     plan.download_query},
                    context_.now());
  }

  void record(const std::string& build_hash, const db::BuildStart& start) {
    records_.record_start(build_hash, start);
    ++count_;
    context_.out() << build_hash << ": " << start.outcome << ", "
                   << count_of(static_cast<std::size_t>(start.plugins_running), "plugin")
                   << " running, " << start.plugins_faulty << " faulty\n";
  }

  void fail(const std::string& selection, const std::string& build_hash, const std::string& cause) {
    const std::string offered = selection.empty() ? "the recommended server" : selection;
    context_.report((build_hash.empty() ? offered : build_hash) + ": " + cause);
    if (!build_hash.empty()) record(build_hash, {kUnavailable, context_.now(), 0, 0, {cause}});
  }

  Context& context_;
  CheckHost host_;
  creator::ServerBuilds builds_;
  db::BuildStore records_;
  std::size_t count_ = 0;
};

}  // namespace

void start_pending(Context& context) {
  // What the workers keep belongs to their user, who also reads their counters.
  if (host::is_root_in_folder_of_another(context.config().archive_cache)) {
    throw Failure(
        "root does not work in the cache of the workers' user: \"systemctl start "
        "goldsmith-build-start\" does this as that user");
  }
  host::HostSemaphore starters(context.config().state.parent_path() / "digests");
  const auto turn = starters.try_acquire(creator::ArchiveDigests::kStarterRow, 1);
  if (!turn) {
    context.out() << "another process is starting what was not started yet\n";
    return;
  }
  PendingStarts pending(context);
  try {
    pending.start_recorded();
    pending.start_offered();
  } catch (const start::Unavailable& unavailable) {
    throw Untried(std::string("no server can be started here: ") + unavailable.what());
  }
  if (pending.count() == 0) context.out() << "every build was started before\n";
}

namespace {

// A request that is changed until it can be built.
class Wish {
 public:
  Wish(const std::vector<creator::Token>& components, const std::vector<creator::Token>& plugins,
       const domain::Catalog& catalog)
      : catalog_(catalog) {
    for (const creator::Token& token : plugins) plugins_[token.slug] = token.version;
    for (const creator::Token& token : components) {
      add(token.slug, token.version);
      asked_.push_back(token.slug);
    }
    for (const domain::Component& component : catalog.components()) {
      if (component.is_default && component.selectable) add_default(component);
    }
  }

  creator::SelectionRequest request() const {
    creator::SelectionRequest request;
    request.components.emplace();
    for (const auto& [slug, version] : chosen_) request.components->push_back({slug, version});
    for (const auto& [slug, version] : plugins_) request.plugins.push_back({slug, version});
    return request;
  }

  // False if nothing can be done about it.
  bool adapt(const creator::InvalidSelection& invalid) {
    bool is_changed = false;
    for (const creator::Conflict& each : invalid.conflicts) {
      is_changed = drop(is_asked(each.component) ? each.with : each.component) || is_changed;
    }
    for (const creator::MissingRequire& each : invalid.missing_requires) {
      is_changed = add(each.requires_, version_in(each)) || is_changed;
    }
    return is_changed;
  }

 private:
  bool is_asked(const std::string& slug) const {
    return std::find(asked_.begin(), asked_.end(), slug) != asked_.end();
  }

  // Another one of its layer, where this host has none of it.
  void add_default(const domain::Component& component) {
    const bool is_exclusive = domain::info(component.layer).exclusive;
    const domain::Component* available = component.latest() != nullptr ? &component : nullptr;
    for (const domain::Component& other : catalog_.components()) {
      if (!is_exclusive || other.layer != component.layer) continue;
      if (chosen_.contains(other.slug.str())) return;
      if (available == nullptr && other.selectable && other.latest() != nullptr) available = &other;
    }
    if (available != nullptr) {
      chosen_.try_emplace(available->slug.str());
    } else if (is_exclusive) {
      throw Failure(creator::absence_of(component, "").english());
    }
  }

  // The newest one that will do; "" = the latest.
  std::string version_in(const creator::MissingRequire& missing) const {
    const domain::Component* component = catalog_.find(missing.requires_);
    if (component == nullptr) return "";
    for (const domain::ComponentVersion& version : component->versions) {
      if (version.held || !missing.versions.contains(version.version)) continue;
      return &version == component->latest() ? "" : version.version.str();
    }
    return "";
  }

  bool drop(const std::string& slug) { return !is_asked(slug) && chosen_.erase(slug) > 0; }

  bool add(const std::string& slug, const std::string& version) {
    constexpr std::string_view kPlugin = "plugin:";
    if (slug.starts_with(kPlugin)) return plugins_.try_emplace(slug.substr(kPlugin.size())).second;
    const domain::Component* component = catalog_.find(slug);
    if (component != nullptr && domain::info(component->layer).exclusive) {
      for (const domain::Component& other : catalog_.components()) {
        const bool is_other = other.slug != component->slug;
        if (other.layer == component->layer && is_other) drop(other.slug.str());
      }
    }
    if (is_asked(slug) && chosen_.contains(slug)) return false;
    const auto [place, is_new] = chosen_.try_emplace(slug, version);
    return is_new || std::exchange(place->second, version) != version;
  }

  const domain::Catalog& catalog_;
  std::vector<std::string> asked_;
  // With their versions; "" = the latest.
  std::map<std::string, std::string> chosen_;
  std::map<std::string, std::string> plugins_;
};

}  // namespace

std::shared_ptr<const creator::ResolvedPlan> resolve_with(
    const std::vector<creator::Token>& components, const std::vector<creator::Token>& plugins,
    const domain::Catalog& catalog, const Resolve& resolve_request) {
  constexpr int kMostChanges = 20;
  Wish wish(components, plugins, catalog);
  for (int changes = 0;; ++changes) {
    const creator::Resolved resolved = try_to_resolve(wish.request(), resolve_request);
    const auto* invalid = std::get_if<creator::InvalidSelection>(&resolved);
    if (invalid == nullptr || changes == kMostChanges || !wish.adapt(*invalid)) {
      return plan_of(resolved);
    }
  }
}

Trial try_version(const db::VersionName& version, const Progress& progress, Context& context) try {
  creator::OfflineBuilds builds(context.config(), context.clock(), context.database());
  const auto catalog = builds.catalog.catalog(0);
  if (std::ranges::none_of(catalog->components(), &domain::Component::is_default)) {
    return {std::nullopt, "no component is recommended", false};
  }
  std::shared_ptr<const creator::ResolvedPlan> resolved;
  try {
    resolved = resolve_with({{version.slug.str(), version.version.str()}}, {}, *catalog,
                            [&](const auto& request) { return builds.resolve(request); });
  } catch (const Failure& failure) {
    return {std::nullopt, failure.what(), false};
  }
  if (std::ranges::none_of(resolved->plan.selection.components, [](const auto& each) {
        return each.component->layer == domain::Layer::engine;
      })) {
    return {std::nullopt, "the latest version of no engine goes with it", false};
  }
  progress("starting the recommended server with it");
  return {start_plan(resolved->plan, builds.builds, context.config().start)};
} catch (const start::Unavailable& unavailable) {
  return {std::nullopt, unavailable.what()};
} catch (const archive::MissingDepotFile& missing) {
  return {std::nullopt, missing.what()};
}

bool is_worse(const start::Report& now, const start::Report& before) {
  const auto faults = [](const start::Report& report) {
    return report.plugins.size() - running_plugins(report);
  };
  const auto rank = [](const start::Report& report) {
    return report.outcome == Outcome::started ? 0 : report.outcome == Outcome::faulty ? 1 : 2;
  };
  if (rank(now) != rank(before)) return rank(now) > rank(before);
  return faults(now) > faults(before);
}

}  // namespace goldsmith::cli
