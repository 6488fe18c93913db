// The times of the files of a build (decision S38).
#include "app/creator/file_times.hpp"

#include <boost/test/unit_test.hpp>

#include "app/archive/zip.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;
using domain::Timestamp;

constexpr std::string_view kInclude = "cstrike/addons/amxmodx/scripting/include/amxmodx.inc";

// The engine is the newest component, and the platform, with includes, of a time that is given.
domain::Catalog catalog_with(Timestamp platform) {
  auto components = usual_stack();
  components[0].versions[0].released_at = "2026-03-01 00:00:00"_utc;
  components[3].versions[0].released_at = platform;
  components[3].versions[0].files.push_back({std::string(kInclude), 1, false});
  return catalog_of(std::move(components));
}

PluginOutcome plugin_of(const std::string& slug, Timestamp time, const std::string& binary = "") {
  PluginOutcome outcome = compiled(slug, slug);
  auto& plugin = std::get<CompiledPlugin>(outcome.result);
  plugin.version.created_at = time;
  if (!binary.empty()) plugin.binary = binary;
  return outcome;
}

Timestamp time_in(const Plan& plan, std::string_view path) {
  return find_file(plan, path)->modified;
}

// Made of parts the newest of which has the time.
bool is_made_of(Timestamp made, Timestamp newest) {
  return made <= newest && newest - made < std::chrono::hours(1);
}

const SelectionRequest kPlugins = parse_selection_request(std::nullopt, "p,q", true);
const std::string kPlatformFile = "cstrike/addons/amxmodx/dlls/platform.so";
const std::string kBinary = std::string(kPluginFolder) + "/p.amxx";
const std::string kSource = "cstrike/addons/amxmodx/scripting/p.sma";

}  // namespace

BOOST_AUTO_TEST_SUITE(file_times)

BOOST_AUTO_TEST_CASE(each_file_has_the_time_of_what_it_is_of) {
  const auto platform = "2026-02-01 10:00:00"_utc;
  const Plan plan = planned(
      kPlugins, catalog_with(platform),
      {plugin_of("p", "2026-01-01 00:00:00"_utc), plugin_of("q", "2026-04-01 00:00:00"_utc)},
      {{"hlds_linux", {}, 0, "tuned"}});
  BOOST_TEST((time_in(plan, kPlatformFile) == platform));
  BOOST_TEST((time_in(plan, kSource) == "2026-01-01 00:00:00"_utc));
  BOOST_TEST(is_made_of(time_in(plan, kBinary), platform));
  BOOST_TEST(is_made_of(time_in(plan, kLiblistPath), "2026-03-01 00:00:00"_utc));
  BOOST_TEST(is_made_of(time_in(plan, kMetamodListPath), "2026-03-01 00:00:00"_utc));
  BOOST_TEST(is_made_of(time_in(plan, "hlds_linux"), "2026-03-01 00:00:00"_utc));
  BOOST_TEST(is_made_of(time_in(plan, kPluginListPath), "2026-04-01 00:00:00"_utc));
}

BOOST_AUTO_TEST_CASE(another_content_of_the_same_size_and_parts_has_another_time) {
  const auto platform = "2026-02-01 10:00:00"_utc;
  const auto made = [&](const std::string& binary, std::string_view order) {
    const SelectionRequest request = parse_selection_request(std::nullopt, "p,q", true, order);
    return planned(request, catalog_with(platform),
                   {plugin_of("p", platform, binary), plugin_of("q", platform)},
                   {{"hlds_linux", {}, 0, binary}});
  };
  const Plan one = made("one", "p,q");
  const Plan two = made("two", "q,p");
  for (const std::string_view path :
       {std::string_view(kBinary), kPluginListPath, std::string_view("hlds_linux")}) {
    BOOST_TEST(find_file(one, path)->size == find_file(two, path)->size, path);
    BOOST_TEST((time_in(one, path) != time_in(two, path)), path);
    BOOST_TEST((time_in(one, path) == time_in(made("one", "p,q"), path)), path);
  }
  BOOST_TEST((time_in(one, kSource) == time_in(two, kSource)));
}

BOOST_AUTO_TEST_CASE(a_time_that_nobody_says_is_that_of_mirroring_or_the_earliest) {
  domain::ComponentVersion version;
  BOOST_TEST((time_of(version) == archive::kNoTime));
  version.mirrored_at = "2026-02-01 10:00:00"_utc;
  BOOST_TEST((time_of(version) == "2026-02-01 10:00:00"_utc));
  version.released_at = "2020-01-01 00:00:00"_utc;
  BOOST_TEST((time_of(version) == "2020-01-01 00:00:00"_utc));
  version.released_at = "1970-01-01 00:00:00"_utc;
  BOOST_TEST((time_of(version) == archive::kNoTime));
  BOOST_TEST((time_of(domain::PluginVersion()) == archive::kNoTime));
  BOOST_TEST((time_made(archive::kNoTime, "ffffffff") == archive::kNoTime));
}

BOOST_AUTO_TEST_CASE(a_partial_archive_has_what_differs_in_content_alone) {
  const Plan old = planned(kPlugins, catalog_with("2026-02-01 00:00:00"_utc));
  const Plan young = planned(kPlugins, catalog_with("2026-02-02 00:00:00"_utc));
  BOOST_TEST(old.build_hash != young.build_hash);
  BOOST_TEST(is_same_file(*find_file(old, kLiblistPath), *find_file(young, kLiblistPath)));
  const Plan part = partial_plan(old, young);
  BOOST_TEST(find_file(part, kLiblistPath) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
