// The cache keeps its size and its disk's free space while archives are built (decision S18).
#include "app/archive/cache_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <ctime>
#include <numeric>

#include "app/archive/archive_cache.hpp"
#include "test/support/tiny_disk.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace room_for_archives {
namespace {

using namespace test;
namespace fs = std::filesystem;
using domain::Limit;
using domain::Permit;
using domain::RateLimited;
using std::chrono::seconds;

constexpr std::uint64_t kKilobyte = 1U << 10;

Permit::Answer yes() { return std::nullopt; }
Permit::Answer never() { throw std::logic_error("may_build was asked"); }

std::string hash_of(int number) {
  std::string digits = std::to_string(number);
  return std::string(64 - digits.size(), 'a') + digits;
}

struct Fixture {
  Fixture() { fs::create_directory(root); }

  static Recipe recipe(int number, std::uint64_t kilobytes = 100) {
    return {hash_of(number), {}, {{"data", incompressible(kilobytes * kKilobyte)}}};
  }
  ArchiveCache cache_of(std::uint64_t kilobytes, std::uint64_t free_bytes = 0) const {
    return ArchiveCache(root, {kilobytes * kKilobyte, free_bytes, seconds(10)});
  }
  fs::path file(int number) const { return root / (hash_of(number) + ".zip"); }
  // As if it had last been handed out so long ago.
  void age(int number, int seconds_ago) const { set_last_use(file(number), seconds(seconds_ago)); }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& each : fs::directory_iterator(root)) sum += each.file_size();
    return sum;
  }
  static std::string cause(const std::function<Acquired()>& build) {
    return failure_of(build).cause;
  }

  base::TempDir folder;
  fs::path root = folder.path() / "archives";
};

}  // namespace
}  // namespace room_for_archives

BOOST_FIXTURE_TEST_SUITE(room_for_archives, Fixture)

BOOST_AUTO_TEST_CASE(the_least_recently_used_go_before_a_build) {
  const ArchiveCache cache = cache_of(350);
  for (int i = 0; i < 3; ++i) BOOST_TEST(is_built(cache.build(recipe(i), yes)));
  age(0, 20);
  age(1, 40);
  age(2, 30);
  BOOST_TEST(is_built(cache.build(recipe(3), yes)));
  BOOST_TEST(fs::exists(file(0)));
  BOOST_TEST(!fs::exists(file(1)));
  BOOST_TEST(fs::exists(file(2)));
  BOOST_TEST(fs::exists(file(3)));
}

BOOST_AUTO_TEST_CASE(sixty_distinct_builds_in_a_row_exceed_the_size_by_no_more_than_one) {
  const ArchiveCache cache = cache_of(350);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::string why;
    try {
      BOOST_TEST(is_built(cache.build(recipe(i), yes)));
    } catch (const domain::Failure& no_room) {
      why = no_room.cause;
    }
    BOOST_TEST(bytes() <= 350 * kKilobyte + 101 * kKilobyte);
    if (why.empty()) continue;
    BOOST_TEST(contains(why, "cache.archives_mb"), why);
    ++refused;
    // Nobody was told to come back before this.
    for (int each = 0; each <= i; ++each) {
      if (fs::exists(file(each))) age(each, 11);
    }
    BOOST_TEST(is_built(cache.build(recipe(i), yes)));
  }
  BOOST_TEST(refused > 10);
}

BOOST_AUTO_TEST_CASE(what_was_handed_out_a_moment_ago_stays_and_costs_no_budget) {
  const ArchiveCache cache = cache_of(150);
  BOOST_TEST(is_built(cache.build(recipe(0), yes)));
  BOOST_TEST(is_built(cache.build(recipe(1), yes)));  // one more than there is room for
  age(0, 8);
  age(1, 8);
  BOOST_TEST(contains(cause([&] { return cache.build(recipe(2), never); }), "cache.archives_mb"));
  BOOST_TEST(fs::exists(file(0)));
  BOOST_TEST(fs::exists(file(1)));
  BOOST_TEST(!fs::exists(file(2).string() + ".part"));
  age(0, 12);
  BOOST_TEST(is_built(cache.build(recipe(2), yes)));
  BOOST_TEST(!fs::exists(file(0)));
}

