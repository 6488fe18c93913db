#include "app/domain/source_identity.hpp"

#include <boost/test/unit_test.hpp>

#include "app/domain/plugin.hpp"

namespace goldsmith::domain {

using Doubts = std::vector<Doubt>;

BOOST_AUTO_TEST_SUITE(source_identity)

BOOST_AUTO_TEST_CASE(what_was_known_is_compared) {
  const SourceIdentity known{5, 9, 1};
  BOOST_CHECK(doubts_between(known, known).empty());
  BOOST_CHECK(doubts_between(known, {6, 9, 1}) == Doubts{Doubt::replaced});
  BOOST_CHECK(doubts_between(known, {5, 8, 1}) == Doubts{Doubt::transferred});
  BOOST_CHECK(doubts_between(known, {5, 9, 2}) == Doubts{Doubt::rewritten});
  BOOST_CHECK(doubts_between({}, {5, 9, 0}).empty());
  BOOST_CHECK(doubts_between(known, {}) == Doubts{Doubt::unproven});
}

BOOST_AUTO_TEST_CASE(a_published_version_from_what_it_is_now_ends_the_doubt) {
  const SourceCheck rewritten{{5, 9, 1}, {5, 9, 0}, true, false};
  const SourceIdentity before = rewritten.trusted;
  BOOST_CHECK(rewritten.doubts(nullptr) == Doubts{Doubt::rewritten});
  BOOST_CHECK(rewritten.doubts(&before) == Doubts{Doubt::rewritten});
  BOOST_CHECK(rewritten.doubts(&rewritten.now).empty());
}

BOOST_AUTO_TEST_CASE(what_is_public_counts_where_nothing_else_is_known) {
  const SourceCheck first{{6, 8, 0}, {6, 8, 0}, true, true};
  const SourceIdentity published{5, 9, 3};
  const SourceIdentity unknown;
  BOOST_CHECK((first.doubts(&published) == Doubts{Doubt::replaced, Doubt::transferred}));
  BOOST_CHECK(first.doubts(&unknown).empty());
  BOOST_CHECK(first.doubts(nullptr).empty());
  // Of another forge, a version beside a public one is always in doubt.
  const SourceCheck elsewhere{{}, {}, true, true};
  BOOST_CHECK(elsewhere.doubts(&unknown) == Doubts{Doubt::unproven});
  BOOST_CHECK(elsewhere.doubts(nullptr).empty());
}

BOOST_AUTO_TEST_CASE(a_repository_that_is_what_it_was_is_not_that_of_every_plugin) {
  SourceCheck same{{6, 8, 0}, {6, 8, 0}, true, false};
  const SourceIdentity published{5, 9, 0};
  const SourceIdentity unknown;
  BOOST_CHECK(same.doubts(&published) == Doubts{Doubt::replaced});
  BOOST_CHECK(same.doubts(&unknown).empty());
  same.predecessors = {5};
  BOOST_CHECK(same.doubts(&published).empty());
}

BOOST_AUTO_TEST_CASE(a_rewrite_counts_where_nothing_else_is_known) {
  const SourceCheck first{{5, 9, 2}, {5, 9, 1}, true, true};
  const SourceIdentity before{5, 9, 0};
  BOOST_CHECK(first.doubts(&before) == Doubts{Doubt::rewritten});
  BOOST_CHECK(first.doubts(&first.now).empty());
}

BOOST_AUTO_TEST_CASE(letter_case_counts_for_addresses_alone) {
  BOOST_TEST(is_same_repository("Owner/CS", "owner/cs"));
  BOOST_TEST(!is_same_repository("owner/cs", "owner/css"));
  BOOST_TEST(!is_same_repository("https://x.example/A.zip", "https://x.example/a.zip"));
  const PluginUpstream place{"Owner/CS", "a", "commits", "", std::nullopt};
  BOOST_TEST(is_same_place(place, {"owner/cs", "a", "commits", "", Timestamp()}));
  BOOST_TEST(!is_same_place(place, {"owner/cs", "A", "commits", "", std::nullopt}));
  BOOST_TEST(!is_same_place(place, {"owner/cs", "a", "tags", "", std::nullopt}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
