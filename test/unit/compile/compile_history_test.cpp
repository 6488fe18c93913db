#include "app/compile/history.hpp"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"

using namespace goldsmith;
using namespace goldsmith::compile;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

namespace {

std::string key_of(int number) { return base::sha256_hex(std::to_string(number)); }

Compilation compiled(milliseconds processor_time) {
  Compilation compilation;
  compilation.result = Result::compiled;
  compilation.processor_time = processor_time;
  return compilation;
}

Compilation rejected() {
  Compilation compilation;
  compilation.result = Result::failed;
  compilation.names_error = true;
  return compilation;
}

Compilation stopped(std::string output = "stopped") {
  Compilation compilation;
  compilation.result = Result::failed;
  compilation.limit_hit = true;
  compilation.output = std::move(output);
  return compilation;
}

struct Fixture {
  base::TempDir folder;
  std::filesystem::path file = folder.path() / "compiles";
  CompileHistory history{file};
  CompileHistory::Time now = std::chrono::system_clock::now();
  std::string key = key_of(0);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(the_compile_history, Fixture)

BOOST_AUTO_TEST_CASE(a_quick_verdict_proves_a_source) {
  BOOST_TEST(!history.is_proved(key, now));
  history.record(key, compiled(milliseconds(2000)), now);
  BOOST_TEST(history.is_proved(key, now));
  BOOST_TEST(!history.is_proved(key_of(1), now));
  history.record(key_of(1), rejected(), now);
  BOOST_TEST(history.is_proved(key_of(1), now));
}

BOOST_AUTO_TEST_CASE(a_slow_compile_leaves_a_source_unproved) {
  history.record(key, compiled(milliseconds(2001)), now);
  BOOST_TEST(!history.is_proved(key, now));
  history.record(key, compiled(milliseconds(10)), now);
  BOOST_TEST(history.is_proved(key, now));
  history.record(key, compiled(milliseconds(2001)), now);
  BOOST_TEST(!history.is_proved(key, now));
}

BOOST_AUTO_TEST_CASE(neither_a_limit_nor_an_unexplained_end_is_a_verdict) {
  history.record(key, compiled(milliseconds(10)), now);
  history.record(key, stopped(), now);
  BOOST_TEST(!history.is_proved(key, now));
  Compilation unexplained;
  unexplained.result = Result::failed;
  history.record(key, unexplained, now);
  BOOST_TEST(!history.is_proved(key, now));
  Compilation crashed_after_an_error = rejected();
  crashed_after_an_error.limit_hit = true;
  history.record(key, crashed_after_an_error, now);
  BOOST_TEST(!history.is_proved(key, now));
}

BOOST_AUTO_TEST_CASE(a_compiler_that_was_unavailable_changes_nothing) {
  history.record(key, Compilation(), now);
  BOOST_TEST(!history.is_proved(key, now));
  BOOST_TEST(!history.limit_of(key, now));
  history.record(key, compiled(milliseconds(10)), now);
  history.record(key, Compilation(), now);
  BOOST_TEST(history.is_proved(key, now));
}

BOOST_AUTO_TEST_CASE(an_end_at_a_limit_is_remembered_for_ten_minutes) {
  Compilation end = stopped("a.sma(1) : warning 203\nThe compiler was stopped: é.");
  end.missing_include = "reapi";
  history.record(key, end, now);
  for (const auto age : {seconds(0), seconds(599)}) {
    const auto remembered = history.limit_of(key, now + age);
    BOOST_TEST_REQUIRE(remembered.has_value());
    BOOST_TEST((remembered->result == Result::failed));
    BOOST_TEST(remembered->limit_hit);
    BOOST_TEST(remembered->output == end.output);
    BOOST_TEST(remembered->missing_include == "reapi");
    BOOST_TEST(!remembered->is_verdict());
  }
  BOOST_TEST(!history.limit_of(key, now + minutes(10)));
  BOOST_TEST(!history.limit_of(key, now - minutes(1)));  // a clock that was set back
  BOOST_TEST(!history.limit_of(key_of(1), now));
}

BOOST_AUTO_TEST_CASE(verdicts_are_not_remembered_as_limits) {
  history.record(key, rejected(), now);
  BOOST_TEST(!history.limit_of(key, now));
  history.record(key, compiled(milliseconds(10)), now);
  BOOST_TEST(!history.limit_of(key, now));
}

BOOST_AUTO_TEST_CASE(the_longest_output_is_kept_whole) {
  std::string longest;
  for (int i = 0; i < 4000; ++i) longest += "\xF0\x9F\x94\xA8";
  history.record(key, stopped(longest), now);
  BOOST_TEST((history.limit_of(key, now).value().output == longest));
}

BOOST_AUTO_TEST_CASE(another_process_and_the_next_one_know_the_same) {
  history.record(key, compiled(milliseconds(10)), now);
  history.record(key_of(1), stopped(), now);
  CompileHistory other(file);
  BOOST_TEST(other.is_proved(key, now));
  BOOST_TEST(other.limit_of(key_of(1), now).has_value());
}

BOOST_AUTO_TEST_CASE(more_than_there_is_room_for_displaces_the_oldest) {
  for (int i = 1; i <= 1000; ++i) history.record(key_of(i), stopped(), now + milliseconds(i));
  BOOST_TEST(history.limit_of(key_of(1000), now + seconds(1)).has_value());
  int remembered = 0;
  for (int i = 1; i <= 1000; ++i) {
    remembered += history.limit_of(key_of(i), now + seconds(1)) ? 1 : 0;
  }
  BOOST_TEST(remembered <= 256);
  BOOST_TEST(remembered > 128);
  const auto size = std::filesystem::file_size(file);
  BOOST_TEST(size < (8U << 20));
}

BOOST_AUTO_TEST_CASE(while_there_is_room_nothing_is_displaced) {
  for (int time = 0; time < 2; ++time) {
    for (int i = 1; i <= 64; ++i) history.record(key_of(i), stopped(), now);
  }
  for (int i = 1; i <= 64; ++i) BOOST_TEST(history.limit_of(key_of(i), now).has_value(), i);
}

// As a worker that is killed while it writes leaves it.
BOOST_AUTO_TEST_CASE(a_torn_record_counts_as_absent) {
  history.record(key, stopped(std::string(3000, 'a')), now);
  std::string bytes = base::read_file(file);
  const std::size_t at = bytes.find(std::string(3000, 'a'));
  BOOST_TEST_REQUIRE(at != std::string::npos);
  std::fstream(file, std::ios::in | std::ios::out).seekp(static_cast<long>(at + 2000)).put('b');
  BOOST_TEST(!history.limit_of(key, now));
  history.record(key, stopped("again"), now);
  BOOST_TEST(history.limit_of(key, now).value().output == "again");
}

BOOST_AUTO_TEST_SUITE_END()
