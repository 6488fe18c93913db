// Releases that are too large, in any sense.
#include <boost/test/unit_test.hpp>

#include "test/unit/mirror/mirror_fixture.hpp"

namespace goldsmith::mirror {

using namespace test;
namespace fs = std::filesystem;

BOOST_FIXTURE_TEST_SUITE(limits_of_releases, MirrorFixture)

BOOST_AUTO_TEST_CASE(entries_beyond_the_limit_are_refused) {
  limits.entries = 3;
  pack(upstream, Format::zip, {{"a", "1"}, {"b", "2"}, {"c", "3"}});
  BOOST_TEST(normalise_all().files.size() == 3U);
  BOOST_TEST(refusal_of(Format::zip, {{"a", "1"}, {"b", "2"}, {"c", "3"}}) ==
             "entry \"c\": it is one more than the 3 entries that mirror.entries allows");
}

BOOST_AUTO_TEST_CASE(bytes_beyond_the_limit_are_refused_dropped_ones_too) {
  limits.unpacked_bytes = 100'001;
  rules.drop = {"dropped"};
  pack(upstream, Format::zip, {{"x", "1"}, {"a", std::string(100'000, 'a')}});
  BOOST_TEST(normalise_all().files.size() == 2U);
  for (const Format format : kAllFormats) {
    BOOST_TEST(contains(refusal_of(format, {{"dropped", std::string(100'001, 'a')}}),
                        "unpacks to more than the 100001 bytes that mirror.unpacked_mb allows"));
  }
}

BOOST_AUTO_TEST_CASE(the_limits_count_for_all_archives_of_a_release_together) {
  limits.unpacked_bytes = 1'500;
  const fs::path addon = folder.path() / "addon";
  pack(upstream, Format::zip, {{"a", std::string(1'000, 'a')}});
  pack(addon, Format::zip, {{"b", std::string(1'000, 'b')}});
  BOOST_CHECK_THROW(normalise({upstream, addon}, rules, limits, target), RefusedArchive);
}

BOOST_AUTO_TEST_CASE(long_paths_are_refused) {
  limits.path_bytes = 40;
  pack(upstream, Format::tar_gz, {{std::string(40, 'a'), "1"}});
  BOOST_TEST(normalise_all().files.size() == 1U);
  BOOST_TEST(contains(refusal_of(Format::tar_gz, {{std::string(41, 'a'), "1"}}),
                      "its path is longer than 40 bytes"));
  rules.map = {{"", "a/folder/"}};
  BOOST_TEST(contains(refusal_of(Format::tar_gz, {{std::string(39, 'a'), "1"}}),
                      "its final path is longer than 40 bytes"));
  limits.path_bytes = 1'024;
  BOOST_TEST(contains(refusal_of(Format::tar_gz, {{std::string(256, 'a'), "1"}}),
                      "a part of its path is longer than 255 bytes"));
}

BOOST_AUTO_TEST_CASE(a_file_that_unpacks_to_far_more_than_its_packed_size_is_refused) {
  const std::string zeros(70U << 20, '\0');
  for (const Format format : {Format::zip, Format::tar_gz, Format::seven_zip}) {
    pack(upstream, format, {{"bomb", zeros}});
    BOOST_TEST(refusal() ==
               "entry \"bomb\": it unpacks to more than 512 times its packed size, which "
               "mirror.ratio forbids");
  }
}

BOOST_AUTO_TEST_CASE(the_ratio_is_configurable_and_counts_above_64_mib_only) {
  pack(upstream, Format::zip, {{"zeros", std::string(64U << 20, '\0')}});
  BOOST_TEST(normalise_all().files.front().size == 64U << 20);
  pack(upstream, Format::zip, {{"zeros", std::string(65U << 20, '\0')}});
  BOOST_TEST(contains(refusal(), "mirror.ratio"));
  limits.ratio = 2'000;
  BOOST_TEST(normalise_all().files.front().size == 65U << 20);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror
