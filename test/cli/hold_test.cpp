// Versions that are handed out to those alone who pin them: held by hand, or by a mirroring that is
// to start the recommended server first.
#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/start/trials.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace holds {
namespace {

struct Fixture : OperatorHost {
  Fixture() {
    import_component("engine", R"(, "is_default": true)");
    mirror("1.0", "");
  }

  // A server with a plugin that is as the stand-in engine takes `mark`; without one: that runs.
  std::string server(const std::string& version, const std::string& mark) const {
    const std::string platform = "cstrike/addons/amxmodx/";
    std::vector<ArchiveEntry> files = {{"hlds_linux", base::read_file(STANDIN_ENGINE)},
                                       {"version.txt", version}};
    if (!mark.empty()) {
      files.push_back({platform + "configs/plugins.ini", "own.amxx\n"});
      files.push_back({platform + "plugins/own.amxx", mark});
    }
    return write_zip("server.zip", files);
  }
  Called mirror(const std::string& version, const std::string& mark,
                const std::string& options = "") const {
    std::vector<std::string> words = {"component",
                                      "mirror",
                                      "engine",
                                      "--version",
                                      version,
                                      "--released-at",
                                      "2026-01-0" + version.substr(0, 1),
                                      "--archive",
                                      server(version, mark)};
    if (!options.empty()) {
      for (const std::string_view option : base::split(options, ' ')) words.emplace_back(option);
    }
    return call(words);
  }
  // A member of the version of the engine of which the member `key` `is` that; "" of none.
  json::Value member(const std::string& name, const std::string& key, const json::Value& is) const {
    const json::Value shown = json::parse(done({"component", "show", "engine", "--json"}));
    for (const json::Value& each : *shown.as_object()->at("versions").as_array()) {
      if (each.as_object()->at(key) == is) return each.as_object()->at(name);
    }
    return "";
  }
  std::string latest() const { return *member("version", "is_latest", true).as_string(); }
  std::string reason(const std::string& version) const {
    return *member("held", "version", version).as_string();
  }
};

}  // namespace
}  // namespace holds

BOOST_FIXTURE_TEST_SUITE(holds, Fixture)

BOOST_AUTO_TEST_CASE(a_version_is_held_and_released_by_hand) {
  mirror("2.0", "");
  BOOST_TEST(done({"component", "hold", "engine", "2.0", "--reason", "It crashes."}) ==
             "holds engine 2.0; the latest version is 1.0\n");
  BOOST_TEST(latest() == "1.0");
  BOOST_TEST(reason("2.0") == "It crashes.");
  BOOST_TEST(done({"component", "list"}).find("  1.0     2.0\n") != std::string::npos);
  BOOST_TEST(done({"component", "hold", "engine", "1.0", "--reason", "So does this."}) ==
             "holds engine 1.0; there is no other version, so it can't be built\n");
  BOOST_TEST(failed({"build", "explain", "engine"}) ==
             "goldsmith: this selection can't be built: engine: N is held here: It crashes.\n");
  BOOST_TEST(json::parse(done({"build", "explain", "engine@2.0", "--json"}))
                 .as_object()
                 ->contains("build_hash"));
  BOOST_TEST(done({"component", "release", "engine", "2.0"}) ==
             "released engine 2.0; the latest version is 2.0\n");
  BOOST_TEST(reason("2.0").empty());
}

BOOST_AUTO_TEST_CASE(a_known_defect_holds_and_what_was_released_by_hand_stays_so) {
  const std::string defects =
      R"(, "is_default": true, "defects": [{"text": "It cuts.", "since": "2.0", "hold": true,
          "source": "https://example.org/383"}])";
  const std::string told = "It cuts. No release without it is known: https://example.org/383";
  mirror("2.0", "");
  BOOST_TEST(latest() == "2.0");
  const std::string file =
      write("engine.json", R"({"slug": "engine", "name": "N", "layer": "engine")" + defects + "}");
  const std::string imported = done({"component", "import", file});
  BOOST_TEST(imported.find("held engine 2.0: " + told + "\n") != std::string::npos, imported);
  BOOST_TEST(latest() == "1.0");
  BOOST_TEST(reason("2.0") == told);
  BOOST_TEST(done({"component", "show", "engine"}).find("since 2.0: " + told) != std::string::npos);
  const Called mirrored = mirror("3.0", "");
  BOOST_TEST(mirrored.out.find("  held: " + told +
                               "; \"goldsmith component release engine 3.0\" hands it out\n") !=
                 std::string::npos,
             mirrored.out);
  BOOST_TEST(latest() == "1.0");
  BOOST_TEST(done({"component", "release", "engine", "2.0"}) ==
             "released engine 2.0; the latest version is 2.0\n");
  import_component("engine", defects + R"(, "description": "Another.")");
  BOOST_TEST(mirror("2.0", "good", "--replace").code == 0);
  BOOST_TEST(latest() == "2.0");
  BOOST_TEST(reason("3.0") == told);
}

