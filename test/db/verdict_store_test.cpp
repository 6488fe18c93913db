// Verdicts about compiles (decision P16).
#include "db/verdict_store.hpp"

#include <boost/test/unit_test.hpp>

#include "db/access_store.hpp"
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
  BOOST_TEST((store.find(kContent, kOld)->result == CompileResult::ok));
  BOOST_TEST((store.find(kContent, kNew)->result == CompileResult::failed));
  const auto verdicts = shown("there");
  BOOST_TEST((domain::find_verdict(verdicts, "1.9", kOld)->result == CompileResult::ok));
  BOOST_TEST((domain::find_verdict(verdicts, "1.10", kNew)->result == CompileResult::failed));
  BOOST_TEST(domain::find_verdict(verdicts, "1.9", kNew) == nullptr);
  BOOST_TEST((store.versions({"there"}).at(0).verdicts == verdicts));
}

BOOST_AUTO_TEST_CASE(a_verdict_keeps_the_includes_that_were_looked_up) {
  const std::vector<domain::CompileVerdict> made = {
      {.toolchain = "1.10", .fingerprint = kNew, .result = CompileResult::failed},
      {.toolchain = "1.9",
       .fingerprint = kOld,
       .result = CompileResult::ok,
       .includes = {"mod/a-b_c+d.inc", "reapi"},
       .components = "d1"}};
  store.record(id_of("there"), kContent, made, kNow);
  BOOST_TEST((shown("there") == made));
  BOOST_TEST(store.find(kContent, kNew).has_value());
  BOOST_TEST(!store.find(kContent, kOld).has_value());  // it is about more than the content
}

BOOST_AUTO_TEST_CASE(what_components_changed_is_forgotten_and_nothing_else) {
  const domain::CompileVerdict reads{.toolchain = "1.9",
                                     .fingerprint = kOld,
                                     .result = CompileResult::ok,
                                     .includes = {"reapi"},
                                     .components = "d1"};
  const domain::CompileVerdict other{"1.10", kNew, CompileResult::ok};
  store.record(id_of("there"), kContent, {other, reads}, kNow);
  std::vector<std::string> asked;
  const auto forget = [&](bool is_outdated) {
    return store.forget([&](const domain::CompileVerdict& verdict) {
      asked.push_back(verdict.toolchain);
      return is_outdated;
    });
  };
  BOOST_TEST(forget(false) == 0U);
  BOOST_TEST((asked == std::vector<std::string>{"1.9"}));
  BOOST_TEST(shown("there").size() == 2U);
  BOOST_TEST(forget(true) == 1U);
  BOOST_TEST((shown("there") == std::vector<domain::CompileVerdict>{other}));
  BOOST_TEST(forget(true) == 0U);
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
  BOOST_TEST((store.find(kContent, kNew)->result == CompileResult::ok));
}

BOOST_AUTO_TEST_CASE(what_the_compile_told_stays_with_the_verdict) {
  const domain::PluginNeeds needs{.required = {{"reapi", false, "ReAPI"}, {"sqlx", true, "mysql"}},
                                  .registers = {"mine"},
                                  .is_filtered = true};
  const domain::CompileVerdict good{"1.9", kOld, CompileResult::ok, {{.needs = needs}}};
  const domain::CompileVerdict bad{
      "1.10",
      kNew,
      CompileResult::failed,
      {{.hint = "Needs a;b, 50% of it.", .errors = "a.sma(1) : error 017: \"x y\"\nsecond ü"}}};
  const domain::CompileVerdict illegible{"1.8.2", kOld, CompileResult::ok,
                                         domain::CompileFindings{}};
  store.record(id_of("there"), kContent, {good, bad, illegible}, kNow);
  const auto verdicts = shown("there");
  BOOST_TEST((*domain::find_verdict(verdicts, "1.9", kOld) == good));
  BOOST_TEST((*domain::find_verdict(verdicts, "1.10", kNew) == bad));
  BOOST_TEST((*domain::find_verdict(verdicts, "1.8.2", kOld) == illegible));
  BOOST_TEST((store.find(kContent, kNew) == bad));
}

