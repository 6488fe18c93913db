#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "app/sys/file.hpp"
#include "test/cli/operator_host.hpp"

namespace goldsmith::test {

namespace {

std::string source(const std::string& name, const std::string& before = "") {
  return before + "#include <amxmodx>\npublic plugin_init() {\n  register_plugin(\"" + name +
         "\", \"1.0 Alpha\", \"B\");\n}\n";
}

struct Collection : OperatorHost {
  Collection() {
    write("heap/one/scripting/one.sma", source("One", "#include <own>\n"));
    write("heap/one/scripting/include/own.inc", "stock own() { return 1; }\n");
    write("heap/two/a copy.sma", source("Two"));
    write("heap/two/two.sma", source("Two"));
    write("heap/two/a copy.md", "# Two\n\nIt is the second of all.\n");
    write("heap/bad.sma", source("Bad", "#include <nowhere>\n"));
    write("heap/huge.sma", std::string((1 << 20) + 1, ' '));
    write("heap/text.sma", "not Pawn");
    std::filesystem::create_symlink("bad.sma", path("heap/link.sma"));
  }

  std::vector<std::string> scan(std::vector<std::string> words = {}) const {
    std::vector<std::string> all{"plugin", "scan", path("heap").string(),
                                 "--toolchains=" STANDIN_TOOLCHAINS,
                                 "--includes=" + path("includes").string()};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
};

void check_has(const std::string& text, const std::string& part) {
  BOOST_TEST(text.find(part) != std::string::npos, part << " in " << text);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(plugin_scan, Collection)

BOOST_AUTO_TEST_CASE(each_source_is_named_with_what_becomes_of_it) {
  const std::string table = done(scan());
  check_has(table, "2 ready, 0 with questions, 1 not compiling, 1 no plugins, 2 refused\n");
  check_has(table, "the include \"nowhere\" is missing, in the scanned folders, too");
  check_has(table, "link.sma is a link; links are refused");
  check_has(table, "huge.sma has more than 1 MB");
  check_has(table, "text.sma does not call register_plugin()");
  check_has(done(scan({"--json"})), "the same source is at ");
}

BOOST_AUTO_TEST_CASE(what_is_written_can_be_imported_and_edits_stay) {
  const std::string folder = path("made").string();
  done(scan({"--write", folder}));
  check_has(done({"plugin", "import", folder + "/one", folder + "/two"}), "created    one");
  check_has(done({"plugin", "show", "one"}), "own.inc");
  check_has(done({"plugin", "show", "two"}), "It is the second of all.");
  BOOST_TEST(!std::filesystem::exists(path("made/bad")));

  write("made/one/plugin.json", "{}");
  write("heap/one/scripting/one.sma", source("One", "#include <own>\n#define LATER 1\n"));
  done(scan({"--write", folder}));
  BOOST_TEST(sys::read_file(path("made/one/plugin.json")) == "{}");
  BOOST_TEST(!std::filesystem::exists(path("made/one/plugin.json.proposed")));
  write("heap/one/scripting/one.sma", source("Other", "#include <own>\n"));
  BOOST_TEST(call(scan({"--write", folder})).err.find("was edited and is kept") !=
             std::string::npos);
  check_has(sys::read_file(path("made/one/plugin.json.proposed")), "\"name\": \"Other\"");
}

BOOST_AUTO_TEST_CASE(a_pack_lists_what_is_ready) {
  const std::string folder = path("made").string();
  done(scan({"--write", folder, "--pack", "all-of-them"}));
  done({"plugin", "import", folder + "/one", folder + "/two"});
  check_has(done({"addon", "import", folder + "/addon.json"}), "all-of-them");
  write("heap/four.sma", source("Four"));
  check_has(call(scan({"--write", folder, "--pack", "all-of-them"})).err, "addon.json is kept");
  check_has(sys::read_file(path("made/addon.json.proposed")), "\"four\"");
  check_has(failed(scan({"--pack", "all-of-them"})), "--pack needs --write");
}

BOOST_AUTO_TEST_CASE(different_sources_under_one_name_are_asked_about) {
  write("heap/three.sma", source("one", "#define X 1\n"));
  done(scan({"--write", path("made").string()}));
  check_has(sys::read_file(path("made/questions.json")), "another source has this name");
}

BOOST_AUTO_TEST_CASE(a_path_that_is_not_there_is_named) {
  BOOST_TEST(
      failed({"plugin", "scan", path("nowhere").string(), "--toolchains=" STANDIN_TOOLCHAINS})
          .find("DIR/nowhere: No such file or directory") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::test
