// The files of an archive (decisions S5, S6).
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "app/base/digest.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

std::size_t component_of(const Plan& plan, std::string_view path) {
  const PlannedFile* file = find_file(plan, path);
  BOOST_REQUIRE(file != nullptr);
  return std::get<PlannedFile::FromDepot>(file->source).component;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(planning)

BOOST_AUTO_TEST_CASE(files_are_sorted_by_path_and_two_are_always_generated) {
  const auto catalog = catalog_of(usual_stack());
  const Plan plan = planned(asking("engine"), catalog);
  BOOST_TEST((paths(plan) ==
              Texts{"cstrike/addons/metamod/plugins.ini", "cstrike/liblist.gam", "hlds_linux"}));
  BOOST_TEST(source_of(plan, "cstrike/liblist.gam") == "svc/generated");
  BOOST_TEST(source_of(plan, "cstrike/addons/metamod/plugins.ini") == "svc/generated");
  BOOST_TEST(source_of(plan, "hlds_linux") == "engine/upstream");
}

BOOST_AUTO_TEST_CASE(an_upstream_file_keeps_its_size_and_bit_and_names_its_component) {
  const auto catalog =
      catalog_of({A("first", Layer::module, 1).with({"a"}),
                  A("second", Layer::module, 2)
                      .version("1", "2024-01-01 00:00:00"_utc, {{"run", 123, true}})});
  const Plan plan = planned(asking("first,second"), catalog);
  const PlannedFile* file = find_file(plan, "run");
  BOOST_REQUIRE(file != nullptr);
  BOOST_TEST(file->size == 123U);
  BOOST_TEST(file->executable);
  BOOST_TEST(component_of(plan, "run") == 1U);
  BOOST_TEST(!find_file(plan, "a")->executable);
}

BOOST_AUTO_TEST_CASE(the_later_component_in_load_order_wins_a_shared_path) {
  const auto catalog = catalog_of({A("a", Layer::module, 2).with({"x", "of-a"}),
                                   A("b", Layer::module, 1).with({"x", "of-b"}),
                                   A("c", Layer::module, 2).with({"x"})});
  BOOST_TEST(source_of(planned(asking("a,b"), catalog), "x") == "a/upstream");
  BOOST_TEST(source_of(planned(asking("a,b,c"), catalog), "x") == "c/upstream");
  BOOST_TEST(component_of(planned(asking("a,b,c"), catalog), "x") == 2U);
}

BOOST_AUTO_TEST_CASE(generated_files_beat_those_of_components) {
  const auto catalog = catalog_of(
      {A("a", Layer::module).with({"cstrike/liblist.gam", "cstrike/addons/metamod/plugins.ini"})});
  const Plan plan = planned(asking("a"), catalog);
  BOOST_TEST(plan.files.size() == 2U);
  BOOST_TEST(source_of(plan, "cstrike/liblist.gam") == "svc/generated");
  BOOST_TEST(source_of(plan, "cstrike/addons/metamod/plugins.ini") == "svc/generated");
}

BOOST_AUTO_TEST_CASE(the_projects_own_plugin_list_stays_as_shipped) {
  const auto catalog = catalog_of(
      usual_stack() +
      std::vector<domain::Component>{
          A("extra", Layer::module, 60).with({"cstrike/addons/amxmodx/configs/plugins.ini"})});
  const Plan plan = planned(asking("platform,extra"), catalog, {compiled("p", "p")});
  BOOST_TEST(source_of(plan, "cstrike/addons/amxmodx/configs/plugins.ini") == "extra/upstream");
}

BOOST_AUTO_TEST_CASE(total_bytes_counts_each_file_of_the_archive_once) {
  const auto catalog = catalog_of(
      {A("a", Layer::module, 1).version("1", std::nullopt, {{"x", 1000, false}, {"y", 1, false}}),
       A("b", Layer::module, 2).version("1", std::nullopt, {{"x", 20, false}})});
  const Plan plan = planned(asking("a,b"), catalog);
  const std::uint64_t generated = find_file(plan, "cstrike/liblist.gam")->size +
                                  find_file(plan, "cstrike/addons/metamod/plugins.ini")->size;
  BOOST_TEST(plan.total_bytes == 21U + generated);
}

BOOST_AUTO_TEST_CASE(a_file_is_found_by_its_exact_path_only) {
  const domain::Catalog catalog = catalog_of(usual_stack());
  const Plan plan = planned(asking("engine"), catalog);
  BOOST_TEST(find_file(plan, "hlds_linux") != nullptr);
  for (const std::string_view path :
       {"", "/hlds_linux", "./hlds_linux", "HLDS_LINUX", "hlds_linux/", "cstrike",
        "cstrike/../hlds_linux", "../../etc/passwd", "zzz"}) {
    BOOST_TEST(find_file(plan, path) == nullptr, path);
  }
}

BOOST_AUTO_TEST_CASE(origins_have_the_names_of_the_contract) {
  BOOST_TEST(to_string(Origin::upstream) == "upstream");
  BOOST_TEST(to_string(Origin::generated) == "generated");
  BOOST_TEST(to_string(Origin::edited) == "edited");
  BOOST_TEST(to_string(Origin::plugin) == "plugin");
}

BOOST_AUTO_TEST_CASE(a_partial_archive_has_what_the_base_lacks_or_has_otherwise) {
  const auto catalog = catalog_of({A("a", Layer::amxmodx)
                                       .version("1", std::nullopt,
                                                {{"gone", 1, false, "1a"},
                                                 {"mode", 1, false, "1b"},
                                                 {"same", 1, false, "1c"},
                                                 {"unknown", 1, false}})
                                       .version("2", std::nullopt,
                                                {{"mode", 1, true, "1b"},
                                                 {"new", 7, false, "2a"},
                                                 {"same", 1, false, "1c"},
                                                 {"unknown", 1, false}})});
  const Plan base = planned(asking("a@1"), catalog);
  const Plan wanted = planned(asking("a@2"), catalog);
  const Plan partial = partial_plan(base, wanted);
  BOOST_TEST((paths(partial) == Texts{"mode", "new", "unknown"}));
  BOOST_TEST(partial.total_bytes == 9U);
  BOOST_TEST(partial.completes == wanted.build_hash);
  BOOST_TEST(partial.build_hash ==
             base::sha256_hex("goldsmith partial archive 1\nfrom " + base.build_hash + "\nto " +
                              wanted.build_hash + "\n" + checksum_list(wanted)));
  BOOST_TEST(archive_query(partial) == "components=a@2&from=" + base.build_hash);
  BOOST_TEST(archive_query(wanted) == "components=a@2");
  BOOST_TEST((paths(partial_plan(wanted, base)) == Texts{"gone", "mode", "unknown"}));
  BOOST_TEST(is_same_file(*find_file(base, "same"), *find_file(wanted, "same")));
  BOOST_TEST(partial_plan(wanted, base).build_hash != partial.build_hash);
}

BOOST_AUTO_TEST_CASE(advice_comes_behind_what_is_particular_to_the_selection) {
  const auto catalog = catalog_of({A("a", Layer::amxmodx).advises("Advice.").version("1")});
  const Plan plan = planned(asking("a"), catalog, {skipped("p", SkipReason::unknown)});
  BOOST_REQUIRE(plan.notes.size() == 2U);
  BOOST_TEST(mentions({plan.notes[0]}, "\"p\""));
  BOOST_TEST(plan.notes[1] == "Advice.");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
