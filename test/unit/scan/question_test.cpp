#include "app/scan/question.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::scan {

BOOST_AUTO_TEST_SUITE(questions)

BOOST_AUTO_TEST_CASE(a_topic_is_read_as_it_is_written_also_with_what_it_is_about) {
  for (const std::string_view each : topic_names()) {
    const std::string name(each);
    const std::optional<Topic> topic = parse_topic(name);
    BOOST_REQUIRE(topic.has_value());
    BOOST_TEST(to_string(*topic) == name);
    BOOST_CHECK(parse_topic(name + " x.inc") == topic);
    BOOST_CHECK(!parse_topic(name + "s"));
  }
  BOOST_CHECK(!parse_topic(""));
  BOOST_CHECK(!parse_topic("same"));
  BOOST_TEST(to_string(Topic::same_name) == "same name");
  BOOST_TEST(to_string(Topic::author) == topic_names().back());
  BOOST_TEST(to_string(Choice::without) == "without");
}

BOOST_AUTO_TEST_CASE(a_question_is_known_by_its_topic_and_what_it_is_about) {
  Question question{Topic::same_name, "", "", "1", {}};
  BOOST_TEST(question.key() == "same name");
  question.about = "x.inc";
  question.topic = Topic::include;
  BOOST_TEST(question.key() == "include x.inc");
}

BOOST_AUTO_TEST_CASE(only_what_somebody_answered_is_a_choice) {
  AskedQuestions asked;
  const auto question = [] {
    return choice_between(Topic::stock, "?", Choice::skip, {Choice::skip, Choice::plugin});
  };
  const AskedQuestion open = ask(question(), {}, asked);
  BOOST_TEST(open.value() == "skip");
  BOOST_TEST(!open.is(Choice::skip));
  const AskedQuestion answered = ask(
      question(), [](const Question& each) { return std::optional(each.choices.back()); }, asked);
  BOOST_TEST(answered.is(Choice::plugin));
  BOOST_TEST(asked.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::scan