BOOST_AUTO_TEST_CASE(a_verdict_of_an_earlier_release_tells_its_result_alone) {
  store.record(id_of("there"), kContent, {{"1.9", kOld, CompileResult::ok}}, kNow);
  BOOST_TEST((store.find(kContent, kOld)->result == CompileResult::ok));
  BOOST_TEST(!store.find(kContent, kOld)->findings.has_value());
  BOOST_TEST(!shown("there").at(0).findings.has_value());
}

BOOST_AUTO_TEST_CASE(natives_are_kept_once_they_are_known) {
  domain::CompileFindings older{.needs = domain::PluginNeeds{}};
  domain::CompileFindings none = older;
  none.needs->natives.emplace();
  domain::CompileFindings some = older;
  some.needs->natives = {{"hats_get", "@x"}, {"menu"}, true};
  for (char c = 'a'; c <= 'z'; ++c) some.needs->natives->offers.push_back(std::string(40, c));
  for (const domain::CompileFindings& findings : {older, none, some}) {
    const domain::CompileVerdict verdict{"1.9", kNew, CompileResult::ok, findings};
    store.record(id_of("there"), kContent, {verdict}, kNow);
    BOOST_TEST((shown("there").at(0) == verdict));
    BOOST_TEST((store.find(kContent, kNew) == verdict));
  }
}

