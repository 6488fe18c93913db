// goldsmith component matrix: pairs of versions, on a stand-in engine.
#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {
namespace matrices {
namespace {

const std::string kPlatform = "cstrike/addons/amxmodx/";
constexpr const char* kInclude =
    "enum { NOTHING }\n"
    "enum HookFunc { HF_FIRST = 1, HF_SECOND };\n"
    "native Hook(HookFunc:func_id, const callback[], post = 0);\n"
    "native Other(func_id, name[]);\n";

// The recommended server is a platform; the other one is a module's includes.
struct Fixture : OperatorHost {
  Fixture() {
    done({"component", "import", write("server.json", R"({"slug": "server", "name": "Server",
        "layer": "amxmodx", "is_default": true, "loads": {"toolchain": "1.9"}})"),
          write("hooks.json", R"({"slug": "hooks", "name": "Hooks", "layer": "module"})")});
    for (const char* version : {"1.0", "2.0"}) {
      mirror("server", version,
             {{"hlds_linux", base::read_file(STANDIN_ENGINE)}, {"version.txt", version}});
    }
  }

  void mirror(const std::string& slug, const std::string& version,
              std::vector<ArchiveEntry> files) const {
    done({"component", "mirror", slug, "--version", version, "--released-at",
          "2026-01-0" + version.substr(0, 1), "--archive", write_zip("a.zip", files)});
  }
  // In `bad` ones the first probe has an error.
  void mirror_hooks(const std::vector<std::string>& good,
                    const std::vector<std::string>& bad) const {
    const ArchiveEntry include{kPlatform + "scripting/include/hooks.inc", kInclude};
    for (const std::string& version : good) {
      mirror("hooks", version, {include, {"version.txt", version}});
    }
    for (const std::string& version : bad) {
      mirror("hooks", version,
             {include, {kPlatform + "scripting/goldsmith_probe1.sma", "// start: error\n"}});
    }
  }
  std::string matrix(const std::string& a, const std::string& b,
                     const char* option = nullptr) const {
    std::vector<std::string> words{"component",
                                   "matrix",
                                   a,
                                   b,
                                   "--toolchains=" STANDIN_TOOLCHAINS,
                                   "--includes=" + path("includes").string()};
    if (option) words.emplace_back(option);
    return done(words);
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace
}  // namespace matrices

BOOST_FIXTURE_TEST_SUITE(matrices, Fixture, *boost::unit_test::precondition(starts_servers))

BOOST_AUTO_TEST_CASE(a_pair_is_faulty_where_a_probe_fails_that_runs_elsewhere) {
  mirror_hooks({"3.0"}, {"1.0", "2.0"});
  const std::string text = matrix("hooks", "server");
  BOOST_TEST(text.starts_with("with server:\n"
                              "hooks  1.0     2.0\n"
                              "1.0    faulty  faulty\n"
                              "2.0    faulty  faulty\n"
                              "3.0    runs    runs\n"),
             text);
  BOOST_TEST(has(text,
                 "\nhooks 1.0 with server 1.0:\n"
                 "  Hook(HF_FIRST, \"goldsmith_probe\"): Run time error 10"),
             text);
  BOOST_TEST(has(text,
                 "\nRules of hooks that say this:\n"
                 R"({"component":"server","rule":"conflicts","versions":">=1.0 <=2.0"})"),
             text);
}

BOOST_AUTO_TEST_CASE(rules_are_as_wide_as_what_was_seen) {
  mirror_hooks({"2.0", "3.0"}, {"1.0", "4.0"});
  const json::Value answer = json::parse(matrix("server", "hooks", "--json"));
  const json::Array& pairs = *answer.as_object()->at("pairs").as_array();
  BOOST_TEST_REQUIRE(pairs.size() == 8U);
  BOOST_TEST((pairs[0].as_object()->at("outcome") == json::Value("faulty")));
  BOOST_TEST((pairs[1].as_object()->at("outcome") == json::Value("runs")));
  const json::Array& rules = *answer.as_object()->at("rules").as_array();
  BOOST_TEST_REQUIRE(rules.size() == 2U);
  BOOST_TEST(
      json::to_string(rules[0]) ==
      R"({"component":"hooks","rule":"conflicts","versions":">=1.0 <=2.0","with_versions":"<2.0"})");
  BOOST_TEST(
      json::to_string(rules[1]) ==
      R"({"component":"hooks","rule":"conflicts","versions":">=1.0 <=2.0","with_versions":">3.0"})");
}

BOOST_AUTO_TEST_CASE(a_component_that_fails_everywhere_proposes_no_rule) {
  mirror_hooks({}, {"1.0", "2.0"});
  const std::string text = matrix("hooks", "server");
  BOOST_TEST(!has(text, "faulty"), text);
  BOOST_TEST(!has(text, "Rules"), text);
}

// The first of the natives whose result is known, and all that follow, as of the version before.
BOOST_AUTO_TEST_CASE(a_native_that_gives_something_else_than_before_holds) {
  const auto mirrored = [&](const std::string& version, std::vector<ArchiveEntry> files) {
    files.push_back({"version.txt", version});
    return call({"component", "mirror", "server", "--version", version, "--released-at",
                 "2026-02-0" + version.substr(0, 1), "--archive", write_zip("a.zip", files),
                 "--if-starts", "--toolchains=" STANDIN_TOOLCHAINS,
                 "--includes=" + path("includes").string()});
  };
  import_component("engine", R"(, "is_default": true)");
  mirror("engine", "1.0", {{"hlds_linux", base::read_file(STANDIN_ENGINE)}});
  BOOST_TEST(mirrored("3.0", {}).code == 0);
  const ArchiveEntry bad{kPlatform + "scripting/goldsmith_probe1.sma", "// start: error\n"};
  const Called held = mirrored("4.0", {bad});
  BOOST_TEST(held.code == 1);
  BOOST_TEST(
      has(held.out,
          "\n  natives that were right with 3.0 are not with it: get_mapname: Run time error 10"),
      held.out);
}

BOOST_AUTO_TEST_CASE(two_mirrored_components_are_needed) {
  BOOST_TEST(failed({"component", "matrix", "hooks", "server"}) ==
             "goldsmith: no version of \"hooks\" is mirrored\n");
  BOOST_TEST(call({"component", "matrix", "server", "server"}).code == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
