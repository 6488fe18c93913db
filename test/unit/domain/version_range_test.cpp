// Ranges of versions in rules and advice of the catalog.
#include "app/domain/version.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::domain {
namespace {

bool contains(std::string_view range, std::string_view version) {
  return VersionRange::parse(range).value().contains(version);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(version_range)

BOOST_AUTO_TEST_CASE(without_a_comparison_it_holds_every_version) {
  BOOST_TEST(VersionRange().contains("1.0"));
  BOOST_TEST(VersionRange().is_every());
  BOOST_TEST(VersionRange::parse("").value().is_every());
}

BOOST_AUTO_TEST_CASE(versions_compare_as_numbers) {
  BOOST_TEST(contains("<3.15.0.896", "3.14.0.857"));
  BOOST_TEST(contains("<3.15.0.896", "3.9.0.752"));
  BOOST_TEST(!contains("<3.15.0.896", "3.15.0.896"));
  BOOST_TEST(!contains("<3.15.0.896", "3.15.0.1000"));
}

BOOST_AUTO_TEST_CASE(each_comparison_means_what_it_says) {
  BOOST_TEST(contains("<=2", "2"));
  BOOST_TEST(!contains("<=2", "3"));
  BOOST_TEST(contains(">2", "10"));
  BOOST_TEST(!contains(">2", "2"));
  BOOST_TEST(contains(">=2", "2"));
  BOOST_TEST(!contains(">=2", "1.9"));
  BOOST_TEST(contains("=1.0", "1.0"));
  BOOST_TEST(!contains("=1.0", "1.00"));
}

BOOST_AUTO_TEST_CASE(all_comparisons_must_hold) {
  BOOST_TEST(contains(">=5.24 <5.26", "5.25"));
  BOOST_TEST(!contains(">=5.24 <5.26", "5.23"));
  BOOST_TEST(!contains(">=5.24 <5.26", "5.26"));
}

BOOST_AUTO_TEST_CASE(it_is_written_as_it_is_read) {
  BOOST_TEST(VersionRange::parse("  >=5.24   <5.26 ").value().str() == ">=5.24 <5.26");
  BOOST_TEST(VersionRange().str().empty());
  BOOST_TEST((VersionRange::parse(">1 <2") == VersionRange::parse(" >1  <2")));
  BOOST_TEST((VersionRange::parse(">1") != VersionRange::parse(">=1")));
}

BOOST_AUTO_TEST_CASE(what_is_not_a_comparison_is_refused) {
  for (const char* text :
       {"1.0", "<", "< 1.0", "<>1", "==1", "!1", "~1.0", "<1.0,>2", "<-1", "1 - 2"}) {
    BOOST_TEST(!VersionRange::parse(text), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
