// What game clients download: files of builds, by the name of a build or of a selection (decisions
// O22 and S44).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "app/archive/resource_links.hpp"
#include "app/base/clock.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/log.hpp"
#include "app/base/text.hpp"
#include "app/creator/agreed_files.hpp"
#include "app/creator/resources.hpp"
#include "app/host/nice_session.hpp"
#include "app/host/shared_file.hpp"
#include "handlers/builds.hpp"
#include "handlers/endpoints.hpp"
#include "handlers/known_builds.hpp"

namespace goldsmith::handlers {
namespace {

using domain::Error;

constexpr int kNiceness = 10;  // of what is done ahead of need

// As nginx decodes it.
std::string resource_path(std::string_view name, std::string_view path) {
  std::string encoded = "/fastdl/" + std::string(name);
  for (const std::string_view segment : base::split(path, '/')) {
    encoded.append("/").append(base::percent_encode(segment));
  }
  return encoded;
}

// What the builds of a selection agree on; kept, since a client asks for one file after the other.
const SelectionFiles& files_of_selection(Services& services, const std::string& id) {
  const std::uint64_t epoch = services.freshness.epoch();
  std::vector<db::SelectedBuild> builds = services.build_store.builds_of_selection(id);
  std::optional<SelectionFiles>& kept = services.selection_files;
  if (kept && kept->id == id && kept->epoch == epoch &&
      std::ranges::equal(kept->builds, builds, {}, &db::SelectedBuild::build_hash,
                         &db::SelectedBuild::build_hash)) {
    return *kept;
  }
  std::vector<creator::SelectionRequest> requests;
  for (const db::SelectedBuild& build : builds) {
    requests.push_back(read_selection(web::Query(build.selection, kSelectionParameters)));
  }
  kept.reset();
  return kept.emplace(SelectionFiles{id, epoch, std::move(builds),
                                     creator::agreed_files(services, requests, epoch)});
}

// Of a file that was changed for the build its version does not tell what it is in another one.
bool is_of_version(const creator::PlannedFile& file) {
  return file.origin == creator::Origin::upstream || file.origin == creator::Origin::plugin;
}

web::Response provide(Services& services, const std::string& name, const creator::Plan& plan,
                      const std::string& path) {
  const creator::PlannedFile* file = creator::find_resource(plan, path);
  const bool is_selection = !base::is_sha256_hex(name);
  if (file == nullptr || (is_selection && !is_of_version(*file))) {
    return services.errors.make(Error::not_found);
  }
  const bool is_first = !services.builds.resources().links().has(name);
  services.builds.provide_resource(name, plan, *file, path);
  if (is_first) services.wanted_resources = name;
  web::Response found = without_body("application/octet-stream");
  found.set_header("X-Accel-Redirect", resource_path(name, path));
  return found;
}

// A file of a build for a game client, which nginx then finds at the same address. `unknown`: for a
// HEAD, which compiles nothing, so that it may not know either.
web::Response of_build(Services& services, const Call& call, const std::string& build_hash,
                       const std::string& path, const web::Response& unknown) {
  const auto known = services.digests.find_known(build_hash);
  return answer(
      services, call, known_plan(services, call, build_hash, known), unknown,
      [&](const creator::Plan& plan) { return provide(services, build_hash, plan, path); });
}

// The same of the builds of a selection.
web::Response of_selection(Services& services, const Call& call, const std::string& id,
                           const std::string& path, const web::Response& unknown) {
  const SelectionFiles& known = files_of_selection(services, id);
  const auto build = known.files.find(path);
  if (!build) return services.errors.make(Error::not_found);
  const web::Query selection(known.builds[*build].selection, kSelectionParameters);
  const Planned planned = plan_of(services, {call.request, call.path, call.caller, selection});
  if (is_impossible(planned)) return services.errors.make(Error::not_found);
  return answer(services, call, planned, unknown,
                [&](const creator::Plan& plan) { return provide(services, id, plan, path); });
}

void provide_all(Services& services, const std::string& name, const creator::Plan& plan,
                 const std::function<bool(const std::string&)>& may_provide) {
  constexpr std::chrono::seconds kLongest{30};
  const auto end = services.clock.steady() + kLongest;
  std::uint64_t bytes = 0;
  for (const std::string& path : creator::resource_paths(plan)) {
    const creator::PlannedFile& file = *creator::find_resource(plan, path);
    if (!may_provide(path)) continue;
    bytes += file.size;
    const bool is_enough = bytes > services.config.cache.resource_bytes / 2 ||
                           !services.builds.resources().links().fits(name, path) ||
                           services.clock.steady() > end;
    if (is_enough) return;
    services.builds.provide_resource(name, plan, file, path);
  }
}

void provide_all(Services& services, const std::string& name, const std::string& query,
                 const std::function<bool(const std::string&)>& may_provide) {
  const web::Query selection(query, kSelectionParameters);
  const creator::Resolved resolved =
      services.builds.resolve(read_selection(selection), std::nullopt, services.freshness.epoch());
  const auto* found = std::get_if<std::shared_ptr<const creator::ResolvedPlan>>(&resolved);
  if (found != nullptr) provide_all(services, name, (*found)->plan, may_provide);
}

void provide_all_of_selection(Services& services, const std::string& id) {
  const SelectionFiles& known = files_of_selection(services, id);
  if (known.builds.empty()) return;
  const std::string query = known.builds.front().selection;
  provide_all(services, id, query, [&](const std::string& path) {
    return known.files.find(path) == std::optional<std::size_t>(0);
  });
}

// When this host looked at new builds of selections the last time; seconds since the epoch.
std::optional<std::int64_t> seen_at(const std::filesystem::path& mark) try {
  constexpr std::uint64_t kLongest = 20;
  return base::parse_number<std::int64_t>(base::read_file(mark, kLongest));
} catch (const base::FileError&) {
  return std::nullopt;
}

}  // namespace

web::Response show_resource(Services& services, const Call& call) {
  const std::string& name = call.path.front();
  const std::string& path = call.path.back();
  const bool may_be = !services.config.fastdl.url.empty() && archive::is_link_name(name) &&
                      creator::is_resource(path);
  web::Response response;
  if (!may_be) {
    response = services.errors.make(Error::not_found);
  } else if (!services.gate.api_is_enabled()) {
    response = services.errors.make(Error::api_disabled);
  } else if (!services.builds.available()) {
    response = services.errors.make(Error::builder_unavailable);
  } else {
    const web::Response unknown = services.errors.make(Error::builder_unavailable);
    response = base::is_sha256_hex(name) ? of_build(services, call, name, path, unknown)
                                         : of_selection(services, call, name, path, unknown);
    // Without the reason, which is about archives.
    if (response.status == 404) response = services.errors.make(Error::not_found);
  }
  if (!response.header("X-Accel-Redirect")) response.set_header("Cache-Control", "no-store");
  return response;
}

std::string fastdl_address(Services& services, const creator::Plan& plan) {
  const std::string& url = services.config.fastdl.url;
  if (url.empty() || creator::resource_paths(plan).empty()) return "";
  services.digests.note_address(plan);
  return url + "/fastdl/" + plan.selection_id + "/";
}

void provide_wanted_resources(Services& services) {
  const std::string wanted = std::exchange(services.wanted_resources, {});
  if (wanted.empty()) return;
  try {
    const domain::Turn turn = domain::require(services.compile_service.limits.provide_resources());
    const host::NiceSession nice(kNiceness);
    if (!base::is_sha256_hex(wanted)) return provide_all_of_selection(services, wanted);
    const auto known = services.digests.find_known(wanted);
    if (!known) return;
    provide_all(services, wanted, known->selection, [](const std::string&) { return true; });
  } catch (const domain::Failure&) {
    // No turn, no room, or a plugin has to be compiled.
  } catch (const std::runtime_error& error) {
    base::log(base::LogLevel::warning, "files for game clients can't be provided",
              {{"cause", error.what()}});
  }
}

void forget_changed_selections(Services& services) {
  constexpr std::chrono::seconds kPause{10};
  // Of builds that were recorded a moment ago: what was answered meanwhile did not know them.
  constexpr std::chrono::seconds kMargin{60};
  constexpr std::chrono::hours kLongest{24};
  const auto now = services.clock.steady();
  if (services.config.fastdl.url.empty() || now < services.selections_seen + kPause) return;
  services.selections_seen = now;
  if (!services.builds.available()) return;
  try {
    const archive::ResourceLinks& links = services.builds.resources().links();
    const std::filesystem::path mark = services.shared / "selections-seen";
    const std::int64_t time = base::unix_seconds(services.clock.now());
    const std::chrono::seconds age(time - seen_at(mark).value_or(0));
    if (age >= std::chrono::seconds(0) && age < kPause) return;  // by another process
    if (age >= kPause && age < kLongest) {
      for (const std::string& id : services.build_store.selections_since(age + kMargin)) {
        links.remove(id);
      }
    } else {
      links.remove_selections();
    }
    host::write_shared(mark, std::to_string(time));
  } catch (const std::runtime_error&) {
    // The database can't be asked, or the cache is full: the next look makes up for it.
  }
}

}  // namespace goldsmith::handlers
