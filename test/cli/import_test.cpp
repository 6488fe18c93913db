#include <boost/test/unit_test.hpp>

#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

BOOST_FIXTURE_TEST_SUITE(imports, OperatorHost)

BOOST_AUTO_TEST_CASE(importing_the_same_plugins_again_changes_nothing) {
  const std::string a = write_plugin("alpha");
  const std::string b = write_plugin("beta");
  BOOST_TEST(done({"plugin", "import", a, b}) ==
             "created    alpha\ncreated    beta\n"
             "2 plugins: 2 created, 0 updated, 0 unchanged\n");
  const std::string listing = done({"plugin", "list", "--json"});
  BOOST_TEST(done({"plugin", "import", a, b}) ==
             "unchanged  alpha\nunchanged  beta\n"
             "2 plugins: 0 created, 0 updated, 2 unchanged\n");
  BOOST_TEST(done({"plugin", "list", "--json"}) == listing);
  write_plugin("beta", "main(){ new x; }");
  BOOST_TEST(done({"plugin", "import", a, b}) ==
             "unchanged  alpha\nupdated    beta\n"
             "2 plugins: 0 created, 1 updated, 1 unchanged\n");
}

BOOST_AUTO_TEST_CASE(one_bad_manifest_of_several_means_that_nothing_is_imported) {
  const std::string good = write_plugin("good");
  const std::string bad = write_plugin("bad", "main(){}", R"("statsu": "draft", )");
  BOOST_TEST(failed({"plugin", "import", good, bad}) ==
             "goldsmith: DIR/bad/plugin.json: statsu: unknown field; did you mean \"status\"? "
             "(nothing was imported)\n");
  BOOST_TEST(failed({"plugin", "import", good, bad, path("none").string()}) ==
             "goldsmith: DIR/bad/plugin.json: statsu: unknown field; did you mean \"status\"?\n"
             "goldsmith: DIR/none: does not exist\n"
             "goldsmith: 2 problems; nothing was imported\n");
  BOOST_TEST(done({"plugin", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_CASE(a_failure_while_writing_takes_back_what_was_written_before) {
  database().run(
      "CREATE TRIGGER refuse_beta BEFORE INSERT ON plugins FOR EACH ROW"
      " IF NEW.slug = 'beta' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'disk on fire';"
      " END IF");
  const std::string lines =
      failed({"plugin", "import", write_plugin("alpha"), write_plugin("beta")});
  BOOST_TEST(lines.starts_with("goldsmith: database: "));
  BOOST_TEST(lines.find("disk on fire") != std::string::npos);
  BOOST_TEST(done({"plugin", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_CASE(one_slug_in_two_manifests_is_refused) {
  const std::string a = write_plugin("alpha");
  write("copy/alpha.sma", "");
  write("copy/plugin.json", sys::read_file(path("alpha/plugin.json")));
  BOOST_TEST(failed({"plugin", "import", a, path("copy").string()}) ==
             "goldsmith: DIR/copy: slug: \"alpha\" is also the slug in DIR/alpha; a slug is "
             "imported once a call (nothing was imported)\n");
}

BOOST_AUTO_TEST_CASE(importing_again_does_not_undo_publish_and_unpublish) {
  const std::string plugin = write_plugin("alpha");
  done({"plugin", "import", plugin});
  BOOST_TEST(done({"plugin", "publish", "alpha"}) == "alpha is published\n");
  BOOST_TEST(done({"plugin", "unpublish", "alpha", "1.0"}) == "alpha 1.0 is a draft now\n");
  const std::string shown = done({"plugin", "show", "alpha", "--json"});
  BOOST_TEST(done({"plugin", "import", plugin}).starts_with("unchanged  alpha\n"));
  BOOST_TEST(done({"plugin", "show", "alpha", "--json"}) == shown);
  BOOST_TEST(shown.find("\"status\": \"published\"") != std::string::npos);
  BOOST_TEST(shown.find("\"status\": \"draft\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_is_not_there_can_neither_be_shown_nor_changed) {
  done({"plugin", "import", write_plugin("alpha")});
  for (const std::string verb : {"show", "publish", "unpublish", "remove"}) {
    BOOST_TEST(failed({"plugin", verb, "beta"}) ==
               "goldsmith: there is no plugin \"beta\"; see \"goldsmith plugin list\"\n");
  }
  BOOST_TEST(failed({"plugin", "publish", "alpha", "2.0"}) ==
             "goldsmith: the plugin \"alpha\" has no version \"2.0\"\n");
  for (const std::string verb : {"publish", "unpublish", "remove"}) {
    BOOST_TEST(failed({"addon", verb, "beta"}) ==
               "goldsmith: there is no addon pack \"beta\"; see \"goldsmith addon list\"\n");
  }
}

BOOST_AUTO_TEST_CASE(a_pack_keeps_its_time_and_its_status_when_imported_again) {
  done({"plugin", "import", write_plugin("alpha")});
  const std::string file =
      write("pack.json", R"({"slug": "pack", "name": "P", "plugins": ["alpha"]})");
  BOOST_TEST(done({"addon", "import", file}) ==
             "created    pack\n1 pack: 1 created, 0 updated, 0 unchanged\n");
  BOOST_TEST(done({"addon", "publish", "pack"}) == "pack is published\n");
  database().run("UPDATE addon_packs SET created_at = '2020-01-02 03:04:05'");
  BOOST_TEST(done({"addon", "import", file}).starts_with("unchanged  pack\n"));
  const std::string listing = done({"addon", "list", "--json"});
  BOOST_TEST(listing.find("2020-01-02 03:04:05") != std::string::npos);
  BOOST_TEST(listing.find("\"status\": \"published\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pack_that_names_an_unknown_plugin_is_refused_with_all_of_its_call) {
  done({"plugin", "import", write_plugin("alpha")});
  const std::string good = write("good.json", R"({"slug": "good", "name": "P"})");
  const std::string bad =
      write("bad.json", R"({"slug": "bad", "name": "P", "plugins": ["alpha", "beta"]})");
  BOOST_TEST(failed({"addon", "import", good, bad}) ==
             "goldsmith: DIR/bad.json: plugins[1] of \"bad\": \"beta\" is not in the plugin "
             "directory; import it first (nothing was imported)\n");
  BOOST_TEST(done({"addon", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_CASE(a_plugin_of_a_pack_can_be_removed_once_the_pack_is) {
  done({"plugin", "import", write_plugin("alpha")});
  done({"addon", "import",
        write("pack.json", R"({"slug": "pack", "name": "P", "plugins": ["alpha"]})")});
  BOOST_TEST(failed({"plugin", "remove", "alpha"}).find("pack") != std::string::npos);
  BOOST_TEST(done({"addon", "remove", "pack"}) == "pack is removed\n");
  BOOST_TEST(done({"plugin", "remove", "alpha"}) == "alpha is removed\n");
  BOOST_TEST(done({"plugin", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