BOOST_AUTO_TEST_CASE(what_is_being_read_stays) {
  const ArchiveCache cache = cache_of(150);
  cache.build(recipe(0), yes);
  cache.build(recipe(1), yes);
  age(0, 3600);
  age(1, 1800);
  base::UniqueFd reader(::open(file(0).c_str(), O_RDONLY));
  BOOST_TEST(is_built(cache.build(recipe(2), yes)));
  BOOST_TEST(fs::exists(file(0)));
  BOOST_TEST(!fs::exists(file(1)));
  BOOST_TEST(cache.acquire(hash_of(0)).has_value());
  age(0, 3600);
  age(2, 1800);
  reader.reset();
  BOOST_TEST(is_built(cache.build(recipe(3), yes)));
  BOOST_TEST(!fs::exists(file(0)));
}

BOOST_AUTO_TEST_CASE(an_archive_larger_than_the_cache_is_built_all_the_same) {
  const ArchiveCache cache = cache_of(150);
  BOOST_TEST(is_built(cache.build(recipe(0, 400), yes)));
  age(0, 20);
  BOOST_TEST(is_built(cache.build(recipe(1, 500), yes)));
  BOOST_TEST(!fs::exists(file(0)));
}

BOOST_AUTO_TEST_CASE(a_refused_build_removes_nothing) {
  const ArchiveCache cache = cache_of(150);
  cache.build(recipe(0), yes);
  age(0, 3600);
  const domain::RateLimited refusal{domain::Limit::builds, seconds(600)};
  BOOST_TEST(is_refused(
      [&] { return cache.build(recipe(1), [&] { return Permit::Answer(refusal); }); }, refusal));
  BOOST_TEST(fs::exists(file(0)));
  BOOST_TEST(!fs::exists(file(1).string() + ".part"));
}

BOOST_AUTO_TEST_CASE(what_a_killed_builder_reserved_is_given_back) {
  const fs::path abandoned = file(0).string() + ".part";
  base::write_atomically(abandoned, std::string(900 * kKilobyte, 'x'));
  BOOST_TEST(is_built(cache_of(150).build(recipe(1), yes)));
  BOOST_TEST(!fs::exists(abandoned));
}

BOOST_AUTO_TEST_CASE(what_others_are_building_counts_at_its_full_size) {
  const fs::path part = file(0).string() + ".part";
  base::write_atomically(part, std::string(200 * kKilobyte, 'x'));
  const base::UniqueFd builder = base::open_file(part, O_RDWR);
  BOOST_TEST_REQUIRE(::flock(builder.get(), LOCK_EX | LOCK_NB) == 0);
  BOOST_TEST(
      contains(cause([&] { return cache_of(150).build(recipe(1), never); }), "cache.archives_mb"));
  BOOST_TEST(is_built(cache_of(250).build(recipe(1), yes)));
  BOOST_TEST(fs::exists(part));
}

BOOST_AUTO_TEST_CASE(a_builder_reserves_what_the_archive_will_have) {
  const fs::path depot = folder.path() / "depot.zip";
  write_depot_zip(depot, {{"a.txt", compressible(5'000)}, {"b", incompressible(900'000)}});
  const Recipe recipe{hash_of(1), {{depot, {"a.txt", "b"}}}, {{"c/d", "inline", true}}};
  const PreparedArchive prepared(recipe);
  const ArchiveCache cache(root);
  BOOST_TEST(is_built(cache.build(recipe, yes)));
  BOOST_TEST(prepared.size() >= fs::file_size(file(1)));
  BOOST_TEST(prepared.size() <= fs::file_size(file(1)) + 512);
}

