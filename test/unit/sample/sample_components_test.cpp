// The sample components: every release is made, mirrored by its manifest, and built into a stack.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/manifest.hpp"
#include "app/host/process.hpp"
#include "app/mirror/archive_mirroring.hpp"

namespace goldsmith {
namespace {

using Texts = std::vector<std::string>;

const std::filesystem::path kSource = GOLDSMITH_SOURCE_DIR;

std::vector<domain::Component> manifests() {
  std::vector<domain::Component> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(kSource / "test/fixtures/sample/components")) {
    for (auto& component : domain::read_components(entry.path())) all.push_back(component);
  }
  return all;
}

void make_archives(const std::filesystem::path& folder) {
  host::Command command;
  command.arguments = {"/usr/bin/env", "python3",
                       (kSource / "test/fixtures/sample/make_components.py").string(),
                       folder.string()};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  command.limits.wall_clock = std::chrono::minutes(5);
  const host::ProcessOutcome outcome = host::run_process(command);
  BOOST_REQUIRE_MESSAGE(outcome.end == host::ProcessEnd::exited && outcome.code == 0,
                        outcome.output << outcome.reason);
}

domain::ComponentVersion mirror_release(const domain::Component& component,
                                        const std::vector<std::string_view>& fields,
                                        const std::filesystem::path& folder) {
  domain::ComponentVersion version;
  version.version = domain::Version::parse(fields[1]).value();
  version.released_at = domain::parse_timestamp(fields[3]).value();
  const mirror::Normalised result = mirror::normalise(
      {folder / fields[2]}, component.install_for(version.version), {}, folder / "normalised.zip");
  version.digest = result.digest;
  version.files = result.files;
  version.file_count = result.files.size();
  version.size_bytes = result.upstream_bytes;
  return version;
}

domain::Catalog mirror_all() {
  const base::TempDir folder;
  make_archives(folder.path());
  std::map<domain::Slug, domain::Component, std::less<>> components;
  for (domain::Component& each : manifests()) components[each.slug] = std::move(each);
  std::istringstream index(base::read_file(folder.path() / "index.tsv"));
  for (std::string line; std::getline(index, line);) {
    const std::vector<std::string_view> fields = base::split(line, '\t');
    BOOST_REQUIRE(fields.size() == 4U);
    const auto component = components.find(fields[0]);
    BOOST_REQUIRE_MESSAGE(component != components.end(), fields[0] << " has no manifest");
    component->second.versions.push_back(mirror_release(component->second, fields, folder.path()));
  }
  std::vector<domain::Component> all;
  for (auto& [slug, component] : components) all.push_back(std::move(component));
  return domain::Catalog(std::move(all));
}

const domain::Catalog& catalog() {
  static const domain::Catalog mirrored = mirror_all();
  return mirrored;
}

creator::SelectionRequest request(std::string_view components) {
  return creator::parse_selection_request(components, std::nullopt, false);
}

creator::Selection valid(std::string_view components) {
  creator::SelectionResult result = creator::select(request(components), catalog(), {});
  BOOST_REQUIRE(std::holds_alternative<creator::Selection>(result));
  return std::get<creator::Selection>(std::move(result));
}

Texts slugs(const creator::Selection& selection) {
  Texts found;
  for (const auto& each : selection.components) found.push_back(each.component->slug.str());
  return found;
}

bool has(const domain::ComponentVersion& version, const std::string& path) {
  return std::any_of(version.files.begin(), version.files.end(),
                     [&](const domain::ManifestFile& file) { return file.path == path; });
}

constexpr std::string_view kDefaults =
    "anvil-engine,forge-gamedll,hearth-loader,amber-platform,quarry-api";

}  // namespace

BOOST_AUTO_TEST_SUITE(sample_components)

BOOST_AUTO_TEST_CASE(the_recommended_stack_keeps_its_own_rules_and_needs_no_remark) {
  BOOST_TEST((slugs(valid("")) == Texts{"anvil-engine", "forge-gamedll", "hearth-loader",
                                        "amber-platform", "amber-cstrike", "quarry-api"}));
  const creator::Plan plan = creator::make_plan({request(""), valid(""), {}, {}});
  BOOST_TEST(plan.notes.empty());
  BOOST_TEST(plan.files.size() > 25U);
}

BOOST_AUTO_TEST_CASE(every_opt_in_component_fits_the_recommended_stack) {
  valid(std::string(kDefaults) + ",lantern-auth,bot-company");
  valid("anvil-engine,forge-gamedll,hearth-loader,amber-platform-1-9,quarry-api");
  valid(std::string(kDefaults) + ",lantern-auth@0.9.0,anvil-engine@3.1.4,quarry-api@2.4.0");
}

BOOST_AUTO_TEST_CASE(one_component_is_known_but_was_never_mirrored_and_one_is_no_choice) {
  const auto result = creator::select(request("stock-engine,amber-cstrike"), catalog(), {});
  const auto& report = std::get<creator::InvalidSelection>(result);
  BOOST_REQUIRE(report.unavailable.size() == 1U);
  BOOST_TEST(report.unavailable[0].component == "stock-engine");
  BOOST_TEST((report.unknown == Texts{"amber-cstrike"}));
}

BOOST_AUTO_TEST_CASE(what_the_generated_files_name_is_in_every_release) {
  for (const domain::Component& component : catalog().components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      for (const std::optional<std::string>& path :
           {component.loads.gamedll, component.loads.metamod_loader,
            component.loads.metamod_plugin}) {
        BOOST_TEST((!path || has(version, "cstrike/" + *path)),
                   component.slug << ' ' << version.version << ": " << path.value_or(""));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(no_release_leaves_a_file_for_windows_or_for_developers) {
  for (const domain::Component& component : catalog().components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      BOOST_TEST(!version.files.empty(), component.slug);
      for (const domain::ManifestFile& file : version.files) {
        const std::string ending = std::filesystem::path(file.path).extension().string();
        BOOST_TEST(!(std::set<std::string>{".dll", ".exe", ".pdb", ".sma", ".h"}.contains(ending)),
                   file.path);
        BOOST_TEST(!file.path.ends_with("scripting/studio"));
        BOOST_TEST(!file.path.ends_with("manual.txt"));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(programs_and_scripts_are_executable_and_nothing_else) {
  Texts executables;
  for (const auto& file : creator::make_plan({request(""), valid(""), {}, {}}).files) {
    if (file.executable) executables.push_back(file.path);
  }
  BOOST_TEST(
      (executables == Texts{"cstrike/addons/amxmodx/scripting/compile.sh", "hlds_linux", "hltv"}));
}

BOOST_AUTO_TEST_CASE(every_release_of_the_engine_has_the_same_layout) {
  const domain::Component* engine = catalog().find("anvil-engine");
  BOOST_REQUIRE(engine->versions.size() == 2U);
  const auto paths = [](const domain::ComponentVersion& version) {
    Texts found;
    for (const auto& file : version.files) found.push_back(file.path);
    return found;
  };
  BOOST_TEST(paths(engine->versions[0]) == paths(engine->versions[1]),
             boost::test_tools::per_element());
  BOOST_TEST(has(engine->versions[0], "valve/dlls/director.so"));
}

BOOST_AUTO_TEST_CASE(the_bundled_pack_replaces_configuration_of_the_platform) {
  const creator::Plan plan = creator::make_plan({request(""), valid(""), {}, {}});
  const auto* file = creator::find_file(plan, "cstrike/addons/amxmodx/configs/amxx.cfg");
  BOOST_REQUIRE(file != nullptr);
  BOOST_TEST(file->from == "amber-cstrike");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith
