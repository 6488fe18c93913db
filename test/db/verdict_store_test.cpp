// Verdicts about compiles (decision P16).
#include "db/verdict_store.hpp"

#include <boost/test/unit_test.hpp>

#include "db/setting_store.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;
using domain::CompileResult;
using test::kLater;
using test::kNow;

namespace {

const std::string kContent(64, 'c');
const std::string kOld(64, '1');
const std::string kNew(64, '2');

struct Verdicts : test::DatabaseFixture {
  Verdicts() { plugins().import(test::make_plugin("there"), kNow); }

  std::int64_t id_of(const std::string& slug) {
    const auto slugs = std::vector{domain::Slug::parse(slug).value()};
    return store.versions(slugs).at(0).id;
  }
  std::vector<domain::CompileVerdict> shown(const std::string& slug) {
    return plugins().find(domain::Slug::parse(slug).value())->versions.at(0).verdicts;
  }

  db::VerdictStore store{database};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(verdict_store, Verdicts)

BOOST_AUTO_TEST_CASE(published_versions_with_a_source_can_be_checked) {
  auto more = test::make_plugin("more");
  more.versions.push_back(test::make_version("2.0", kLater));
  more.versions.back().files = {test::make_file("a.sma", "x")};
  more.versions.push_back(test::make_version("3.0", kLater));
  more.versions.back().files = {test::make_file("a.sma", "x")};
  more.versions.back().status = domain::Status::draft;
  more.versions.push_back(test::make_version("4.0", kLater));
  more.versions.back().files = {test::make_file("a.cfg", "x")};
  plugins().import(more, kNow);
  auto draft = test::make_plugin("draft");
  draft.status = domain::Status::draft;
  plugins().import(draft, kNow);
  std::vector<std::string> found;
  for (const auto& each : store.versions({})) found.push_back(each.slug + " " + each.version);
  BOOST_TEST((found == std::vector<std::string>{"more 1.0", "more 2.0", "there 1.0"}));
  BOOST_TEST(store.versions({"there"}).size() == 1U);
  BOOST_TEST(store.versions({"draft"}).empty());
}

BOOST_AUTO_TEST_CASE(a_verdict_is_found_by_content_and_shown_with_its_version) {
  BOOST_TEST(!store.find(kContent, kOld).has_value());
  store.record(id_of("there"), kContent,
               {{"1.9", kOld, CompileResult::ok}, {"1.10", kNew, CompileResult::failed}}, kNow);
  BOOST_TEST((store.find(kContent, kOld) == CompileResult::ok));
  BOOST_TEST((store.find(kContent, kNew) == CompileResult::failed));
  const auto verdicts = shown("there");
  BOOST_TEST((domain::find_verdict(verdicts, "1.9", kOld)->result == CompileResult::ok));
  BOOST_TEST((domain::find_verdict(verdicts, "1.10", kNew)->result == CompileResult::failed));
  BOOST_TEST(domain::find_verdict(verdicts, "1.9", kNew) == nullptr);
  BOOST_TEST((store.versions({"there"}).at(0).verdicts == verdicts));
}

BOOST_AUTO_TEST_CASE(a_later_verdict_replaces_that_of_the_same_toolchain_and_others_stay) {
  const std::int64_t id = id_of("there");
  store.record(id, kContent, {{"1.9", kOld, CompileResult::undecided}}, kNow);
  store.record(id, kContent, {{"1.9", kNew, CompileResult::ok}}, kNow);
  store.record(id, kContent, {{"1.9", kOld, CompileResult::failed}}, kLater);
  const auto verdicts = shown("there");
  BOOST_TEST(verdicts.size() == 2U);
  BOOST_TEST((domain::find_verdict(verdicts, "1.9", kOld)->result == CompileResult::failed));
  BOOST_TEST((domain::find_verdict(verdicts, "1.9", kNew)->result == CompileResult::ok));
  // The last three of a line.
  for (const char digit : {'3', '4', '5'}) {
    store.record(id, kContent, {{"1.9", std::string(64, digit), CompileResult::ok}}, kLater);
  }
  BOOST_TEST(shown("there").size() == 3U);
  BOOST_TEST(domain::find_verdict(shown("there"), "1.9", kNew) == nullptr);
  BOOST_TEST((store.find(kContent, kNew) == CompileResult::ok));
}

BOOST_AUTO_TEST_CASE(a_changed_version_has_none_and_an_unchanged_one_keeps_its) {
  store.record(id_of("there"), kContent, {{"1.9", kOld, CompileResult::ok}}, kNow);
  auto plugin = test::make_plugin("there");
  plugin.name = "Another name";
  plugins().import(plugin, kLater);
  BOOST_TEST(shown("there").size() == 1U);
  const std::int64_t before = id_of("there");
  plugin.versions[0].files[0] = test::make_file("a.sma", "other source");
  plugins().import(plugin, kLater);
  BOOST_TEST(shown("there").empty());
  store.record(before, kContent, {{"1.9", kOld, CompileResult::ok}},
               kNow);  // of files that are gone
  BOOST_TEST(shown("there").empty());
}

BOOST_AUTO_TEST_CASE(each_change_moves_a_number_of_its_own) {
  const db::Progress before = db::read_progress(database);
  const std::int64_t id = id_of("there");
  store.record(id, kContent, {{"1.9", kOld, CompileResult::ok}}, kNow);
  store.record(id, kContent, {{"1.9", kOld, CompileResult::ok}}, kLater);
  const db::Progress after = db::read_progress(database);
  BOOST_TEST(after.revision == before.revision);
  BOOST_TEST(after.verdicts == before.verdicts + 1);
}

BOOST_AUTO_TEST_CASE(old_verdicts_about_toolchains_that_are_gone_are_pruned) {
  const std::int64_t id = id_of("there");
  store.record(id, kContent, {{"1.9", kOld, CompileResult::ok}, {"1.10", kNew, CompileResult::ok}},
               kNow);
  store.prune({{"1.10", kNew}}, kNow);
  BOOST_TEST(store.find(kContent, kOld).has_value());
  store.prune({{"1.10", kNew}}, kLater);
  BOOST_TEST(!store.find(kContent, kOld).has_value());
  BOOST_TEST(store.find(kContent, kNew).has_value());
}

BOOST_AUTO_TEST_CASE(a_text_that_nobody_wrote_is_no_verdict) {
  database.run("UPDATE plugin_versions SET verdicts = '1.9;x y z;1.10 " + kNew + " ok'");
  BOOST_TEST(shown("there").size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
