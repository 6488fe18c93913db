// liblist.gam and the lists of Metamod and AMX Mod X (decisions S5, S7).
#include "app/creator/plan.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace generated_files {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

const SelectionRequest kRecommended = parse_selection_request(std::nullopt, std::nullopt, false);

// The lines that are neither empty nor comments.
Texts lines(const std::string& text) {
  Texts found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && !line.starts_with(";") && !line.starts_with("//")) found.push_back(line);
  }
  return found;
}

Texts lines_with(const std::string& text, std::string_view word) {
  Texts found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(word) != std::string::npos) found.push_back(line);
  }
  return found;
}

Texts linux_library(std::string_view components, const domain::Catalog& catalog) {
  return lines_with(liblist_gam(valid(asking(components), catalog)), "gamedll_linux");
}

domain::Component metamod_plugin(const domain::Slug& slug, std::int64_t order,
                                 std::string library) {
  return A(slug, Layer::module, order).loads({{}, {}, std::move(library), {}}).version("1");
}

}  // namespace
}  // namespace generated_files

BOOST_AUTO_TEST_SUITE(generated_files)

BOOST_AUTO_TEST_CASE(liblist_names_the_loader_if_there_is_one) {
  const auto catalog = catalog_of(usual_stack());
  BOOST_TEST((linux_library("engine,game,loader", catalog) ==
              Texts{"gamedll_linux \"addons/metamod/loader.so\""}));
}

BOOST_AUTO_TEST_CASE(liblist_names_the_game_library_without_a_loader) {
  const auto catalog =
      catalog_of({A("game", Layer::gamedll).loads({"dlls/other.so", {}, {}, {}}).version("1")});
  BOOST_TEST((linux_library("game", catalog) == Texts{"gamedll_linux \"dlls/other.so\""}));
}

BOOST_AUTO_TEST_CASE(liblist_names_the_stock_library_without_loader_and_game_library) {
  BOOST_TEST((linux_library("engine", catalog_of(usual_stack())) ==
              Texts{"gamedll_linux \"dlls/cs.so\""}));
}

BOOST_AUTO_TEST_CASE(liblist_has_every_key_of_the_game_once_and_quotes_the_values) {
  const Texts found = lines(liblist_gam(valid(kRecommended, catalog_of(usual_stack()))));
  Texts keys;
  for (const std::string& line : found) {
    const std::size_t space = line.find(' ');
    BOOST_REQUIRE(space != std::string::npos);
    keys.push_back(line.substr(0, space));
    BOOST_TEST(line[space + 1] == '"');
    BOOST_TEST(line.back() == '"');
  }
  BOOST_TEST((keys == Texts{"game", "url_info", "url_dl", "version", "size", "svonly", "secure",
                            "type", "cldll", "hlversion", "nomodels", "nohimodel", "mpentity",
                            "gamedll", "gamedll_linux", "trainmap"}));
}

BOOST_AUTO_TEST_CASE(the_metamod_list_is_in_load_order) {
  const auto catalog =
      catalog_of({metamod_plugin("a", 3, "addons/a.so"), metamod_plugin("b", 1, "addons/b.so"),
                  metamod_plugin("c", 2, "addons/c.so"), A("d", Layer::module).version("1")});
  BOOST_TEST((lines(metamod_plugins_ini(valid(asking("a,b,c,d"), catalog))) ==
              Texts{"linux addons/b.so", "linux addons/c.so", "linux addons/a.so"}));
}

BOOST_AUTO_TEST_CASE(the_metamod_list_has_each_library_once) {
  const auto catalog =
      catalog_of({metamod_plugin("a", 1, "addons/x.so"), metamod_plugin("b", 2, "addons/x.so")});
  BOOST_TEST(
      (lines(metamod_plugins_ini(valid(asking("a,b"), catalog))) == Texts{"linux addons/x.so"}));
}

BOOST_AUTO_TEST_CASE(the_metamod_list_without_a_plugin_is_a_comment_not_an_empty_file) {
  const std::string text = metamod_plugins_ini(valid(asking("engine"), catalog_of(usual_stack())));
  BOOST_TEST(text.starts_with(";"));
  BOOST_TEST(text.ends_with("\n"));
  BOOST_TEST(lines(text).empty());
}

BOOST_AUTO_TEST_CASE(the_list_of_directory_plugins_has_one_name_per_line) {
  BOOST_TEST((lines(plugins_svc_ini({"b.amxx", "a.amxx"})) == Texts{"b.amxx", "a.amxx"}));
}

BOOST_AUTO_TEST_CASE(a_name_that_begins_another_is_listed_before_it) {
  BOOST_TEST((lines(plugins_svc_ini({"b.amxx", "x.amxx.amxx", "a.amxx", "x.amxx"})) ==
              Texts{"b.amxx", "x.amxx", "x.amxx.amxx", "a.amxx"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