BOOST_AUTO_TEST_CASE(small_archives_are_bounded_by_their_number) {
  CacheLimits limits{100'000 * kKilobyte};
  limits.inodes = 3;
  const ArchiveCache cache(root, limits);
  for (int number = 0; number < 3; ++number) {
    BOOST_TEST(is_built(cache.build(recipe(number, 1), yes)));
  }
  const std::string why = cause([&] { return cache.build(recipe(3, 1), never); });
  BOOST_TEST(contains(why, "cache.inodes"), why);
  age(1, 20);
  BOOST_TEST(is_built(cache.build(recipe(3, 1), yes)));
  BOOST_TEST(!fs::exists(file(1)));
}

BOOST_AUTO_TEST_CASE(the_disk_keeps_its_free_inodes, *boost::unit_test::precondition(may_mount)) {
  const TinyDisk disk(folder.path() / "tiny", "size=10m,nr_inodes=20");
  root = disk.path();
  CacheLimits limits{100'000 * kKilobyte};
  limits.free_inodes = 16;
  const ArchiveCache cache(root, limits);
  for (int number = 0; number < 3; ++number) {
    BOOST_TEST(is_built(cache.build(recipe(number, 1), yes)));
  }
  const std::string why = cause([&] { return cache.build(recipe(3, 1), never); });
  BOOST_TEST(contains(why, "cache.free_inodes"), why);
  age(1, 20);
  BOOST_TEST(is_built(cache.build(recipe(3, 1), yes)));
  BOOST_TEST(base::available_inodes(root) == 16U);
}

BOOST_AUTO_TEST_CASE(the_disk_keeps_its_free_space, *boost::unit_test::precondition(may_mount)) {
  const TinyDisk disk(folder.path() / "tiny", 1024);
  BOOST_TEST_REQUIRE(disk.mounted());
  root = disk.path();
  const ArchiveCache cache = cache_of(100'000, 500 * kKilobyte);
  BOOST_TEST(is_built(cache.build(recipe(0, 200), yes)));
  BOOST_TEST(is_built(cache.build(recipe(1, 200), yes)));
  const std::string why = cause([&] { return cache.build(recipe(2, 200), never); });
  BOOST_TEST(contains(why, "cache.free_mb"), why);
  age(0, 20);
  BOOST_TEST(is_built(cache.build(recipe(2, 200), yes)));
  BOOST_TEST(!fs::exists(file(0)));
  BOOST_TEST(fs::space(root).available >= 500 * kKilobyte);
}

// Each takes its turn before anything is removed for it.
BOOST_AUTO_TEST_CASE(builders_at_the_same_time_share_the_room) {
  std::vector<pid_t> builders;
  for (int i = 0; i < 8; ++i) {
    builders.push_back(in_child([&] {
      try {
        return is_built(cache_of(350).build(recipe(i), yes)) ? 0 : 1;
      } catch (const domain::Failure&) {
        return 1;
      }
    }));
  }
  int built = 0;
  for (const pid_t builder : builders) built += exit_code(builder) == 0 ? 1 : 0;
  BOOST_TEST(built == 4);
  BOOST_TEST(bytes() <= 350 * kKilobyte + 101 * kKilobyte);
}

BOOST_AUTO_TEST_CASE(who_finds_no_place_to_wait_is_refused) {
  const fs::path part = file(0).string() + ".part";
  const base::UniqueFd builder = create(part);
  BOOST_TEST_REQUIRE(::flock(builder.get(), LOCK_EX | LOCK_NB) == 0);
  const domain::RateLimited refusal{domain::Limit::waiters, seconds(5)};
  struct : BuildLimits {
    domain::Admission wait_for_build() override { return RateLimited{Limit::waiters, seconds(5)}; }
  } limits;
  BOOST_TEST(is_refused([&] { return cache_of(350).build(recipe(0), never, limits); }, refusal));
  BOOST_TEST(fs::exists(part));
}

BOOST_AUTO_TEST_CASE(who_finds_no_place_to_build_is_refused_before_its_budget) {
  const domain::RateLimited refusal{domain::Limit::slow_builds, seconds(5)};
  struct : BuildLimits {
    domain::Admission build(std::uint64_t bytes) override {
      size = bytes;
      return RateLimited{Limit::slow_builds, seconds(5)};
    }
    std::uint64_t size = 0;
  } limits;
  BOOST_TEST(is_refused([&] { return cache_of(350).build(recipe(0), never, limits); }, refusal));
  BOOST_TEST(limits.size >= 100 * kKilobyte);
  BOOST_TEST(fs::is_empty(root));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive
