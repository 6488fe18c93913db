// `component import --defaults`, `overlay import --defaults` and `overlay import FILE`.
#include <boost/test/unit_test.hpp>

#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace defaults {
namespace {

// A host whose default catalog has two components and two sections.
struct Fixture : OperatorHost {
  Fixture() {
    write("catalog/components/b-loader.json",
          R"([{"slug": "loader", "name": "Loader", "layer": "metamod"}])");
    write("catalog/components/a-engine.json", R"({"slug": "engine", "name": "Engine",
        "layer": "engine", "rules": [{"rule": "recommends", "component": "loader"}]})");
    write("catalog/components/README.md", "no manifest");
    write("catalog/overlays/game.cfg", "mp_timelimit 30\n");
    write("catalog/overlays/overlays.json",
          R"([{"path": "game.cfg", "file": "game.cfg"},
              {"path": "game.cfg", "component": "engine", "position": 20, "file": "game.cfg"}])");
  }
  std::string import_overlays(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"overlay", "import", "--defaults"};
    words.insert(words.end(), more.begin(), more.end());
    return done(words);
  }
};

}  // namespace
}  // namespace defaults

BOOST_FIXTURE_TEST_SUITE(defaults, Fixture)

BOOST_AUTO_TEST_CASE(the_components_of_the_catalog_are_imported_in_one_call) {
  BOOST_TEST(done({"component", "import", "--defaults"}) ==
             "created    engine\ncreated    loader\n"
             "2 components: 2 created, 0 updated, 0 unchanged\n");
  BOOST_TEST(done({"component", "import", "--defaults"}) ==
             "unchanged  engine\nunchanged  loader\n"
             "2 components: 0 created, 0 updated, 2 unchanged\n");
}

BOOST_AUTO_TEST_CASE(ready_made_servers_are_published_once_all_of_their_plugins_are_there) {
  write("catalog/presets.json",
        R"([{"slug": "public", "name": "Public", "server": "optimized=1"},
            {"slug": "chase", "name": "Chase", "plugins": ["alpha"], "server": "optimized=1"}])");
  BOOST_TEST(done({"addon", "import", "--defaults"}) ==
             "passed over chase: the directory does not have alpha\n"
             "created    public\n1 pack: 1 created, 0 updated, 0 unchanged\n");
  done({"plugin", "import", write_plugin("alpha")});
  done({"addon", "unpublish", "public"});
  BOOST_TEST(done({"addon", "import", "--defaults"}) ==
             "unchanged  public\ncreated    chase\n"
             "2 packs: 1 created, 0 updated, 1 unchanged\n");
  const std::string listing = done({"addon", "list"});
  BOOST_TEST(listing.find("Chase   published") != std::string::npos, listing);
  BOOST_TEST(listing.find("Public  draft") != std::string::npos, listing);
}

BOOST_AUTO_TEST_CASE(a_server_of_a_pack_is_the_query_of_a_selection_without_plugins) {
  const auto refused = [&](const std::string& server) {
    return failed(
        {"addon", "import",
         write("pack.json", R"({"slug": "p", "name": "P", "server": ")" + server + "\"}")});
  };
  BOOST_TEST(refused("optimised=1") ==
             "goldsmith: DIR/pack.json: server of \"p\": \"optimised\" is no parameter of a server "
             "(nothing was imported)\n");
  BOOST_TEST(
      refused("plugins=alpha") ==
      "goldsmith: DIR/pack.json: server of \"p\": plugins are named by \"plugins\" of the pack "
      "(nothing was imported)\n");
}

BOOST_AUTO_TEST_CASE(the_overlays_of_the_catalog_follow_it_and_say_so) {
  done({"component", "import", "--defaults"});
  BOOST_TEST(import_overlays() ==
             "created    game.cfg\ncreated    game.cfg for engine\n"
             "2 sections: 2 created, 0 updated, 0 unchanged\n");
  BOOST_TEST(import_overlays() ==
             "unchanged  game.cfg\nunchanged  game.cfg for engine\n"
             "2 sections: 0 created, 0 updated, 2 unchanged\n");
  write("catalog/overlays/overlays.json", R"({"path": "game.cfg", "file": "new.cfg"})");
  write("catalog/overlays/new.cfg", "mp_timelimit 45\n");
  BOOST_TEST(import_overlays() ==
             "updated    game.cfg\nremoved    game.cfg for engine\n"
             "2 sections: 0 created, 1 updated, 0 unchanged, 1 removed\n");
}