BOOST_AUTO_TEST_CASE(an_import_that_holds_all_versions_says_what_to_do) {
  const Called called =
      call({"component", "import",
            write("engine.json", R"({"slug": "engine", "name": "N", "layer": "engine", "defects":
                [{"text": "It cuts.", "hold": true, "source": "https://example.org/383"}]})")});
  BOOST_TEST(called.code == 0);
  BOOST_TEST(called.err.find("engine: no mirrored version is handed out any more; \"goldsmith "
                             "component mirror engine\" takes the newest that is not held\n") !=
                 std::string::npos,
             called.err);
  BOOST_TEST(latest() == "");
}

BOOST_AUTO_TEST_CASE(a_hold_needs_a_version_and_a_reason_of_one_line) {
  BOOST_TEST(failed({"component", "hold", "engine", "9.0", "--reason", "x"}) ==
             "goldsmith: the component \"engine\" has no mirrored version \"9.0\"\n");
  BOOST_TEST(call({"component", "hold", "engine", "1.0"}).code == 2);
  BOOST_TEST(call({"component", "hold", "engine", "1.0", "--reason", "a\nb"}).code == 2);
  BOOST_TEST(call({"component", "hold", "engine", "1.0", "--reason", std::string(301, 'x')}).code ==
             2);
  BOOST_TEST(reason("1.0").empty());
}

BOOST_AUTO_TEST_CASE(what_is_held_is_not_pruned_for_and_stays_so_when_mirrored_again) {
  mirror("2.0", "");
  done({"component", "hold", "engine", "2.0", "--reason", "It crashes."});
  BOOST_TEST(done({"component", "prune", "--keep", "1"}) == "0 versions removed\n");
  BOOST_TEST(mirror("2.0", "error", "--replace").code == 0);
  BOOST_TEST(reason("2.0") == "It crashes.");
  const std::string refused = failed({"component", "unmirror", "engine", "1.0"});
  BOOST_TEST(refused ==
             "goldsmith: engine 1.0 is the only version that builds can get, without which the "
             "component can't be built; --force removes it\n");
}

BOOST_AUTO_TEST_CASE(a_restored_backup_brings_back_what_was_held) {
  mirror("2.0", "");
  done({"component", "hold", "engine", "2.0", "--reason", "It crashes."});
  database().run("UPDATE component_versions SET held_reason = NULL, held_at = NULL");
  BOOST_TEST(done({"db", "withdraw"}) == "withdrew component engine 2.0, which is held\n");
  BOOST_TEST(reason("2.0") == "it was held before the database was restored");
}

BOOST_AUTO_TEST_CASE(a_new_version_that_does_not_start_is_held,
                     *boost::unit_test::precondition(starts_servers)) {
  const Called held = mirror("2.0", "error", "--if-starts");
  BOOST_TEST(held.code == 1);
  BOOST_TEST(held.out.find("  the recommended server with it: faulty, 0 plugins running, 1 "
                           "faulty: own.amxx: ") != std::string::npos,
             held.out);
  BOOST_TEST(held.out.find("  held: the latest version is 1.0; \"goldsmith component release "
                           "engine 2.0\" hands it out\n") != std::string::npos,
             held.out);
  BOOST_TEST(latest() == "1.0");
  BOOST_TEST(reason("2.0").starts_with("the recommended server does not run with it: faulty"));

  const Called good = mirror("3.0", "", "--if-starts");
  BOOST_TEST(good.code == 0);
  BOOST_TEST(good.out.find("  the recommended server with it: started, 0 plugins running\n") !=
                 std::string::npos,
             good.out);
  BOOST_TEST(latest() == "3.0");
}

// What holds a version is not told by how the reason reads.
BOOST_AUTO_TEST_CASE(what_the_operator_holds_stays_so_whatever_the_reason_says,
                     *boost::unit_test::precondition(starts_servers)) {
  mirror("2.0", "");
  const std::string reason_of_mirroring = start::hold_until_tried().reason;
  done({"component", "hold", "engine", "2.0", "--reason", reason_of_mirroring});
  for (const char* mark : {"good", "", "good"}) {
    const std::string options = *mark == 0 ? "--replace --if-starts" : "--replace";
    BOOST_TEST(mirror("2.0", mark, options).code == 0);
    BOOST_TEST(reason("2.0") == reason_of_mirroring, options);
  }
  BOOST_TEST(latest() == "1.0");
  const auto kinds = [&] {
    const auto rows = database().query(
        "SELECT GROUP_CONCAT(CONCAT(version, ' ', held_kind) ORDER BY version SEPARATOR ', ')"
        " FROM component_versions WHERE held_at IS NOT NULL",
        {});
    return rows->next() ? rows->text(1) : "";
  };
  mirror("3.0", "crash", "--if-starts");
  BOOST_TEST(kinds() == "2.0 hand, 3.0 start");
  // As if mirroring was interrupted.
  database().run("UPDATE component_versions SET held_kind = 'unstarted' WHERE version = '2.0'");
  BOOST_TEST(mirror("2.0", "good", "--replace").code == 0);
  BOOST_TEST(kinds() == "2.0 unstarted, 3.0 start");
  BOOST_TEST(mirror("2.0", "", "--replace").code == 0);
  BOOST_TEST(kinds() == "3.0 start");
}

BOOST_AUTO_TEST_CASE(one_that_is_no_worse_than_the_former_is_handed_out,
                     *boost::unit_test::precondition(starts_servers)) {
  BOOST_TEST(mirror("2.0", "error").code == 0);
  BOOST_TEST(latest() == "2.0");
  BOOST_TEST(mirror("3.0", "error", "--if-starts").code == 0);
  BOOST_TEST(latest() == "3.0");
  BOOST_TEST(mirror("4.0", "crash", "--if-starts").code == 1);
  BOOST_TEST(latest() == "3.0");
}

BOOST_AUTO_TEST_CASE(one_that_loads_less_than_the_former_is_held,
                     *boost::unit_test::precondition(starts_servers)) {
  BOOST_TEST(mirror("2.0", "good").code == 0);
  BOOST_TEST(mirror("3.0", "", "--if-starts").code == 1);
  BOOST_TEST(latest() == "2.0");
  BOOST_TEST(reason("3.0") == "the recommended server loads less with it: 0 plugins, 1 before");
  BOOST_TEST(mirror("4.0", "good", "--if-starts").code == 0);
  BOOST_TEST(latest() == "4.0");
}

BOOST_AUTO_TEST_CASE(without_the_faulty_plugin_and_the_others_it_is_worse) {
  using Outcome = start::Report::Outcome;
  start::Report before;
  before.outcome = Outcome::faulty;
  before.plugins = {{"", "a.amxx", "A", "1", "running"}, {"", "b.amxx", "B", "1", "bad load"}};
  start::Report now;
  now.outcome = Outcome::started;
  BOOST_TEST(start::decline(now, before) ==
             "the recommended server loads less with it: 0 plugins, 1 before");
  now.plugins = {before.plugins.front()};
  BOOST_TEST(start::decline(now, before) == "");
  before.modules = {{"Fun", "1", "", "running"}};
  BOOST_TEST(start::decline(now, before) ==
             "the recommended server loads less with it: 0 modules, 1 before");
  before = {};  // it did not run at all
  now.outcome = Outcome::faulty;
  now.plugins = {{"", "b.amxx", "B", "1", "bad load"}};
  BOOST_TEST(start::decline(now, before) == "");
}

BOOST_AUTO_TEST_CASE(one_that_can_not_be_started_here_is_held,
                     *boost::unit_test::precondition(starts_servers)) {
  const Called held = call({"component", "mirror", "engine", "--version", "2.0", "--archive",
                            server("2.0", "good"), "--if-starts", "--start.emulator=/nowhere"});
  BOOST_TEST(held.code == 1);
  BOOST_TEST(reason("2.0") == "it could not be started here");
  BOOST_TEST(latest() == "1.0");
}

BOOST_AUTO_TEST_CASE(one_without_an_engine_is_held_for_what_it_is,
                     *boost::unit_test::precondition(starts_servers)) {
  const Called held = call({"component", "mirror", "engine", "--version", "2.0", "--archive",
                            write_zip("a.zip", {{"data.txt", "x"}}), "--if-starts"});
  BOOST_TEST(held.code == 1);
  BOOST_TEST(reason("2.0") ==
             "the recommended server does not run with it: failed, 0 plugins running: the engine "
             "can't be executed: ./hlds_linux: execute: No such file or directory");
}

BOOST_AUTO_TEST_CASE(one_that_goes_with_no_engine_can_not_be_tried_and_is_handed_out) {
  done({"component", "import",
        write("plugin.json", R"({"slug": "plugin", "name": "P", "layer": "module", "rules":
                [{"rule": "conflicts", "component": "engine", "with_versions": ">0.9"}]})")});
  const Called mirrored = call({"component", "mirror", "plugin", "--version", "1.0", "--archive",
                                write_zip("a.zip", {{"data.txt", "x"}}), "--if-starts"});
  BOOST_TEST(mirrored.code == 0);
  BOOST_TEST(
      mirrored.out.ends_with("  not started: the latest version of no engine goes with it\n"),
      mirrored.out);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
