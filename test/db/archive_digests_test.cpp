// The digests of archives, on a real database and a real cache.
#include "app/creator/archive_digests.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "test/db/builders.hpp"

using namespace goldsmith;

namespace archive_digests {
namespace {

const std::string kHash = base::sha256_hex("a build");

struct Fixture : test::DatabaseFixture {
  Fixture() {
    std::filesystem::create_directory(folder.path() / "archives");
    plan.build_hash = kHash;
    plan.build_query = "components=one@1.0";
  }

  creator::ArchiveDigests process() const {
    return creator::ArchiveDigests({builds, cache, clock},
                                   {folder.path() / "digests", folder.path() / "build-start"});
  }
  void write_archive(const std::string& content) const {
    base::write_atomically(cache.file_of(kHash), content);
  }

  base::TempDir folder;
  mutable db::BuildStore builds{database};
  archive::ArchiveCache cache{folder.path() / "archives"};
  base::SystemClock clock;
  creator::Plan plan;
};

}  // namespace
}  // namespace archive_digests

BOOST_FIXTURE_TEST_SUITE(archive_digests, Fixture)

BOOST_AUTO_TEST_CASE(a_digest_is_taken_once_and_known_to_every_host) {
  creator::ArchiveDigests one = process();
  creator::ArchiveDigests other = process();
  write_archive("bytes");
  BOOST_TEST(one.find(kHash) == "");
  one.compute_pending();  // nothing is scheduled
  BOOST_TEST(one.find(kHash) == "");
  one.schedule(plan);
  BOOST_TEST(one.find(kHash) == "");
  one.compute_pending();
  BOOST_TEST(one.find(kHash) == base::sha256_hex("bytes"));
  BOOST_TEST(other.find(kHash) == base::sha256_hex("bytes"));
  BOOST_CHECK(builds.find(kHash) ==
              (db::Build{kHash, base::sha256_hex("bytes"), 5, "components=one@1.0"}));

  write_archive("could not be");
  other.schedule(plan);
  other.compute_pending();
  BOOST_TEST(process().find(kHash) == base::sha256_hex("bytes"));
}

BOOST_AUTO_TEST_CASE(an_archive_that_is_gone_is_taken_when_it_is_handed_out_again) {
  creator::ArchiveDigests digests = process();
  digests.schedule(plan);
  digests.compute_pending();
  BOOST_TEST(digests.find(kHash) == "");
  write_archive("bytes");
  digests.schedule(plan);
  digests.compute_pending();
  BOOST_TEST(digests.find(kHash) == base::sha256_hex("bytes"));
}

BOOST_AUTO_TEST_CASE(old_builds_are_forgotten) {
  const db::Build old{kHash, base::sha256_hex("old"), 3, ""};
  const db::Build young{base::sha256_hex("young"), base::sha256_hex("y"), 1, "optimized=1"};
  builds.record(old, test::kNow);
  builds.record(young, test::kLater);
  builds.note(kHash, "components=one", test::kNow, true);
  BOOST_TEST(builds.find_selection(kHash).value().selection == "components=one");
  BOOST_TEST((builds.find_selection(kHash).value().built_at == test::kNow));
  BOOST_TEST(builds.find_selection(young.build_hash).value().selection == "optimized=1");
  BOOST_TEST(builds.forget_before(test::kLater) == 1U);
  BOOST_CHECK(!builds.find(kHash));
  BOOST_CHECK(!builds.find_selection(kHash));
  BOOST_CHECK(builds.find(young.build_hash) == young);
}

BOOST_AUTO_TEST_CASE(an_archive_is_started_once_and_its_start_is_known_to_every_host) {
  creator::ArchiveDigests digests = process();
  write_archive("bytes");
  digests.schedule(plan);
  digests.compute_pending();
  BOOST_TEST(base::read_file(folder.path() / "build-start") == kHash + "\n");
  BOOST_TEST(!digests.find_archive(kHash).start);
  BOOST_TEST(builds.not_started(test::kNow).size() == 1U);

  db::BuildStart start{"unavailable", test::kNow, 0, 0, {"no engine"}};
  builds.record_start(kHash, start);
  BOOST_TEST(!digests.find_archive(kHash).start);
  BOOST_TEST(builds.not_started(test::kNow).empty());
  BOOST_TEST(builds.not_started(test::kLater).size() == 1U);  // it is tried again

  start = {"faulty", test::kLater, 24, 1, {"x.amxx: it is missing", "and more"}};
  builds.record_start(kHash, start);
  BOOST_CHECK(digests.find_archive(kHash).start == start);
  BOOST_CHECK(process().find_archive(kHash).start == start);
  BOOST_TEST(builds.not_started(test::kLater).empty());

  start.messages.assign(300, std::string(300, 'x'));  // more than the table takes
  builds.record_start(kHash, start);
  BOOST_TEST(process().find_archive(kHash).start.value().messages.size() > 100U);
}

BOOST_AUTO_TEST_CASE(a_partial_archive_has_a_digest_and_is_not_started) {
  creator::ArchiveDigests digests = process();
  write_archive("bytes");
  plan.from = std::string(64, 'a');
  digests.schedule(plan);
  digests.compute_pending();
  BOOST_TEST(digests.find(kHash) == base::sha256_hex("bytes"));
  BOOST_TEST(!std::filesystem::exists(folder.path() / "build-start"));
  BOOST_TEST(builds.not_started(test::kNow).empty());
}