BOOST_AUTO_TEST_CASE(a_section_that_the_operator_changed_is_kept_unless_it_is_given_up) {
  done({"component", "import", "--defaults"});
  import_overlays();
  const std::string mine = write("mine.cfg", "mp_timelimit 99\n");
  done({"overlay", "set", "game.cfg", "--file", mine});
  done({"overlay", "remove", "game.cfg", "--component", "engine"});
  BOOST_TEST(done({"overlay", "list"}) ==
             "PATH      POSITION  COMPONENT  SOURCE   BYTES\n"
             "game.cfg         0  (always)   changed     16\n");
  BOOST_TEST(import_overlays() ==
             "kept       game.cfg\nkept       game.cfg for engine\n"
             "2 sections: 0 created, 0 updated, 0 unchanged, 2 kept\n"
             "Kept sections were changed or removed here; --replace restores those of the "
             "catalog.\n");
  BOOST_TEST(import_overlays({"--replace"}) ==
             "updated    game.cfg\ncreated    game.cfg for engine\n"
             "2 sections: 1 created, 1 updated, 0 unchanged\n");
  BOOST_TEST(done({"overlay", "list", "--json"}).find("\"source\": \"default\"") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(sections_of_the_operators_own_manifest_are_imported_all_or_none) {
  done({"component", "import", "--defaults"});
  write("mine/text.cfg", "sv_timeout 60\n");
  const std::string good = write("mine/good.json", R"({"path": "a.cfg", "file": "text.cfg"})");
  const std::string bad =
      write("mine/bad.json", R"({"path": "b.cfg", "component": "motor", "file": "text.cfg"})");
  BOOST_TEST(failed({"overlay", "import", good, bad}) ==
             "goldsmith: DIR/mine/bad.json: component of \"b.cfg\": \"motor\" is not a known "
             "component; import it first (nothing was imported)\n");
  BOOST_TEST(done({"overlay", "list", "--json"}) == "[]\n");
  BOOST_TEST(done({"overlay", "import", good}) ==
             "created    a.cfg\n1 section: 1 created, 0 updated, 0 unchanged\n");
  BOOST_TEST(done({"overlay", "import", good}) ==
             "unchanged  a.cfg\n1 section: 0 created, 0 updated, 1 unchanged\n");
  const std::string again = write("again.json", R"({"path": "a.cfg", "file": "mine/text.cfg"})");
  BOOST_TEST(failed({"overlay", "import", good, again}) ==
             "goldsmith: DIR/again.json: section: \"a.cfg\" is also the section in "
             "DIR/mine/good.json; a section is imported once a call (nothing was imported)\n");
}

BOOST_AUTO_TEST_CASE(files_and_defaults_exclude_each_other) {
  for (const std::string noun : {"component", "overlay"}) {
    BOOST_TEST(call({noun, "import"}).code == 2);
    BOOST_TEST(call({noun, "import", "a.json", "--defaults"}).code == 2);
  }
  BOOST_TEST(call({"overlay", "import", "a.json", "--replace"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_catalog_that_is_not_there_is_named_with_the_way_out) {
  const std::string elsewhere = "--catalog=" + path("none").string();
  BOOST_TEST(failed({"component", "import", "--defaults", elsewhere}) ==
             "goldsmith: DIR/none/components/*.json: no such file; set the folder of the default "
             "catalog with --catalog=DIR or the option \"catalog\" of the configuration\n");
  BOOST_TEST(failed({"overlay", "import", "--defaults", elsewhere})
                 .starts_with("goldsmith: DIR/none/overlays/overlays.json: no such file; "));
}

BOOST_AUTO_TEST_CASE(overlays_of_components_that_are_not_imported_yet_say_which) {
  BOOST_TEST(failed({"overlay", "import", "--defaults"})
                 .find("\"engine\" is not a known component; import it first") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(
    what_comes_with_goldsmith_imports_on_an_empty_database_and_changes_nothing_again) {
  for (const std::string noun : {"component", "overlay", "addon"}) {
    const std::vector<std::string> words = {noun, "import", "--defaults",
                                            "--catalog=" GOLDSMITH_SOURCE_DIR "/db/catalog"};
    const std::string first = done(words);
    BOOST_TEST(first.find("created  ") != std::string::npos, first);
    BOOST_TEST(first.ends_with(" created, 0 updated, 0 unchanged\n"));
    const std::string listing = done({noun, "list", "--json"});
    BOOST_TEST(done(words).find(": 0 created, 0 updated, ") != std::string::npos);
    BOOST_TEST(done({noun, "list", "--json"}) == listing);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
