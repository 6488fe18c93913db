// Tables in memory that processes share.
#include "app/host/shared_table.hpp"

#include <array>
#include <barrier>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <thread>
#include <vector>

using namespace goldsmith::host;

namespace {

constexpr std::uint64_t kPlaces = 16;

struct Table {
  std::array<SharedSlot, 64> slots{};

  ClaimedSlot claim(std::uint64_t key) { return claim_slot(slots, key, std::identity()); }
  void set(std::uint64_t key, std::uint64_t value) { claim(key).slot.value = value; }
  bool has(std::uint64_t key) { return find_slot(slots, key) != nullptr; }
  // Keys whose places are the same.
  static std::uint64_t neighbour(std::uint64_t number) { return 10 + 64 * number; }
  void fill() {
    for (std::uint64_t each = 0; each < kPlaces; ++each) set(neighbour(each), 100 + each);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shared_tables, Table)

BOOST_AUTO_TEST_CASE(a_key_has_its_value_until_it_is_freed) {
  BOOST_TEST(!has(1));
  set(1, 7);
  set(~std::uint64_t{0}, 8);  // whose places are on both ends of the table
  BOOST_TEST(claim(1).slot.value == 7U);
  BOOST_TEST(claim(1).left == 0U);
  BOOST_TEST(find_slot(slots, ~std::uint64_t{0})->value == 8U);
  free_slots(slots, 1);
  BOOST_TEST(!has(1));
}

BOOST_AUTO_TEST_CASE(while_there_is_room_nothing_is_displaced) {
  fill();
  for (std::uint64_t each = 0; each < kPlaces; ++each) {
    BOOST_TEST_REQUIRE(has(neighbour(each)));
    BOOST_TEST(find_slot(slots, neighbour(each))->value == 100 + each);
  }
}

BOOST_AUTO_TEST_CASE(without_room_the_value_of_least_worth_goes_and_is_told) {
  fill();
  find_slot(slots, neighbour(5))->value = 3;
  BOOST_TEST(claim(neighbour(99)).left == 3U);
  BOOST_TEST(has(neighbour(99)));
  BOOST_TEST(!has(neighbour(5)));
  const auto largest_first = [](std::uint64_t value) { return ~value; };
  BOOST_TEST(claim_slot(slots, neighbour(98), largest_first).left == 115U);
}

BOOST_AUTO_TEST_CASE(one_that_stands_behind_a_freed_slot_is_found_and_stays_the_only_one) {
  fill();
  free_slots(slots, neighbour(0));
  BOOST_TEST(claim(neighbour(7)).slot.value == 107U);
  set(neighbour(99), 9);
  for (std::uint64_t each = 1; each < kPlaces; ++each) BOOST_TEST(has(neighbour(each)));
}

BOOST_AUTO_TEST_CASE(each_slot_of_a_key_is_freed) {
  slots[11].key = slots[13].key = neighbour(0);
  free_slots(slots, neighbour(0));
  BOOST_TEST(!has(neighbour(0)));
}

BOOST_AUTO_TEST_CASE(who_claim_one_key_at_once_get_one_slot) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kRounds = 2000;
  std::barrier together(kThreads);
  const auto count = [&] {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      together.arrive_and_wait();
      claim(neighbour(round % 8)).slot.value.fetch_add(1);
    }
  };
  std::vector<std::jthread> threads(kThreads);
  for (std::jthread& each : threads) each = std::jthread(count);
  threads.clear();
  for (std::uint64_t each = 0; each < 8; ++each) {
    BOOST_TEST(find_slot(slots, neighbour(each))->value == kThreads * kRounds / 8);
  }
}

BOOST_AUTO_TEST_SUITE_END()