BOOST_AUTO_TEST_CASE(what_an_archive_leads_to_is_known_and_was_not_paid_for) {
  creator::ArchiveDigests digests = process();
  plan.completes = base::sha256_hex("the whole build");
  plan.from = std::string(64, 'a');
  digests.note_build(plan);
  const auto known = process().find_known(plan.completes);
  BOOST_TEST(known.value().selection == "components=one@1.0");
  BOOST_TEST(!known->is_paid_for);
  BOOST_TEST(digests.find(plan.completes) == "");  // nobody has its archive
  BOOST_CHECK(!digests.find_known(kHash));
  digests.publish(plan, true);
  BOOST_TEST(digests.find_known(kHash).value().selection ==
             "components=one@1.0&from=" + std::string(64, 'a'));
  BOOST_TEST(digests.find_known(kHash)->is_paid_for);
  BOOST_TEST(!digests.find_known(plan.completes)->is_paid_for);
}

BOOST_AUTO_TEST_CASE(what_is_only_asked_for_is_noted_ten_times_a_minute) {
  creator::ArchiveDigests digests = process();
  const auto ask = [&](int number) {
    plan.build_hash = base::sha256_hex(std::to_string(number));
    digests.note_asked(plan);
    return digests.find_known(plan.build_hash).has_value();
  };
  for (int i = 0; i < 10; ++i) BOOST_TEST(ask(i));
  BOOST_TEST(ask(0));
  BOOST_TEST(!ask(10));
}

BOOST_AUTO_TEST_CASE(the_builds_of_a_selection_are_known_to_every_host) {
  const std::string selection(32, '5');
  plan.selection_id = selection;
  creator::ArchiveDigests digests = process();
  BOOST_TEST(builds.builds_of_selection(selection).empty());
  digests.note_address(plan);
  digests.note_address(plan);
  process().note_address(plan);
  auto found = builds.builds_of_selection(selection);
  BOOST_TEST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].build_hash == kHash);
  BOOST_TEST(found[0].selection == "components=one@1.0");
  BOOST_TEST(
      (builds.selections_since(std::chrono::minutes(1)) == std::vector<std::string>{selection}));

  database.run("UPDATE selection_builds SET noted_at = noted_at - INTERVAL 1 HOUR");
  BOOST_TEST(builds.selections_since(std::chrono::minutes(1)).empty());
  plan.build_hash = base::sha256_hex("the next one");
  plan.build_query = "components=one@2.0";
  digests.note_address(plan);
  plan.selection_id = std::string(32, '6');
  digests.note_address(plan);
  found = builds.builds_of_selection(selection);
  BOOST_TEST_REQUIRE(found.size() == 2U);
  BOOST_TEST(found[0].selection == "components=one@2.0");
  BOOST_TEST(found[1].selection == "components=one@1.0");
  BOOST_TEST(builds.builds_of_selection(std::string(32, '6')).size() == 1U);
  // Nothing here says that anybody paid for it.
  BOOST_TEST(!digests.find_known(plan.build_hash).value().is_paid_for);
}

BOOST_AUTO_TEST_CASE(the_newest_builds_of_a_selection_count) {
  const std::string selection(32, '5');
  for (std::size_t i = 0; i < db::BuildStore::kMostOfSelection + 3; ++i) {
    const std::string hash = base::sha256_hex(std::to_string(i));
    builds.note(hash, std::to_string(i), test::kNow, false);
    builds.note_selection(selection, hash);
    database.run("UPDATE selection_builds SET noted_at = noted_at - INTERVAL 1 SECOND");
  }
  const auto found = builds.builds_of_selection(selection);
  BOOST_TEST_REQUIRE(found.size() == db::BuildStore::kMostOfSelection);
  BOOST_TEST(found.front().selection == std::to_string(db::BuildStore::kMostOfSelection + 2));
  BOOST_TEST(found.back().selection == "3");
}

BOOST_AUTO_TEST_CASE(addresses_are_noted_ten_times_a_minute) {
  creator::ArchiveDigests digests = process();
  const auto ask = [&](int number) {
    plan.selection_id = base::sha256_hex(std::to_string(number)).substr(0, 32);
    digests.note_address(plan);
    return !builds.builds_of_selection(plan.selection_id).empty();
  };
  for (int i = 0; i < 10; ++i) BOOST_TEST(ask(i));
  BOOST_TEST(ask(0));
  BOOST_TEST(!ask(10));
}

BOOST_AUTO_TEST_CASE(a_selection_is_forgotten_with_its_builds) {
  const std::string kept = base::sha256_hex("kept");
  const std::string digest = base::sha256_hex("digest");
  builds.note(kHash, "components=one", test::kNow, false);
  builds.note(kept, "components=two", test::kNow, false);
  builds.keep(kept, test::kLater);
  builds.keep(kept, test::kNow);  // nothing becomes older
  builds.record({digest, digest, 1, "components=three"}, test::kLater);
  for (const std::string& each : {kHash, kept, digest}) {
    builds.note_selection(std::string(32, '5'), each);
  }
  builds.forget_before(test::kLater);
  std::set<std::string> selections;
  for (const auto& each : builds.builds_of_selection(std::string(32, '5'))) {
    selections.insert(each.selection);
  }
  BOOST_TEST((selections == std::set<std::string>{"components=two", "components=three"}));
  BOOST_TEST(test::ask(database, "SELECT COUNT(*) FROM selection_builds") == "2");
}

BOOST_AUTO_TEST_CASE(a_database_that_is_down_is_no_failure) {
  auto settings = test_database.settings();
  settings.servers.front().socket = "/nonexistent/socket";
  db::Database down(settings);
  db::BuildStore store(down);
  creator::ArchiveDigests digests({store, cache, clock},
                                  {folder.path() / "digests", folder.path() / "build-start"});
  write_archive("bytes");
  BOOST_TEST(digests.find(kHash) == "");
  digests.schedule(plan);
  digests.compute_pending();
  digests.note_build(plan);
  digests.note_address(plan);
  BOOST_TEST(digests.find(kHash) == "");
}

BOOST_AUTO_TEST_SUITE_END()
