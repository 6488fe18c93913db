// What game clients get at the address of a selection (decision S44).
#include "app/creator/agreed_files.hpp"

#include <boost/test/unit_test.hpp>

#include "app/creator/plan.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

VersionResources having(std::initializer_list<std::pair<std::string, std::string>> files) {
  VersionResources resources;
  for (const auto& [path, sha256] : files) add_resource(resources, path, sha256);
  return resources;
}

// Two versions of a pack of maps: a map is the same in both, one has changed, one went, one came.
const NamedVersion kOld{"maps", "1"};
const NamedVersion kNew{"maps", "2"};
const NamedVersion kOther{"plugin:bells", "1.0"};

std::map<NamedVersion, VersionResources> versions() {
  return {{kOld, having({{"cstrike/maps/same.bsp", "a"},
                         {"cstrike/maps/changed.bsp", "b"},
                         {"cstrike/maps/gone.bsp", "c"}})},
          {kNew, having({{"cstrike/maps/same.bsp", "a"},
                         {"cstrike/maps/changed.bsp", "d"},
                         {"cstrike/maps/new.bsp", "e"}})},
          {kOther, having({{"cstrike/sound/bell.wav", "f"}})}};
}

std::string id_of(std::string_view components, std::string_view plugins) {
  return selection_id(parse_selection_request(components, plugins, false));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(files_of_selections)

BOOST_AUTO_TEST_CASE(only_what_all_builds_agree_on_is_there) {
  const AgreedFiles files({{kNew, kOther}, {kOld, kOther}}, versions());
  BOOST_CHECK(files.find("maps/same.bsp") == std::optional<std::size_t>(0));
  BOOST_CHECK(files.find("sound/bell.wav") == std::optional<std::size_t>(0));
  BOOST_CHECK(files.find("maps/new.bsp") == std::optional<std::size_t>(0));
  BOOST_CHECK(files.find("maps/gone.bsp") == std::optional<std::size_t>(1));
  BOOST_CHECK(!files.find("maps/changed.bsp"));
  BOOST_CHECK(!files.find("maps/none.bsp"));
  BOOST_CHECK(!AgreedFiles({}, {}).find("maps/same.bsp"));

  const AgreedFiles one({{kNew, kOther}}, versions());
  BOOST_CHECK(one.find("maps/changed.bsp") == std::optional<std::size_t>(0));
}

BOOST_AUTO_TEST_CASE(a_version_that_was_withdrawn_may_have_had_anything) {
  auto known = versions();
  known.erase(kOld);
  const AgreedFiles files({{kNew, kOther}, {kOld, kOther}}, known);
  BOOST_CHECK(!files.find("maps/same.bsp"));
  BOOST_CHECK(!files.find("maps/new.bsp"));
  BOOST_CHECK(files.find("sound/bell.wav") == std::optional<std::size_t>(0));
  // What the newest build had, which an older one has, too.
  auto withdrawn = versions();
  withdrawn.erase(kNew);
  BOOST_CHECK(!AgreedFiles({{kNew}, {kOld}}, withdrawn).find("maps/gone.bsp"));
}

BOOST_AUTO_TEST_CASE(what_is_not_known_of_a_file_is_no_agreement) {
  auto known = versions();
  for (auto& [path, sha256] : known.at(kOld)) sha256.clear();
  BOOST_CHECK(!AgreedFiles({{kNew}, {kOld}}, known).find("maps/same.bsp"));
  for (auto& [path, sha256] : known.at(kNew)) sha256.clear();
  BOOST_CHECK(!AgreedFiles({{kNew}, {kOld}}, known).find("maps/same.bsp"));
  // But one version is itself.
  BOOST_CHECK(AgreedFiles({{kNew}, {kNew, kOther}}, known).find("maps/same.bsp"));
}

BOOST_AUTO_TEST_CASE(builds_with_several_contents_agree_if_they_are_the_same_ones) {
  auto known = versions();
  const NamedVersion mine{"mine", "1"};
  known[mine] = having({{"cstrike/maps/same.bsp", "x"}, {"valve/maps/new.bsp", "e"}});
  BOOST_CHECK(AgreedFiles({{kNew, mine}, {kOld, mine}}, known).find("maps/same.bsp"));
  BOOST_CHECK(!AgreedFiles({{kNew, mine}, {kOld}}, known).find("maps/same.bsp"));
  BOOST_CHECK(AgreedFiles({{kNew, mine}, {kOld}}, known).find("maps/new.bsp"));
}

BOOST_AUTO_TEST_CASE(only_what_clients_may_get_is_looked_at) {
  BOOST_TEST(having({{"cstrike/addons/x/x.txt", "a"},
                     {"cstrike/server.cfg", "a"},
                     {"hlds_linux", "a"},
                     {"other/maps/a.bsp", "a"}})
                 .empty());
}

BOOST_AUTO_TEST_CASE(a_selection_is_named_by_what_was_asked_for) {
  const std::string id = id_of("a,b", "p");
  BOOST_TEST(id.size() == 32U);
  BOOST_TEST(id_of(" b,a,a", "p") == id);
  SelectionRequest request = parse_selection_request("a,b", "p", true, "p");
  request.settings = "hostname x";
  BOOST_TEST(selection_id(request) == id);
  for (const auto& [components, plugins] :
       std::vector<std::pair<const char*, const char*>>{{"a", "p"},
                                                        {"a,b", ""},
                                                        {"a@1,b", "p"},
                                                        {"a,b", "p@1"},
                                                        {"a,b", "p,q"},
                                                        {"", "a,b,p"},
                                                        {"", "p"}}) {
    BOOST_TEST(id_of(components, plugins) != id, components << " and " << plugins);
  }
}

BOOST_AUTO_TEST_CASE(a_plan_knows_its_selection_whatever_it_leads_to) {
  const auto before = catalog_of({A("a", domain::Layer::module).with({"cstrike/models/a.mdl"})});
  const Plan plan = planned(asking("a"), before);
  BOOST_TEST(plan.selection_id == selection_id(asking("a")));
  const auto versions = pinned_versions(parse_selection_request("a@1,b@2.0", "p@1.0,q@3", false));
  BOOST_CHECK((versions == std::vector<NamedVersion>{
                               {"a", "1"}, {"b", "2.0"}, {"plugin:p", "1.0"}, {"plugin:q", "3"}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
