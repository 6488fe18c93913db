// The configuration as the operator sees it.
#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "app/base/json.hpp"
#include "test/unit/cli/called.hpp"

namespace goldsmith::cli::configuration {
namespace {

namespace fs = std::filesystem;

struct Host {
  Host() {
    write("goldsmith.conf", "site.name = first\nsite.tagline = kept\n");
    fs::create_directory(folder.path() / "conf.d");
    write("conf.d/10-setup.conf", "\nsite.name = second\n");
    write("operator.conf", "[database]\npassword = hidden\n");
  }
  std::string write(const std::string& name, const std::string& text) const {
    base::write_atomically(folder.path() / name, text);
    return (folder.path() / name).string();
  }
  Outcome config(std::vector<std::string> words) const {
    words.insert(words.begin(), "config");
    words.insert(words.end(), {"--config", (folder.path() / "goldsmith.conf").string()});
    return call(words);
  }

  base::TempDir folder;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(configuration, Host)

BOOST_AUTO_TEST_CASE(each_option_that_is_set_is_listed_with_its_place) {
  const std::string folder_name = folder.path().string();
  const Outcome outcome = config({"list", "--json", "--site.tagline=line"});
  BOOST_TEST(outcome.code == 0);
  const std::string first = folder_name + "/goldsmith.conf line 1";
  const std::string second = folder_name + "/conf.d/10-setup.conf line 2";
  BOOST_TEST(outcome.out ==
             json::to_pretty_string(json::Array{
                 json::Object{{"name", "database.password"},
                              {"overridden", json::Array{}},
                              {"set_in", folder_name + "/operator.conf line 2"},
                              {"value", "(not shown)"}},
                 json::Object{{"name", "site.name"},
                              {"overridden", json::Array{first}},
                              {"set_in", second},
                              {"value", "second"}},
                 json::Object{{"name", "site.tagline"},
                              {"overridden", json::Array{folder_name + "/goldsmith.conf line 2"}},
                              {"set_in", "the command line"},
                              {"value", "line"}}}) +
                 "\n");
  const std::string table = config({"list"}).out;
  BOOST_TEST(table.find(second + ", not " + first) != std::string::npos, table);
  BOOST_TEST(table.find("hidden") == std::string::npos, table);
  BOOST_TEST(config({"list", "--all"}).out.find("the default") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_value_that_applies_can_be_asked_for) {
  BOOST_TEST(config({"get", "site.name"}).out == "second\n");
  BOOST_TEST(config({"get", "database.port"}).out == "3306\n");
  BOOST_TEST(config({"get", "database.socket"}).out == "\n");
  BOOST_TEST(config({"get", "database.password"}).code == 2);
  BOOST_TEST(config({"get", "site.nmae"}).err ==
             "goldsmith: there is no option \"site.nmae\"; goldsmith config list --all lists "
             "them; see \"goldsmith config get --help\"\n");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_wrong_is_named_with_line_and_option) {
  const std::string file = write("conf.d/20-typo.conf", "# a comment\nsite.nmae = x\n");
  const Outcome outcome = config({"list"});
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.err == "goldsmith: " + file +
                                " line 2: there is no option \"site.nmae\"; --help lists them "
                                "all\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::cli::configuration
