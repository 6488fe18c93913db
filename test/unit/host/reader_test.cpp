// What reads the texts of strangers may end at any of them: then that one has no answer, all others
// have theirs.
#include "app/host/sandboxed_reader.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "app/base/interruption.hpp"

namespace goldsmith::host {
namespace {

#ifdef GOLDSMITH_SANITIZED  // which exits
constexpr const char* kCrash = "none: reading it failed, or takes more than 512 MB of memory";
#else
constexpr const char* kCrash = "none: reading it ended by SIGSEGV";
#endif

struct Asked {
  Asked() {
    limits.cpu_seconds = 1;
    limits.wall_clock = std::chrono::milliseconds(2000);
    limits.question_bytes = 1000;
  }

  // The answer, or why there is none.
  std::string ask(const std::string& what) {
    if (!conversation) conversation = std::make_unique<Conversation>(READER_PROBE, limits);
    try {
      return conversation->ask({what});
    } catch (const Unreadable& problem) {
      return std::string("none: ") + problem.what();
    }
  }

  Conversation::Limits limits;
  std::unique_ptr<Conversation> conversation;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(reader, Asked)

BOOST_AUTO_TEST_CASE(one_process_answers_many_questions_and_a_new_one_follows) {
  limits.questions = 4;
  BOOST_TEST(ask("a") == "a 2");
  BOOST_TEST(ask("b") == "b 3");
  BOOST_TEST(ask("c") == "c 4");
  BOOST_TEST(ask("d") == "d 2");
}

BOOST_AUTO_TEST_CASE(what_ends_it_has_no_answer_and_what_follows_has) {
  BOOST_TEST(ask("a") == "a 2");
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(ask("crash") == kCrash);
    BOOST_TEST(ask("b") == "b 2");
  }
  BOOST_TEST(ask("call") == "none: reading it ended by SIGSYS");
  BOOST_TEST(ask("exit").starts_with("none: reading it failed"));
  BOOST_TEST(ask("lie").starts_with("none: reading it failed"));
  BOOST_TEST(ask("fail") == "none: why");
  BOOST_TEST(ask("c") == "c 3");
}

BOOST_AUTO_TEST_CASE(what_an_earlier_question_left_behind_is_not_blamed_on_a_later_one) {
  BOOST_TEST(ask("a") == "a 2");
  BOOST_TEST(ask("crash later") == "crash later 2");
}

BOOST_AUTO_TEST_CASE(time_and_size_are_bounded) {
  BOOST_TEST(ask("sleep") == "none: it was not read within 2 s");
  limits.wall_clock = std::chrono::minutes(1);  // a busy host
  conversation.reset();
  BOOST_TEST(ask("loop") == "none: reading it takes more than 1 s of processor time");
  BOOST_TEST(ask(std::string(1001, 'x')).starts_with("none: it has more than"));
  BOOST_TEST(ask("a") == "a 2");
}

BOOST_AUTO_TEST_CASE(it_sees_no_file_of_the_host) { BOOST_TEST(ask("user") == "-1"); }

BOOST_AUTO_TEST_CASE(a_program_that_does_not_come_to_work_is_no_text_to_blame) {
  Conversation missing("/nowhere/goldsmith-unpack", limits);
  BOOST_CHECK_EXCEPTION(missing.ask({"a"}), ReaderUnavailable, [](const auto& failure) {
    return std::string(failure.what()).find("/nowhere/goldsmith-unpack: can't be opened") !=
           std::string::npos;
  });
  Conversation other("/bin/false", limits);
  BOOST_CHECK_THROW(other.ask({"a"}), ReaderUnavailable);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::host
