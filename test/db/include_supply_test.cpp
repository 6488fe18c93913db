// The includes that components bring, from a real catalog and a real depot (decision P19).
#include "app/creator/catalog.hpp"

#include <fcntl.h>

#include <boost/test/unit_test.hpp>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;

namespace include_supply {
namespace {

const std::string kFolder(domain::kIncludeFolder);

struct Fixture : test::DatabaseFixture {
  // A component with a version that has one file, an include unless it is a whole path.
  void mirror(const domain::Component& component, const domain::Version& version,
              const std::string& include, const std::string& content = "native x();\n") {
    store.import({component});
    const std::string path = include.starts_with("cstrike/") ? include : kFolder + include;
    domain::ComponentVersion mirrored = test::make_component_version(version);
    const auto zip = folder.path() / "new.zip";
    const base::UniqueFd fd = base::open_file(zip, O_RDWR | O_CREAT | O_TRUNC);
    archive::ZipWriter writer(fd.get(), zip);
    writer.add(path, content, false, archive::Method::deflated);
    mirrored.digest = archive::finish_depot_file(writer, fd.get(), zip);
    mirrored.files = {{path, content.size()}};
    mirrored.file_count = 1;
    depot.publish(zip, component.slug, version, mirrored.digest);
    store.put_version(component.slug, mirrored);
    ++epoch;
  }
  std::string offered(const std::string& name, const std::string& line = "1.9") {
    const auto found = supply.newest_offers(line, epoch)->exact(name);
    return found ? found->file->component + "@" + found->file->version : "";
  }

  base::TempDir folder;
  archive::Depot depot{folder.path()};
  db::ComponentStore store{database};
  creator::CatalogCache catalog{store};
  creator::IncludeSupply supply{catalog, store, depot, std::nullopt};
  std::uint64_t epoch = 1;
};

domain::Component at(const domain::Slug& slug, std::int64_t sort_order) {
  domain::Component component = test::make_component(slug);
  component.sort_order = sort_order;
  component.loads.toolchain.reset();
  return component;
}

}  // namespace
}  // namespace include_supply

using namespace include_supply;

BOOST_FIXTURE_TEST_SUITE(include_supply_tests, Fixture)

BOOST_AUTO_TEST_CASE(the_newest_version_of_each_component_is_offered_and_read) {
  mirror(at("api", 1), "1.0", "old.inc");
  mirror(at("api", 1), "2.0", "api.inc", "native api();\n");
  BOOST_TEST(offered("api") == "api@2.0");
  BOOST_TEST(offered("old").empty());
  const compile::ComponentIncludes newest = supply.newest("1.9", epoch);
  const auto found = newest.offers->exact("api");
  BOOST_TEST(newest.read(*found->file) == "native api();\n");
  BOOST_TEST(newest.read(*found->file) == "native api();\n");  // as it was kept
}

BOOST_AUTO_TEST_CASE(other_files_of_a_component_are_no_includes) {
  mirror(at("api", 1), "1.0", "cstrike/addons/amxmodx/scripting/api_test.sma");
  BOOST_TEST(supply.newest_offers("1.9", epoch)->empty());
}

BOOST_AUTO_TEST_CASE(the_later_of_two_components_counts_as_in_a_build) {
  mirror(at("first", 1), "1.0", "same.inc");
  mirror(at("second", 2), "1.0", "same.inc");
  BOOST_TEST(offered("same") == "second@1.0");
}

BOOST_AUTO_TEST_CASE(platforms_of_other_lines_and_what_conflicts_are_left_out) {
  domain::Component nine = at("platform-nine", 1);
  nine.loads.toolchain = "1.9";
  domain::Component ten = at("platform-ten", 2);
  ten.loads.toolchain = "1.10";
  domain::Component picky = at("picky", 3);
  picky.rules = {{domain::RuleKind::conflicts, "platform-nine", ""},
                 {domain::RuleKind::conflicts,
                  "platform-ten",
                  "",
                  {},
                  domain::VersionRange::parse("<1.0").value()}};
  mirror(nine, "1.0", "nine.inc");
  mirror(ten, "1.0", "ten.inc");
  mirror(picky, "1.0", "picky.inc");
  BOOST_TEST(offered("nine") == "platform-nine@1.0");
  BOOST_TEST(offered("ten").empty());
  BOOST_TEST(offered("picky").empty());
  BOOST_TEST(offered("nine", "1.10").empty());
  BOOST_TEST(offered("ten", "1.10") == "platform-ten@1.0");
  BOOST_TEST(offered("picky", "1.10") == "picky@1.0");
}

BOOST_AUTO_TEST_CASE(what_an_include_includes_is_read_by_whoever_reads_texts) {
  mirror(at("api", 1), "1.0", "api.inc", "#include <inner>\n");
  const auto names = [&](compile::Texts texts) {
    creator::IncludeSupply own{catalog, store, depot, std::move(texts)};
    const compile::ComponentIncludes newest = own.newest("1.9", epoch);
    const compile::OfferedInclude include = *newest.offers->exact("api")->file;
    return newest.names(include, newest.read(include));
  };
  using Names = std::vector<std::string>;
  BOOST_TEST((names(std::nullopt) == Names{"inner"}));
  BOOST_TEST((names(pawn::TextReader()) == Names{"inner"}));
  const auto is_told = [](const host::Unreadable& failure) {
    return std::string_view(failure.what()).starts_with("api.inc of api 1.0 can't be read: ");
  };
  BOOST_CHECK_EXCEPTION(names(pawn::TextReader([](const auto&) { return "no answer"; })),
                        host::Unreadable, is_told);
  BOOST_CHECK_EXCEPTION(names(pawn::TextReader([](const auto&) -> std::string {
                          throw host::Unreadable("it ends what reads it");
                        })),
                        host::Unreadable, is_told);
}

BOOST_AUTO_TEST_CASE(a_depot_without_the_file_is_named) {
  mirror(at("api", 1), "1.0", "api.inc");
  const compile::ComponentIncludes newest = supply.newest("1.9", epoch);
  const compile::OfferedInclude include = *newest.offers->exact("api")->file;
  depot.remove(include.component, include.version, include.digest);
  BOOST_CHECK_THROW(newest.read(include), archive::MissingDepotFile);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_larger_than_the_catalog_says_is_not_read) {
  mirror(at("api", 1), "1.0", "api.inc", std::string((1U << 20) + 1, '\n'));
  BOOST_TEST(offered("api").empty());
  const auto version = store.load_catalog().find("api")->versions.front();
  auto lying = version;
  lying.files = {{kFolder + "api.inc", 10}};
  store.put_version("api", lying);
  ++epoch;
  const compile::ComponentIncludes newest = supply.newest("1.9", epoch);
  BOOST_CHECK_THROW(newest.read(*newest.offers->exact("api")->file), archive::ZipError);
}

BOOST_AUTO_TEST_SUITE_END()
