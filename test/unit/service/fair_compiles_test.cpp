#include "app/service/fair_compiles.hpp"

#include <boost/test/unit_test.hpp>

#include "test/unit/service/scripted_compiler.hpp"

namespace goldsmith::service::test {
namespace fair_compiles {
namespace {

using compile::Compilation;
using domain::Limit;
using domain::Permit;
using domain::RateLimited;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Outcome = std::variant<Compilation, RateLimited>;

struct Fixture : Host {
  FairCompiles::Source source_of(const domain::PluginVersion& each) {
    return FairCompiles::source(toolchain, toolchains.fingerprint(toolchain), each);
  }
  // As a request does; the permit grants and is counted.
  Outcome ask(const domain::PluginVersion& each) {
    return compiles.compile(source_of(each), granted);
  }
  Outcome ask() { return ask(version); }

  compile::Toolchain toolchain = toolchains.find("1.9").value();
  domain::PluginVersion version = plugin("main() {}");
  int asked = 0;
  Permit granted{[this]() -> Permit::Answer {
    ++asked;
    return std::nullopt;
  }};
};

bool is_refused(const Outcome& outcome) { return std::holds_alternative<RateLimited>(outcome); }

}  // namespace
}  // namespace fair_compiles

BOOST_FIXTURE_TEST_SUITE(fair_compiles, Fixture)

BOOST_AUTO_TEST_CASE(a_success_is_never_remembered) {
  compiler.next = compiled(milliseconds(50));
  for (int i = 1; i <= 3; ++i) {
    BOOST_TEST(!is_refused(ask()));
    BOOST_TEST(compiler.starts == i);
    BOOST_TEST(asked == i);
  }
}

BOOST_AUTO_TEST_CASE(a_rejection_is_compiled_again_each_time) {
  compiler.next = rejected("a.sma(1) : error 017");
  ask();
  ask();
  BOOST_TEST(compiler.starts == 2);
}

BOOST_AUTO_TEST_CASE(an_end_at_a_limit_is_remembered_and_takes_no_budget) {
  compiler.next = stopped("The compiler was stopped.");
  const auto first = std::get<Compilation>(ask());
  for (int i = 0; i < 3; ++i) {
    clock.time += minutes(3);
    const auto again = std::get<Compilation>(ask());
    BOOST_TEST((again.result == compile::Result::failed));
    BOOST_TEST(again.output == first.output);
  }
  BOOST_TEST(compiler.starts == 1);
  BOOST_TEST(asked == 1);
  clock.time += minutes(1);
  ask();
  BOOST_TEST(compiler.starts == 2);
}

BOOST_AUTO_TEST_CASE(what_was_remembered_needs_no_place_among_the_workers) {
  compiler.next = stopped("The compiler was stopped.");
  ask();
  const domain::Turn one = shares.compile_unproved();
  const domain::Turn other = shares.compile_unproved();
  BOOST_TEST(!is_refused(ask()));
  BOOST_TEST(is_refused(ask(plugin("another"))));
}

BOOST_AUTO_TEST_CASE(other_content_and_toolchains_are_not_concerned) {
  compiler.next = stopped("The compiler was stopped.");
  ask();
  ask(plugin("another"));
  BOOST_TEST(compiler.starts == 2);
  sys::write_atomically(toolchain.folder / "include" / "new.inc", "1");
  ask();
  BOOST_TEST(compiler.starts == 3);
}

BOOST_AUTO_TEST_CASE(one_unproved_source_too_many_is_refused_before_the_budgets) {
  compiler.next = compiled(milliseconds(50));
  const domain::Turn one = shares.compile_unproved();
  const domain::Turn other = shares.compile_unproved();
  const Outcome outcome = ask();
  BOOST_TEST_REQUIRE(is_refused(outcome));
  BOOST_TEST((std::get<RateLimited>(outcome).limit == Limit::unproved));
  BOOST_TEST(asked == 0);
  BOOST_TEST(compiler.starts == 0);
}

BOOST_AUTO_TEST_CASE(a_proved_source_needs_no_place) {
  compiler.next = compiled(milliseconds(1900));
  ask();
  BOOST_TEST((compiler.priority == compile::Priority::background));
  const domain::Turn one = shares.compile_unproved();
  const domain::Turn other = shares.compile_unproved();
  BOOST_TEST(!is_refused(ask()));
  BOOST_TEST((compiler.priority == compile::Priority::normal));
  compiler.next = compiled(milliseconds(2100));  // from now on it is unproved
  BOOST_TEST(!is_refused(ask()));
  BOOST_TEST(is_refused(ask()));
}

BOOST_AUTO_TEST_CASE(a_quick_rejection_proves_as_well) {
  compiler.next = rejected("a.sma(1) : error 017");
  ask();
  const domain::Turn one = shares.compile_unproved();
  const domain::Turn other = shares.compile_unproved();
  BOOST_TEST(!is_refused(ask()));
}

BOOST_AUTO_TEST_CASE(the_place_is_free_again_after_the_compile_and_after_a_refusal) {
  workers = 1;
  compiler.next = compiled(seconds(5));
  BOOST_TEST(!is_refused(ask()));
  const RateLimited refusal{Limit::flood_brake, seconds(30)};
  const Outcome outcome =
      compiles.compile(source_of(version), [&] { return Permit::Answer(refusal); });
  BOOST_TEST((std::get<RateLimited>(outcome) == refusal));
  BOOST_TEST(!is_refused(ask()));
}

BOOST_AUTO_TEST_CASE(a_compiler_that_is_unavailable_leaves_no_memory) {
  ask();
  BOOST_TEST((std::get<Compilation>(ask()).result == compile::Result::unavailable));
  BOOST_TEST(compiler.starts == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::service::test
