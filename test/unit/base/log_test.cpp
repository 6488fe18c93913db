#include "app/base/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"

using namespace goldsmith::base;

namespace {

std::string line_with(std::string value) { return format_log_line("m", {{"k", std::move(value)}}); }

}  // namespace

BOOST_AUTO_TEST_SUITE(logging)

BOOST_AUTO_TEST_CASE(a_line_is_the_message_and_its_fields_in_order) {
  BOOST_TEST(
      format_log_line("request done", {{"status", "200"}, {"route", "/v1/plugins/{slug}"}}) ==
      "request done status=200 route=/v1/plugins/{slug}");
  BOOST_TEST(format_log_line("started", {}) == "started");
}

BOOST_AUTO_TEST_CASE(the_journal_gets_priority_and_fields_beside_the_line) {
  const auto fields =
      journal_fields(LogLevel::warning, "request", {{"id", "a1"}, {"status", "500"}});
  BOOST_TEST_REQUIRE(fields.size() == 5U);
  BOOST_TEST(fields[0] == "MESSAGE=request id=a1 status=500");
  BOOST_TEST(fields[1] == "PRIORITY=4");
  BOOST_TEST(fields[2].starts_with("SYSLOG_IDENTIFIER="));
  BOOST_TEST(fields[3] == "GOLDSMITH_REQUEST_ID=a1");
  BOOST_TEST(fields[4] == "GOLDSMITH_STATUS=500");
}

BOOST_AUTO_TEST_CASE(the_priority_is_what_journalctl_filters_by) {
  BOOST_TEST(journal_fields(LogLevel::error, "m", {})[1] == "PRIORITY=3");
  BOOST_TEST(journal_fields(LogLevel::info, "m", {})[1] == "PRIORITY=6");
  BOOST_TEST(journal_fields(LogLevel::debug, "m", {})[1] == "PRIORITY=7");
}

BOOST_AUTO_TEST_CASE(a_field_of_the_journal_is_not_longer_than_its_line) {
  const auto fields = journal_fields(LogLevel::info, "m", {{"cause", std::string(100'000, 'x')}});
  BOOST_TEST(fields[3].size() < 48U << 10U);
}

BOOST_AUTO_TEST_CASE(values_are_quoted_when_they_need_it) {
  BOOST_TEST(line_with("plain-1.0/x:y") == "m k=plain-1.0/x:y");
  BOOST_TEST(line_with("") == "m k=\"\"");
  BOOST_TEST(line_with("a b") == "m k=\"a b\"");
  BOOST_TEST(line_with("a=b") == "m k=\"a=b\"");
  BOOST_TEST(line_with("a\"b\\c") == R"(m k="a\"b\\c")");
  BOOST_TEST(line_with("é") == "m k=\"é\"");
}

BOOST_AUTO_TEST_CASE(no_value_can_forge_a_line_or_a_field) {
  BOOST_TEST(line_with("x\n<3>forged") == R"(m k="x\n<3>forged")");
  BOOST_TEST(line_with("x\r\ny\tz") == R"(m k="x\r\ny\tz")");
  BOOST_TEST(line_with("x\" status=\"200") == R"(m k="x\" status=\"200")");
}

BOOST_AUTO_TEST_CASE(control_characters_never_reach_a_terminal) {
  BOOST_TEST(line_with(std::string("\0\x1B[2J\x7F", 6)) == R"(m k="\x00\x1b[2J\x7f")");
  BOOST_TEST(line_with("\xC2\x9B[2J") == R"(m k="\xc2\x9b[2J")");  // C1's form of the same
  BOOST_TEST(line_with("\u202Ex") == R"(m k="\xe2\x80\xaex")");
  BOOST_TEST(format_log_line("a\nb\x1B", {}) == R"(a\nb\x1b)");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8_are_escaped) {
  BOOST_TEST(line_with("\xFF") == R"(m k="\xff")");
  BOOST_TEST(line_with("\xE2\x82") == R"(m k="\xe2\x82")");
  BOOST_TEST(line_with("\xE2\x82(") == R"(m k="\xe2\x82(")");
}

BOOST_AUTO_TEST_CASE(a_value_too_long_for_one_entry_of_the_journal_is_cut) {
  const std::string line = line_with(std::string(100'000, 'x'));
  BOOST_TEST(line.size() < 48U << 10U);
  BOOST_TEST(line.ends_with("x... (91808 bytes more)\""));
}

BOOST_AUTO_TEST_CASE(a_line_reaches_standard_error_whole) {
  int ends[2];
  BOOST_TEST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const UniqueFd saved(::dup(STDERR_FILENO));
  ::dup2(writer.get(), STDERR_FILENO);
  log(LogLevel::info, "hello", {{"to", "the world"}});
  ::dup2(saved.get(), STDERR_FILENO);
  writer.reset();

  char text[256];
  const ssize_t got = ::read(reader.get(), text, sizeof text);
  BOOST_TEST_REQUIRE(got > 0);
  const std::string line(text, static_cast<std::size_t>(got));
  BOOST_TEST(line.ends_with("hello to=\"the world\"\n"));
}

BOOST_AUTO_TEST_CASE(a_log_that_can_not_be_written_is_no_failure) {
  const UniqueFd saved(::dup(STDERR_FILENO));
  const UniqueFd full = open_file("/dev/full", O_WRONLY);
  ::dup2(full.get(), STDERR_FILENO);
  BOOST_CHECK_NO_THROW(log(LogLevel::error, "nobody reads this"));
  ::dup2(saved.get(), STDERR_FILENO);
}

BOOST_AUTO_TEST_SUITE_END()
