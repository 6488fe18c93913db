#include "app/mirror/repositories.hpp"

#include <string>

#include <boost/test/unit_test.hpp>

namespace goldsmith::mirror {

BOOST_AUTO_TEST_SUITE(what_repositories_say)

BOOST_AUTO_TEST_CASE(commits_have_a_digest_a_time_and_a_line) {
  const std::string sha(40, 'a');
  const auto commits =
      read_commits(R"([{"sha": ")" + sha +
                   R"(", "commit": {"message": "Fix *it*\u0007\n\nMore.", "committer":
                   {"date": "2024-05-01T12:00:00Z"}}}])");
  BOOST_REQUIRE_EQUAL(commits.size(), 1U);
  BOOST_TEST(commits[0].sha == sha);
  BOOST_TEST(commits[0].subject == "Fix *it*");
  BOOST_TEST(domain::format_timestamp(commits[0].time) == "2024-05-01 12:00:00");
  for (const std::string& wrong :
       {std::string("{}"), std::string("[1]"), R"([{"sha": "../x", "commit": {}}])" + std::string(),
        R"([{"sha": ")" + sha + R"(", "commit": {"committer": {"date": "soon"}}}])"}) {
    BOOST_CHECK_THROW(read_commits(wrong), MalformedAnswer);
  }
}

BOOST_AUTO_TEST_CASE(a_history_goes_on_if_the_comparison_says_so) {
  BOOST_TEST(read_is_ahead(R"({"status": "ahead"})"));
  BOOST_TEST(read_is_ahead(R"({"status": "identical"})"));
  BOOST_TEST(!read_is_ahead(R"({"status": "diverged"})"));
  BOOST_TEST(!read_is_ahead(R"({"status": "behind"})"));
  BOOST_CHECK_THROW(read_is_ahead("[]"), MalformedAnswer);
}

BOOST_AUTO_TEST_CASE(a_repository_has_two_numbers_and_its_name_of_now) {
  const GithubRepository repository =
      read_repository(R"({"id": 7, "full_name": "new/home", "owner": {"id": 8}})");
  BOOST_TEST(repository.name == "new/home");
  BOOST_TEST(repository.number == 7);
  BOOST_TEST(repository.owner == 8);
  for (const char* wrong : {"[]", "{", R"({"id": 7, "full_name": "new/home"})",
                            R"({"id": 0, "full_name": "new/home", "owner": {"id": 8}})",
                            R"({"id": "7", "full_name": "new/home", "owner": {"id": 8}})",
                            R"({"id": 7, "full_name": "../../x", "owner": {"id": 8}})"}) {
    BOOST_CHECK_THROW(read_repository(wrong), MalformedAnswer);
  }
}

BOOST_AUTO_TEST_CASE(what_commits_say_is_text_in_a_list) {
  BOOST_TEST(list_of_changes({"Fix [x](javascript:y)", "Add <b>"}, 100) ==
             "- Fix \\[x\\]\\(javascript:y\\)\n- Add \\<b\\>");
  BOOST_TEST(list_of_changes({"one", "two"}, 8) == "- one");
  BOOST_TEST(list_of_changes({}, 100).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror
