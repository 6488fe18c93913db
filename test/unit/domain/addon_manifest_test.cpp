#include <boost/test/unit_test.hpp>

#include "test/support/utc.hpp"
#include "test/unit/domain/manifest_folder.hpp"

namespace goldsmith::domain {
namespace {

struct Fixture : ManifestFolder {
  std::vector<domain::AddonPack> read(const std::string& json) const {
    return read_addons(write("addon.json", json));
  }
  std::string refusal(const std::string& json) const {
    return error_of([&] { read(json); });
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(addon_manifest, Fixture)

BOOST_AUTO_TEST_CASE(every_field_is_read_and_the_order_of_plugins_kept) {
  const auto packs = read(R"({"slug": "starter", "name": "Starter", "description": "A\nB",
      "status": "published", "created_at": "2024-01-02", "downloads": 7,
      "plugins": ["zeta", "alpha"], "server": "components=engine@1.0&optimized=1"})");
  BOOST_TEST_REQUIRE(packs.size() == 1U);
  BOOST_TEST(packs[0].slug == "starter");
  BOOST_TEST(packs[0].name == "Starter");
  BOOST_TEST(packs[0].description == "A\nB");
  BOOST_TEST((packs[0].status == domain::Status::published));
  BOOST_TEST(packs[0].created_at == "2024-01-02 00:00:00"_utc);
  BOOST_TEST(packs[0].downloads == 7);
  BOOST_TEST((packs[0].plugins == std::vector<domain::Slug>{"zeta", "alpha"}));
  BOOST_TEST(packs[0].server == "components=engine@1.0&optimized=1");
}

BOOST_AUTO_TEST_CASE(a_file_may_hold_several_packs_and_a_pack_may_be_empty) {
  const auto packs = read(R"([{"slug": "a", "name": "A"}, {"slug": "b", "name": "B"}])");
  BOOST_TEST_REQUIRE(packs.size() == 2U);
  BOOST_TEST(packs[1].plugins.empty());
  BOOST_TEST((packs[1].status == domain::Status::draft));
  BOOST_TEST(!packs[1].created_at);
}

BOOST_AUTO_TEST_CASE(a_status_that_is_left_out_stays_as_it_is_stored) {
  const auto file = write("addon.json", R"([{"slug": "a", "name": "A"},
                                            {"slug": "b", "name": "B", "status": "draft"}])");
  const auto packs = read_addons(
      file, [](const domain::Slug&) { return std::optional(domain::Status::published); });
  BOOST_TEST((packs.at(0).status == domain::Status::published));
  BOOST_TEST((packs.at(1).status == domain::Status::draft));
}

BOOST_AUTO_TEST_CASE(bad_packs_are_refused_by_place) {
  BOOST_TEST(refusal(R"({"slug": "a"})") ==
             "DIR/addon.json: name: missing; this field is mandatory");
  BOOST_TEST(refusal(R"([{"slug": "a", "name": "A"}, {"slug": "b", "name": "B", "plugin": []}])") ==
             "DIR/addon.json: [1].plugin: unknown field; did you mean \"plugins\"?");
  BOOST_TEST(refusal(R"({"slug": "a", "name": "A", "plugins": ["x", "x"]})") ==
             "DIR/addon.json: plugins[1]: \"x\" is listed twice; a pack names each plugin once");
  BOOST_TEST(refusal(R"([{"slug": "a", "name": "A"}, {"slug": "a", "name": "B"}])") ==
             "DIR/addon.json: [1].slug: \"a\" is listed twice; a file names each pack once");
  BOOST_TEST(refusal(R"({"slug": "a", "name": "A", "downloads": 1.5})") ==
             "DIR/addon.json: downloads: 1.5 is a number; it must be an integer");
  for (const char* server : {"https://example.org/server?optimized=1", "optimized=1 ", "?a=1"}) {
    BOOST_TEST(refusal(R"({"slug": "a", "name": "A", "server": ")" + std::string(server) + "\"}")
                   .starts_with("DIR/addon.json: server: \""),
               server);
  }
  BOOST_TEST(refusal("\"a\"") == "DIR/addon.json: \"a\" is a string; it must be an object");
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_named) {
  BOOST_TEST(error_of([&] { read_addons(path() / "none.json"); }) ==
             "DIR/none.json: does not exist");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
