#include "app/compile/scheduler.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "test/unit/compile/scripted_compiler.hpp"

namespace goldsmith::compile::test {
namespace compile_scheduler {
namespace {

using compile::Compilation;
using compile::Priority;
using domain::Limit;
using domain::Permit;
using domain::RateLimited;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Outcome = std::variant<Compilation, RateLimited>;

struct Fixture : Host {
  CompileScheduler::Source source_of(const domain::PluginVersion& each) {
    return CompileScheduler::source(toolchain, toolchains.fingerprint(toolchain), each);
  }
  // As a request does; the permit grants and is counted.
  Outcome ask(const domain::PluginVersion& each) {
    return outcome_of([&] { return compiles.compile(source_of(each), granted); });
  }
  Outcome ask() { return ask(version); }
  static Outcome outcome_of(const std::function<Compilation()>& compile) try {
    return compile();
  } catch (const domain::Failure& failure) {
    return failure.refusal.value();
  }

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
}  // namespace compile_scheduler

BOOST_FIXTURE_TEST_SUITE(compile_scheduler, Fixture)

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
  const domain::Admission one = limits.compile_unproved();
  const domain::Admission other = limits.compile_unproved();
  BOOST_TEST(!is_refused(ask()));
  BOOST_TEST(is_refused(ask(plugin("another"))));
}

BOOST_AUTO_TEST_CASE(other_content_and_toolchains_are_not_concerned) {
  compiler.next = stopped("The compiler was stopped.");
  ask();
  ask(plugin("another"));
  BOOST_TEST(compiler.starts == 2);
  base::write_atomically(toolchain.folder / "include" / "new.inc", "1");
  ask();
  BOOST_TEST(compiler.starts == 3);
}

BOOST_AUTO_TEST_CASE(one_unproved_source_too_many_is_refused_before_the_budgets) {
  compiler.next = compiled(milliseconds(50));
  const domain::Admission one = limits.compile_unproved();
  const domain::Admission other = limits.compile_unproved();
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
  const domain::Admission one = limits.compile_unproved();
  const domain::Admission other = limits.compile_unproved();
  BOOST_TEST(!is_refused(ask()));
  BOOST_TEST((compiler.priority == compile::Priority::normal));
  compiler.next = compiled(milliseconds(2100));  // from now on it is unproved
  BOOST_TEST(!is_refused(ask()));
  BOOST_TEST(is_refused(ask()));
}

BOOST_AUTO_TEST_CASE(a_quick_rejection_proves_as_well) {
  compiler.next = rejected("a.sma(1) : error 017");
  ask();
  const domain::Admission one = limits.compile_unproved();
  const domain::Admission other = limits.compile_unproved();
  BOOST_TEST(!is_refused(ask()));
}

BOOST_AUTO_TEST_CASE(the_place_is_free_again_after_the_compile_and_after_a_refusal) {
  workers = 1;
  compiler.next = compiled(seconds(5));
  BOOST_TEST(!is_refused(ask()));
  const RateLimited refusal{Limit::flood_brake, seconds(30)};
  const Outcome outcome = outcome_of([&] {
    return compiles.compile(source_of(version), [&] { return Permit::Answer(refusal); });
  });
  BOOST_TEST((std::get<RateLimited>(outcome) == refusal));
  BOOST_TEST(!is_refused(ask()));
}

BOOST_AUTO_TEST_CASE(what_got_too_little_time_in_the_background_is_compiled_once_more) {
  compiler.behave = [](const compile::Pace& pace) {
    return pace.priority == Priority::patient ? compiled(seconds(6)) : timed_out();
  };
  BOOST_TEST((std::get<Compilation>(ask()).result == compile::Result::compiled));
  BOOST_TEST(compiler.starts == 2);
  BOOST_TEST(asked == 1);
  BOOST_TEST((std::get<Compilation>(ask()).result == compile::Result::compiled));  // unproved still
  BOOST_TEST(compiler.starts == 4);
}

BOOST_AUTO_TEST_CASE(nothing_else_is_compiled_once_more) {
  compiler.next = compiled(milliseconds(50));
  ask();  // proved from now on
  compiler.next = timed_out();
  BOOST_TEST((std::get<Compilation>(ask()).result == compile::Result::unavailable));
  BOOST_TEST(compiler.starts == 2);
  const auto checked =
      compiles.compile(source_of(plugin("another")), granted, Priority::background);
  BOOST_TEST((checked.result == compile::Result::unavailable));
  BOOST_TEST(compiler.starts == 3);
  compiler.next = Compilation{};  // no compiler
  ask(plugin("a third"));
  BOOST_TEST(compiler.starts == 4);
}

BOOST_AUTO_TEST_CASE(one_at_a_time_is_compiled_once_more) {
  int patient = 0;
  compiler.behave = [&](const compile::Pace& pace) {
    if (pace.priority != Priority::patient) return timed_out();
    ++patient;
    BOOST_TEST(std::holds_alternative<RateLimited>(limits.compile_patiently()));
    return compiled(seconds(6));
  };
  ask();
  BOOST_TEST(patient == 1);
  // Who waits for its turn in vain is told to come back.
  time.begin();
  const domain::Admission turn = limits.compile_patiently();
  compiler.behave = [&](const compile::Pace& pace) {
    BOOST_TEST((pace.longest == limits::RequestTime::kLongest));
    clock.time += pace.longest - milliseconds(50);
    return timed_out();
  };
  const Outcome outcome = ask();
  BOOST_TEST_REQUIRE(is_refused(outcome));
  BOOST_TEST((std::get<RateLimited>(outcome).limit == Limit::request_time));
}

BOOST_AUTO_TEST_CASE(a_request_ends_in_time_and_the_next_one_goes_on_where_it_ended) {
  compiler.behave = [this](const compile::Pace& pace) {
    const auto taken = std::min<milliseconds>(seconds(10), pace.longest);
    clock.time += taken;
    return taken == seconds(10) ? stopped("The compiler was stopped.") : timed_out();
  };
  std::vector<int> reached;  // by each request
  while (reached.empty() || reached.back() < 100) {
    BOOST_TEST_REQUIRE(reached.size() < 3U);
    const auto begin = clock.time;
    time.begin();
    int done = 0;
    while (done < 100 && !is_refused(ask(plugin("endless " + std::to_string(done))))) ++done;
    BOOST_TEST((clock.time - begin <= limits::RequestTime::kLongest));
    reached.push_back(done);
  }
  BOOST_TEST(reached == (std::vector<int>{57, 100}));
  // Without a request, as in a check, time is not limited.
  BOOST_TEST((limits::RequestTime(clock).left() > std::chrono::hours(24)));
}

BOOST_AUTO_TEST_CASE(a_time_that_somebody_sets_neither_ends_nor_prolongs_a_request) {
  struct : base::Clock {
    std::chrono::system_clock::time_point now() const override { return set; }
    std::chrono::steady_clock::time_point steady() const override { return running; }
    std::chrono::system_clock::time_point set;
    std::chrono::steady_clock::time_point running;
  } host;
  limits::RequestTime request(host);
  request.begin();
  for (const auto jump : {std::chrono::hours(1), std::chrono::hours(-2)}) {
    host.set += jump;
    host.running += seconds(10);
    BOOST_TEST(!request.refusal(limits::RequestTime::kLongest - seconds(20)));
    BOOST_TEST((request.left() < limits::RequestTime::kLongest));
  }
}

BOOST_AUTO_TEST_CASE(a_compiler_that_is_unavailable_leaves_no_memory) {
  ask();
  BOOST_TEST((std::get<Compilation>(ask()).result == compile::Result::unavailable));
  BOOST_TEST(compiler.starts == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::compile::test
