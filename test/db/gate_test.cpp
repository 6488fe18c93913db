// How the brakes, which are everyone's minute, are shared, and the hours of networks.
#include "app/limits/gate.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "test/db/builders.hpp"

namespace goldsmith::test {
namespace gate {
namespace {

struct StoppedClock final : base::Clock {
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::time_point(std::chrono::seconds(1'800'000'000));
  }
};

struct Host : DatabaseFixture {
  base::TempDir folder;
  StoppedClock clock;
  limits::SharedState state{folder.path() / "state", limits::SharedState::Open::create};
  limits::Freshness freshness{state, database, clock};
  db::SettingStore settings{database};
  db::KeyStore keys{database};
  limits::MemoryWindows windows{state};
  limits::Gate gate{{freshness, settings, keys, windows, clock}};

  void set(std::string_view name, int value) { settings.set(name, std::to_string(value)); }
};

limits::Caller from(std::string address, std::int64_t key = 0) {
  limits::Caller caller;
  caller.address = std::move(address);
  caller.key = key;
  return caller;
}

limits::Caller from_network(int number) { return from("198." + std::to_string(number) + ".1.1"); }

bool passes(const domain::Permit& permit) { return !permit.ask(); }

int passed(int asked, const auto& permit_of) {
  int count = 0;
  for (int i = 0; i < asked; ++i) count += passes(permit_of(i)) ? 1 : 0;
  return count;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(gate_with_brakes, Host)

BOOST_AUTO_TEST_CASE(an_eighth_of_a_brake_is_kept_for_callers_with_keys) {
  const auto strangers = [&](int i) { return gate.compile_permit(from_network(i)); };
  const auto key = [&](int) { return gate.compile_permit(from("192.0.2.1", 1)); };
  BOOST_TEST(passed(100, strangers) == 35);  // of 40
  BOOST_TEST(!passes(gate.compiler_start_permit(from_network(101))));
  BOOST_TEST(passed(100, key) == 5);
}

BOOST_AUTO_TEST_CASE(one_network_uses_at_most_half_of_a_brake) {
  const auto neighbours = [&](int i) {
    return gate.compile_permit(from("198.51.100." + std::to_string(i)));
  };
  BOOST_TEST(passed(100, neighbours) == 20);  // of 40
  const auto homes = [&](int i) {
    return gate.compile_permit(from("2001:db8:1:" + std::to_string(i) + "::1"));
  };
  BOOST_TEST(passed(100, homes) == 5);
  BOOST_TEST(passes(gate.compile_permit(from("198.51.101.1"))));
  BOOST_TEST(passes(gate.compile_permit(from("unix:"))));
}

BOOST_AUTO_TEST_CASE(the_brake_of_builds_is_shared_in_the_same_way) {
  const auto strangers = [&](int i) { return gate.paid_build_permit(from_network(i)); };
  BOOST_TEST(passed(100, strangers) == 27);  // of 30
  BOOST_TEST(!passes(gate.build_permit(from_network(101))));
  BOOST_TEST(passed(100, [&](int) { return gate.build_permit(from("192.0.2.1", 1)); }) == 3);
}

BOOST_AUTO_TEST_CASE(a_brake_below_eight_has_no_shares) {
  set("compile_flood_per_minute", 7);
  BOOST_TEST(passed(100, [&](int) { return gate.compile_permit(from("192.0.2.1")); }) == 7);
}

BOOST_AUTO_TEST_CASE(checks_in_the_background_leave_half_of_the_brake) {
  BOOST_TEST(passed(100, [&](int) { return gate.background_start_permit(); }) == 20);
  BOOST_TEST(passes(gate.compile_permit(from("192.0.2.1"))));
}

BOOST_AUTO_TEST_CASE(an_ipv6_56_has_the_hourly_budget_of_four_addresses_and_a_48_of_sixteen) {
  set("compile_flood_per_minute", 1'000'000);
  set("compiles_per_hour", 3);
  const auto home = [&](int i) {
    return gate.compile_permit(from("2001:db8:1:12" + std::to_string(10 + i) + "::1"));
  };
  BOOST_TEST(passed(50, home) == 12);
  const auto customer = [&](int i) {
    return gate.compile_permit(from("2001:db8:1:" + std::to_string(20 + i) + "00::1"));
  };
  BOOST_TEST(passed(40, customer) == 36);
  const auto refusal = gate.compile_permit(from("2001:db8:1:ff00::1")).ask();
  BOOST_REQUIRE(refusal);
  BOOST_TEST((refusal->limit == domain::Limit::compiles));
  BOOST_TEST(passes(gate.compile_permit(from("2001:db8:2:ff00::1"))));
}

BOOST_AUTO_TEST_CASE(a_refused_attempt_costs_nothing_in_the_hour) {
  set("builds_per_hour", 1);
  set("build_flood_per_minute", 0);
  const limits::Caller caller = from("2001:db8:1:1::1");
  BOOST_TEST(!passes(gate.build_permit(caller)));
  set("build_flood_per_minute", 30);
  state.bump_generation();
  BOOST_TEST(passes(gate.build_permit(caller)));
  const auto refusal = gate.build_permit(caller).ask();
  BOOST_REQUIRE(refusal);
  BOOST_TEST(refusal->wait.count() == 600);
  BOOST_TEST(refusal->resets_in.has_value());
}

BOOST_AUTO_TEST_CASE(a_key_has_the_hours_that_it_was_given_and_no_others) {
  set("compile_flood_per_minute", 1'000);
  set("compiles_per_hour", 1);
  limits::Caller reseller = from("192.0.2.1", 7);
  reseller.compiles_per_hour = 3;
  const auto theirs = [&](int) { return gate.compile_permit(reseller); };
  BOOST_TEST(passed(10, theirs) == 3);
  BOOST_TEST((gate.compile_permit(reseller).ask()->limit == domain::Limit::compiles));
  BOOST_TEST(passes(gate.build_permit(reseller)));
  BOOST_TEST(passed(10, [&](int) { return gate.compile_permit(from("192.0.2.1", 8)); }) == 10);
  BOOST_TEST(passed(10, [&](int) { return gate.compile_permit(from("192.0.2.1")); }) == 1);
  reseller.builds_per_hour = 0;
  const auto refusal = gate.build_permit(reseller).ask();
  BOOST_REQUIRE(refusal);
  BOOST_TEST((refusal->limit == domain::Limit::builds));
  BOOST_TEST(refusal->wait.count() == 600);
}

BOOST_AUTO_TEST_CASE(what_a_key_has_used_is_kept_by_the_hour) {
  const std::string secret = "svck_" + std::string(40, 'a');
  domain::ApiKey key;
  key.name = "reseller";
  key.sha256 = base::sha256_hex(secret);
  key.per_minute = 3;
  key.per_day = 100;
  key.builds_per_hour = 1;
  key.created_at = clock.seconds();
  key.id = keys.create(key);
  limits::Caller caller;
  for (int i = 0; i < 5; ++i) caller = gate.admit("192.0.2.1", "Bearer " + secret).caller;
  BOOST_TEST(caller.builds_per_hour.value() == 1);
  gate.admit("192.0.2.1", std::nullopt);
  BOOST_TEST(passed(2, [&](int) { return gate.compile_permit(caller); }) == 2);
  BOOST_TEST(passed(2, [&](int) { return gate.build_permit(caller); }) == 1);
  BOOST_TEST(keys.uses_since(clock.seconds() - std::chrono::hours(1)).empty());
  gate.keep_uses();
  gate.keep_uses(true);  // nothing is left, and nothing counted twice
  const auto uses = keys.uses_since(clock.seconds() - std::chrono::hours(1));
  BOOST_REQUIRE(uses.size() == 1U);
  BOOST_TEST(uses.at(key.id).requests == 3);
  BOOST_TEST(uses.at(key.id).compiles == 2);
  BOOST_TEST(uses.at(key.id).builds == 1);
  keys.add_uses(key.id, clock.seconds(), {1, 0, 0});
  keys.add_uses(key.id, clock.seconds() - std::chrono::days(2), {10, 0, 0});
  BOOST_TEST(keys.uses_since(clock.seconds() - std::chrono::days(1)).at(key.id).requests == 4);
  BOOST_TEST(keys.uses_since(clock.seconds() - std::chrono::days(3)).at(key.id).requests == 14);
  keys.forget_uses_before(clock.seconds() - std::chrono::days(1));
  BOOST_TEST(keys.uses_since({}).at(key.id).requests == 4);
  BOOST_TEST(keys.remove(key.id));
  BOOST_TEST(keys.uses_since({}).empty());
}

BOOST_AUTO_TEST_CASE(uses_that_can_not_be_kept_refuse_nobody_and_wait) {
  const std::string secret = "svck_" + std::string(40, 'b');
  domain::ApiKey key;
  key.name = "reseller";
  key.sha256 = base::sha256_hex(secret);
  key.per_minute = key.per_day = 100;
  key.created_at = clock.seconds();
  key.id = keys.create(key);
  database.run("RENAME TABLE key_uses TO hidden");
  gate.admit("192.0.2.1", "Bearer " + secret);
  gate.keep_uses();
  BOOST_TEST(!gate.admit("192.0.2.1", "Bearer " + secret).refusal);
  database.run("RENAME TABLE hidden TO key_uses");
  gate.keep_uses();
  BOOST_TEST(keys.uses_since({}).empty());  // not before a minute has passed
  gate.keep_uses(true);
  BOOST_TEST(keys.uses_since({}).at(key.id).requests == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gate
}  // namespace goldsmith::test
