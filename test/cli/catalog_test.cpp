#include <boost/test/unit_test.hpp>

#include "app/base/json.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

BOOST_FIXTURE_TEST_SUITE(catalog, OperatorHost)

BOOST_AUTO_TEST_CASE(components_of_one_call_may_name_each_other) {
  const std::string a = write("a.json", R"({"slug": "a", "name": "A", "layer": "engine",
      "sort_order": 20, "rules": [{"rule": "requires", "component": "b"}]})");
  const std::string b = write("b.json", R"([{"slug": "b", "name": "B", "layer": "metamod",
      "sort_order": 10, "rules": [{"rule": "conflicts", "component": "a", "note": "No."}]}])");
  BOOST_TEST(failed({"component", "import", a}) ==
             "goldsmith: DIR/a.json: rules[0].component of \"a\": \"b\" is neither a known "
             "component nor part of this import (nothing was imported)\n");
  BOOST_TEST(done({"component", "import", a, b}) ==
             "created    a\ncreated    b\n2 components: 2 created, 0 updated, 0 unchanged\n");
  BOOST_TEST(done({"component", "import", a, b}) ==
             "unchanged  a\nunchanged  b\n2 components: 0 created, 0 updated, 2 unchanged\n");
  BOOST_TEST(done({"component", "list"}) ==
             "SLUG  LAYER    NAME  ORDER  DEFAULT  SELECTABLE  VERSIONS  LATEST  HELD\n"
             "b     metamod  B        10  no       yes                0  -       -\n"
             "a     engine   A        20  no       yes                0  -       -\n");
}

BOOST_AUTO_TEST_CASE(a_deprecated_license_is_taken_and_told) {
  const std::string file = write(
      "old.json", R"({"slug": "old", "name": "Old", "layer": "engine", "license": "GPL-2.0"})");
  const Called called = call({"component", "import", file});
  BOOST_TEST(called.code == 0);
  BOOST_TEST(called.out == "created    old\n1 component: 1 created, 0 updated, 0 unchanged\n");
  BOOST_TEST(
      called.err.find("the license of \"old\": SPDX has deprecated \"GPL-2.0\"; for the GPL and "
                      "its kin it is GPL-2.0-only or GPL-2.0-or-later") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_listing_has_the_field_names_of_the_api) {
  import_component("engine", R"(, "description": "D", "homepage": "https://example.com",
      "license": "MIT", "is_default": true)");
  const json::Value listing = json::parse(done({"component", "list", "--json"}));
  const json::Object& component = *listing.as_array()->at(0).as_object();
  for (const std::string field : {"slug", "name", "description", "homepage", "license", "layer",
                                  "is_default", "selectable", "sort_order", "rules", "versions"}) {
    BOOST_TEST(component.contains(field), field);
  }
  BOOST_TEST((component.at("rules") == json::Value(nullptr)));
  BOOST_TEST((component.at("versions") == json::Value(json::Array{})));
}

BOOST_AUTO_TEST_CASE(one_bad_component_means_that_nothing_is_imported) {
  const std::string file = write("c.json", R"([{"slug": "a", "name": "A", "layer": "engine"},
                          {"slug": "b", "name": "B", "layer": "motor"}])");
  BOOST_TEST(
      failed({"component", "import", file})
          .starts_with("goldsmith: DIR/c.json: [1].layer: \"motor\" is not a valid layer; "));
  BOOST_TEST(done({"component", "list", "--json"}) == "[]\n");
}

BOOST_AUTO_TEST_CASE(the_upstream_of_a_component_is_shown_with_its_pins_and_its_key) {
  const std::string key(40, 'A');
  const std::string digest(64, '1');
  import_component("hub", R"(, "upstream": {"github": "owner/repo", "tag": "1.*", "asset": "*.zip",
      "sha256": {"1.0": ")" + digest +
                              R"("}, "signature": {"suffix": ".asc", "key": ")" + key + R"("}})");
  import_component("web", R"(, "upstream": {"url": ["https://h/a-{version}", "https://h/b"],
      "version": "7"})");
  const std::string hub = done({"component", "show", "hub"});
  for (const std::string line : {"https://github.com/owner/repo tags 1.*\n", "*.zip\n",
                                 "*.asc by AAAA", "sha256 of 1.0  "}) {
    BOOST_TEST(hub.find(line) != std::string::npos, line);
  }
  const json::Value shown = json::parse(done({"component", "show", "web", "--json"}));
  const json::Value wanted =
      json::Object{{"url", json::Array{"https://h/a-{version}", "https://h/b"}}, {"version", "7"}};
  BOOST_TEST((shown.as_object()->at("upstream") == wanted));
  // What is shown can be imported again.
  BOOST_TEST(done({"component", "import",
                   write("again.json", R"({"slug": "web", "name": "N", "layer": "engine",
                         "upstream": )" + json::to_string(wanted) +
                                           "}")})
                 .starts_with("unchanged  web\n"));
}

BOOST_AUTO_TEST_CASE(an_unknown_component_or_version_can_not_be_shown) {
  BOOST_TEST(failed({"component", "show", "a"}) ==
             "goldsmith: there is no component \"a\"; see \"goldsmith component list\"\n");
  import_component("a");
  BOOST_TEST(failed({"component", "show", "a", "--version", "1"}) ==
             "goldsmith: the component \"a\" has no mirrored version \"1\"\n");
  BOOST_TEST(done({"component", "show", "a"}).find("No version is mirrored.") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