BOOST_AUTO_TEST_CASE(however_much_compiles_told_fits) {
  domain::CompileFindings wordy{.hint = std::string(300, '\xFF'), .errors = {}};
  for (int line = 0; line < 3; ++line) wordy.errors += std::string(200, ';') + "\n";
  domain::CompileFindings needy{.needs = domain::PluginNeeds{}};
  needy.needs->natives.emplace();
  for (int i = 0; i < 1000; ++i) {
    needy.needs->natives->offers.push_back(std::string(40, 'a') + std::to_string(i));
  }
  std::vector<domain::CompileVerdict> verdicts;
  for (const char* line : {"1.8.2", "1.9", "1.10"}) {
    verdicts.push_back({line, kOld, CompileResult::failed, wordy});
    verdicts.push_back({line, kNew, CompileResult::ok, needy});
    verdicts.push_back({line, std::string(64, '3'), CompileResult::failed, wordy});
  }
  store.record(id_of("there"), kContent, verdicts, kNow);
  const auto kept = shown("there");
  BOOST_TEST(kept.size() == 9U);
  for (const auto& verdict : kept) {
    BOOST_TEST(verdict.findings.has_value());
    BOOST_TEST(!verdict.findings->needs.has_value());
    BOOST_TEST(verdict.findings->errors.find_first_not_of(";") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_changed_version_loses_its_verdicts_and_an_unchanged_one_keeps_them) {
  store.record(id_of("there"), kContent, {{"1.9", kOld, CompileResult::ok}}, kNow);
  auto plugin = test::make_plugin("there");
  plugin.name = "Another name";
  plugins().import(plugin, kLater);
  BOOST_TEST(shown("there").size() == 1U);
  const std::int64_t first = id_of("there");
  plugin.versions[0].created_at = kLater;
  plugins().import(plugin, kLater + std::chrono::seconds(1));
  BOOST_TEST(id_of("there") != first);  // a new row
  BOOST_TEST(shown("there").size() == 1U);
  plugin.versions.push_back(test::make_version("2.0", kNow));
  plugin.versions.back().files = {test::make_file("a.sma", "second source")};
  plugins().import(plugin, kLater + std::chrono::seconds(1));
  BOOST_TEST(store.versions({"there"}).at(0).verdicts.empty());
  BOOST_TEST(store.versions({"there"}).at(1).verdicts.size() == 1U);
  plugin.versions.pop_back();
  plugins().import(plugin, kLater + std::chrono::seconds(1));
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
  for (const char* findings : {"", "needs,", "needs,library:a", "needs,library:a/b:", "because,a",
                               "needs,registers:", "needs,other:a:b", "unknown,", "more"}) {
    database.run("UPDATE plugin_versions SET verdicts = '1.10 " + kNew + " ok " + findings + "'");
    BOOST_TEST(shown("there").size() == 1U, findings);
    BOOST_TEST(!shown("there").at(0).findings.has_value(), findings);
  }
}

BOOST_AUTO_TEST_CASE(the_last_start_with_each_line_is_kept_beside_the_compiles) {
  using enum domain::StartVerdict::Result;
  const std::vector<domain::CompileVerdict> compiles = {{"1.9", kOld, CompileResult::ok}};
  store.record(id_of("there"), kContent, compiles, kNow);
  const domain::StartVerdict other{"1.10", "0123456789abcdef", refused, {"No; really, no."}};
  store.record_start(id_of("there"), {"1.9", "0123456789abcdef", faulty, {"first, ", "se;cond"}});
  store.record_start(id_of("there"), other);
  store.record_start(id_of("there"), {"1.9", "fedcba9876543210", runs});
  const auto version = plugins().find(domain::Slug::parse("there").value())->versions.at(0);
  BOOST_TEST((version.verdicts == compiles));
  BOOST_TEST((version.starts ==
              std::vector<domain::StartVerdict>{other, {"1.9", "fedcba9876543210", runs}}));
  BOOST_TEST((store.versions({"there"}).at(0).starts == version.starts));

  store.record(id_of("there"), kContent, {{"1.9", kNew, CompileResult::ok}}, kNow);
  BOOST_TEST(store.versions({"there"}).at(0).starts.size() == 2U);
}

BOOST_AUTO_TEST_CASE(plugins_are_found_by_the_line_with_which_they_run_and_play) {
  using enum domain::StartVerdict::Result;
  using Proof = CompiledWith::Proof;
  const auto found = [&](Proof proof) {
    return plugins().compiled_ids({"1.9", kOld, 0, proof}).size();
  };
  store.record(id_of("there"), kContent, {{"1.9", kOld, CompileResult::ok}}, kNow);
  BOOST_TEST(found(Proof::compiles) == 1U);
  BOOST_TEST(found(Proof::runs) == 0U);
  const auto record = [&](domain::StartVerdict start) {
    start.basis = "0123456789abcdef";
    store.record_start(id_of("there"), start);
  };
  record({"1.9", "", faulty, {"x"}});
  record({"1.10", "", runs, {}, ""});
  BOOST_TEST(found(Proof::runs) == 0U);
  record({"1.9", "", runs});
  BOOST_TEST(found(Proof::runs) == 1U);
  BOOST_TEST(found(Proof::plays) == 0U);
  record({"1.9", "", runs, {}, "spawn: error 4; at line 1"});
  BOOST_TEST(found(Proof::runs) == 1U);
  BOOST_TEST(found(Proof::plays) == 0U);
  record({"1.9", "", runs, {}, ""});
  BOOST_TEST(found(Proof::plays) == 1U);
}

BOOST_AUTO_TEST_CASE(what_players_found_is_read_as_it_was_written) {
  using enum domain::StartVerdict::Result;
  const std::vector<domain::StartVerdict> starts{
      {"1.10", "0123456789abcdef", runs, {}, "", 12},
      {"1.8.2", "0123456789abcdef", faulty, {"a, b", "-"}},
      {"1.9", "0123456789abcdef", runs, {}, "spawn: it; says - \"no\""}};
  for (const domain::StartVerdict& start : starts) store.record_start(id_of("there"), start);
  const auto versions = store.versions({domain::Slug::parse("there").value()});
  BOOST_TEST_REQUIRE(versions.size() == 1U);
  BOOST_TEST((versions.front().starts == starts));
}

BOOST_AUTO_TEST_CASE(what_a_version_costs_is_kept_with_the_start_that_it_is_of) {
  using enum domain::StartVerdict::Result;
  const domain::StartVerdict playing{"1.9", "0123456789abcdef", runs, {}, ""};
  const auto percent = [&] {
    const auto starts = store.versions({domain::Slug::parse("there").value()}).front().starts;
    return starts.front().frame_percent.value_or(-1);
  };
  store.record_start(id_of("there"), playing);
  store.record_cost(id_of("there"), playing, 12);
  BOOST_TEST(percent() == 12);
  store.record_start(id_of("there"), {"1.9", "0123456789abcdef", runs, {}, "spawn: it fails"});
  store.record_cost(id_of("there"), playing, 12);
  BOOST_TEST(percent() == -1);
  store.record_start(id_of("there"), {"1.9", "fedcba9876543210", runs, {}, ""});
  store.record_cost(id_of("there"), playing, 12);
  BOOST_TEST(percent() == -1);
}

BOOST_AUTO_TEST_SUITE_END()
