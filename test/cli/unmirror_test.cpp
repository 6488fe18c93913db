// Removing mirrored versions: catalog and depot go together, and the latest version stays.
#include <boost/test/unit_test.hpp>

#include "app/base/json.hpp"
#include "app/limits/rate_windows.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace unmirroring {
namespace {

using Files = std::vector<std::string>;

struct Fixture : OperatorHost {
  Fixture() {
    import_component("engine");
    import_component("loader", R"(, "sort_order": 5)");
    import_component("unmirrored");
    // The last one mirrored is not the last one released.
    mirror("engine", "1.0", "2024-01-01");
    mirror("engine", "2.0", "2024-02-01");
    mirror("engine", "4.0", "2024-04-01");
    mirror("engine", "3.0", "2024-03-01");
    mirror("loader", "1.9", "2024-01-01");
    mirror("loader", "1.10", "2024-01-01");
  }

  void mirror(const std::string& slug, const std::string& version,
              const std::string& released_at) const {
    done({"component", "mirror", slug, "--version", version, "--released-at", released_at,
          "--archive", write_zip("a.zip", {{"data.txt", slug + version}})});
  }
  // "slug version" of all that the catalog has, after both were found to agree.
  Files versions() const {
    Files found;
    const json::Value listing = json::parse(done({"depot", "verify", "--json"}));
    for (const json::Value& each : *listing.as_array()) {
      const json::Object& finding = *each.as_object();
      BOOST_TEST((finding.at("state") == json::Value("ok")));
      found.push_back(std::string(*finding.at("component").as_string()) + ' ' +
                      std::string(*finding.at("version").as_string()));
    }
    return found;
  }
};

const Files kAll = {"engine 4.0", "engine 3.0",  "engine 2.0",
                    "engine 1.0", "loader 1.10", "loader 1.9"};

}  // namespace
}  // namespace unmirroring

BOOST_FIXTURE_TEST_SUITE(unmirroring, Fixture)

BOOST_AUTO_TEST_CASE(pruning_keeps_the_versions_that_were_released_last) {
  BOOST_TEST(done({"component", "prune", "--keep", "2"}) ==
             "removed engine 2.0\nremoved engine 1.0\n2 versions removed\n");
  BOOST_TEST(versions() == Files({"engine 4.0", "engine 3.0", "loader 1.10", "loader 1.9"}),
             boost::test_tools::per_element());
  BOOST_TEST(done({"component", "prune", "--keep", "2"}) == "0 versions removed\n");
}

BOOST_AUTO_TEST_CASE(the_latest_version_of_each_component_always_stays) {
  done({"component", "prune", "--keep", "1"});
  BOOST_TEST(versions() == Files({"engine 4.0", "loader 1.10"}), boost::test_tools::per_element());
  BOOST_TEST(depot_files() == Files({".lock", "engine/4.0.DIGEST.zip", "loader/1.10.DIGEST.zip"}),
             boost::test_tools::per_element());
  BOOST_TEST(call({"component", "prune", "--keep", "0"}).code == 2);
  BOOST_TEST(call({"component", "prune"}).code == 2);
}

BOOST_AUTO_TEST_CASE(only_the_components_that_are_named_are_pruned) {
  BOOST_TEST(done({"component", "prune", "loader", "unmirrored", "--keep", "1"}) ==
             "removed loader 1.9\n1 version removed\n");
  BOOST_TEST(versions().size() == kAll.size() - 1);
  BOOST_TEST(failed({"component", "prune", "engine", "motor", "--keep", "1"}) ==
             "goldsmith: there is no component \"motor\"; see \"goldsmith component list\"\n");
  BOOST_TEST(versions().size() == kAll.size() - 1);
}

BOOST_AUTO_TEST_CASE(a_dry_run_tells_and_changes_nothing) {
  const limits::SharedState state(path("state"), limits::SharedState::Open::create);
  const std::uint64_t before = state.generation();
  BOOST_TEST(done({"component", "prune", "--keep", "3", "--dry-run"}) ==
             "would remove engine 1.0\n1 version would be removed\n");
  const json::Value listing =
      json::parse(done({"component", "prune", "--keep", "3", "--dry-run", "--json"}));
  BOOST_TEST_REQUIRE(listing.as_array()->size() == 1U);
  BOOST_TEST((listing.as_array()->at(0) ==
              json::Value(json::Object{{"component", "engine"}, {"version", "1.0"}})));
  BOOST_TEST(versions() == kAll, boost::test_tools::per_element());
  BOOST_TEST(state.generation() == before);
}

BOOST_AUTO_TEST_CASE(workers_are_told_of_what_is_removed) {
  const limits::SharedState state(path("state"), limits::SharedState::Open::create);
  const std::uint64_t before = state.generation();
  done({"component", "prune", "--keep", "3"});
  const std::uint64_t pruned = state.generation();
  BOOST_TEST(pruned > before);
  done({"component", "unmirror", "engine", "2.0"});
  BOOST_TEST(state.generation() > pruned);
}

BOOST_AUTO_TEST_CASE(one_version_is_removed_and_can_be_mirrored_again) {
  BOOST_TEST(done({"component", "unmirror", "engine", "2.0"}) == "removed engine 2.0\n");
  BOOST_TEST(versions().size() == kAll.size() - 1);
  BOOST_TEST(failed({"component", "unmirror", "engine", "2.0"}) ==
             "goldsmith: the component \"engine\" has no mirrored version \"2.0\"\n");
  mirror("engine", "2.0", "2024-02-01");
  BOOST_TEST(versions() == kAll, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_latest_version_is_removed_by_force_alone) {
  BOOST_TEST(failed({"component", "unmirror", "engine", "4.0"}) ==
             "goldsmith: engine 4.0 is the latest version: without it, builds get 3.0; --force "
             "removes it\n");
  BOOST_TEST(versions() == kAll, boost::test_tools::per_element());
  done({"component", "unmirror", "engine", "4.0", "--force"});
  BOOST_TEST(done({"component", "list"}).find("3  3.0     -\n") != std::string::npos);

  done({"component", "prune", "loader", "--keep", "1"});
  BOOST_TEST(failed({"component", "unmirror", "loader", "1.10"}) ==
             "goldsmith: loader 1.10 is the only version that builds can get, without which the "
             "component can't be built; --force removes it\n");
  done({"component", "unmirror", "loader", "1.10", "--force"});
  BOOST_TEST(done({"component", "show", "loader"}).find("No version is mirrored.") !=
             std::string::npos);
  BOOST_TEST(!std::filesystem::exists(path("depot/loader")));
}

BOOST_AUTO_TEST_CASE(a_catalog_that_can_not_be_written_keeps_the_depot_as_it_is) {
  database().run(
      "CREATE TRIGGER refuse BEFORE DELETE ON component_versions FOR EACH ROW"
      " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'disk on fire'");
  BOOST_TEST(failed({"component", "prune", "--keep", "1"}).find("disk on fire") !=
             std::string::npos);
  BOOST_TEST(failed({"component", "unmirror", "engine", "1.0"}).find("disk on fire") !=
             std::string::npos);
  BOOST_TEST(versions() == kAll, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_version_whose_depot_file_is_gone_already_can_be_removed) {
  std::filesystem::remove(depot_file("engine", "1.0"));
  BOOST_TEST(done({"component", "unmirror", "engine", "1.0"}) == "removed engine 1.0\n");
  BOOST_TEST(versions().size() == kAll.size() - 1);
}

BOOST_AUTO_TEST_CASE(what_is_no_component_or_version_is_refused) {
  BOOST_TEST(failed({"component", "unmirror", "motor", "1.0"}) ==
             "goldsmith: there is no component \"motor\"; see \"goldsmith component list\"\n");
  BOOST_TEST(call({"component", "unmirror", "engine", "../1.0"}).code == 2);
  BOOST_TEST(call({"component", "prune", "../engine", "--keep", "1"}).code == 2);
  BOOST_TEST(call({"component", "unmirror", "engine"}).code == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
