// The order of versions, and what a new one is beside the public one (decisions P1, P26).
#include "app/domain/version_order.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "test/support/utc.hpp"

namespace goldsmith::domain {
namespace {

using Versions = std::vector<std::string>;

void check_ascending(const Versions& ascending) {
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      const bool agrees = version_order(ascending[i], ascending[j]) == (i <=> j);
      BOOST_TEST(agrees, ascending[i] << " <=> " << ascending[j]);
    }
  }
}

bool is_lower(std::string_view left, std::string_view right) {
  return version_order(left, right) < 0 && version_order(right, left) > 0 &&
         version_rank(left, right) < 0;
}

VersionStep step(std::string_view from, std::string_view to) {
  return step_between({from, "2024-05-01 12:00:00"_utc}, to, "2026-11-29 12:00:00"_utc);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(order_of_versions)

BOOST_AUTO_TEST_CASE(versions_order_by_their_numbers) {
  check_ascending({"0.9", "1", "1.0", "1.0-20240503", "1.0-20240503-2", "1.0a", "1.01", "1.1",
                   "1.2", "1.9", "1.10", "1.10.0-git5474", "1.10.0.5468", "1.10.0.5469", "2", "010",
                   "10", "99999999999999999999999", "100000000000000000000000"});
}

BOOST_AUTO_TEST_CASE(what_is_not_final_is_lower_than_what_is) {
  for (const char* lower : {"1.2-rc1",
                            "1.2rc1",
                            "1.2-RC",
                            "1.2b3",
                            "1.2 beta 3",
                            "1.2Beta3",
                            "1.2-alpha",
                            "1.2a1",
                            "1.2-dev",
                            "1.2.dev",
                            "1.2.manual",  // not made by its project's automation
                            "1.2-test",
                            "1.2_pre2",
                            "1.2-snapshot",
                            "1.2-preview.4",
                            "1.2~rc1",
                            "Beta 1.2",
                            "beta1.2",
                            "v1.2-rc1",
                            "1.2.0-rc1",
                            "1.2-rc1-hotfix",
                            "1.2-dev+build7",
                            "1.2-b.6",
                            "1.2-release_candidate1",
                            "1.2-pre-release",
                            "1.2 UNTESTED"}) {
    BOOST_TEST(is_lower(lower, "1.2"), lower);
    BOOST_TEST(is_lower(lower, "1.2.0"), lower);
    BOOST_TEST(is_lower(lower, "1.2.1"), lower);
    BOOST_TEST(is_lower("1.1", lower), lower);
    BOOST_TEST(is_lower("1.1.9", lower), lower);
    BOOST_TEST(is_prerelease(lower), lower);
  }
  check_ascending({"1.2-dev", "1.2-alpha1", "1.2-alpha.2", "1.2-beta", "1.2-beta2", "1.2-beta10",
                   "1.2-pre1", "1.2-rc1", "1.2-rc2", "1.2", "1.2.1-rc1", "1.2.1"});
  BOOST_TEST(is_lower("v3 beta-1", "3.0"));
  BOOST_TEST(is_lower("V3B22", "V3B24-APG"));
  BOOST_TEST(is_lower("2017rc5", "2017"));
}

BOOST_AUTO_TEST_CASE(what_follows_the_numbers_of_a_final_release_is_higher) {
  for (const char* higher : {"1.2a", "1.2b", "1.2-fix", "1.2p38", "1.2r1", "1.2-1", "1.2-20240503",
                             "1.2-git5474", "1.2-am", "1.2-b", "1.2a-20240503"}) {
    BOOST_TEST(is_lower("1.2", higher), higher);
    BOOST_TEST(is_lower("1.2.0", higher), higher);
    BOOST_TEST(is_lower(higher, "1.2.1"), higher);
    BOOST_TEST(!is_prerelease(higher), higher);
  }
  check_ascending({"1.2", "1.2-20240503", "1.2a", "1.2b", "1.2c"});
}

BOOST_AUTO_TEST_CASE(a_word_before_the_number_does_not_count) {
  for (const char* same :
       {"v2.2", "V2.2", "version 2.2", "Version 2.2", "ver. 2.2", "v.2.2", "v 2.2", "2.2.0",
        "2.2.0.0", "02.2", "2,2", "release-2.2", "2.2-final", "2.2 stable", "2.2-release"}) {
    BOOST_TEST((version_rank(same, "2.2") == 0), same);
    BOOST_TEST((version_order(same, "2.2") != 0), same);
    BOOST_TEST(is_lower(same, "2.3"), same);
    BOOST_TEST(is_lower("2.1", same), same);
  }
}

BOOST_AUTO_TEST_CASE(only_equal_texts_are_equal) {
  BOOST_TEST((version_order("1.01", "1.1") < 0));
  BOOST_TEST((version_order("00", "0") != 0));
  BOOST_TEST((version_order("1.10", "1.10") == 0));
}

BOOST_AUTO_TEST_CASE(versions_of_real_components_have_their_order) {
  check_ascending({"3.13.0.788", "3.14.0.857", "3.15.0.896"});
  check_ascending({"1.8.2", "1.9.0.5294", "1.9.0.5303", "1.10.0-git5474", "1.10.0.5468"});
  check_ascending({"1.20p32", "1.21p37", "1.21p38"});
  check_ascending({"1.20", "1.21.1-am"});
  check_ascending({"V3B22", "V3B23b", "V3B24-APG"});
  check_ascending({"1.0.0-beta.5", "1.0.0-b.6", "1.0.0-b9", "1.0.0-b.10", "1.0.0-b11", "1.0.0"});
  check_ascending({"1.21p37", "1.21p38_beta1", "1.21p38"});
  check_ascending({"Beta2.5.2", "Beta2.5.3", "2.5.3"});
  check_ascending({"0.2.0.13", "0.2.0.25", "0.2.0.34"});
}

BOOST_AUTO_TEST_CASE(what_begins_with_no_number_comes_behind_all_numbers) {
  check_ascending({"", "1", "100000000000000000000000", "a1b", "beta", "a", "b", "second", "é"});
}

// Sorting relies on it.
BOOST_AUTO_TEST_CASE(the_order_of_versions_is_transitive) {
  const Versions pieces = {"0", "01", "1", "a", "b", "rc", "v", ".", "-", " "};
  std::mt19937 random(1);
  Versions texts = {""};
  for (std::size_t i = 0; i < 110; ++i) {
    std::string text;
    const std::size_t count = 1 + random() % 5;
    for (std::size_t j = 0; j < count; ++j) text += pieces[random() % pieces.size()];
    texts.push_back(text);
  }
  std::size_t broken = 0;
  for (const auto& a : texts) {
    for (const auto& b : texts) {
      if ((version_order(a, b) == 0) != (a == b)) ++broken;
      if (version_order(a, b) >= 0) continue;
      for (const auto& c : texts) {
        if (version_order(b, c) < 0 && version_order(a, c) >= 0) ++broken;
      }
    }
  }
  BOOST_TEST(broken == 0U);
}

BOOST_AUTO_TEST_CASE(what_is_new_beside_the_public_one) {
  using enum VersionStep;
  BOOST_TEST((step("1.1", "1.2") == ordinary));
  BOOST_TEST((step("1.1", "v1.2") == ordinary));
  BOOST_TEST((step("1.2", "1.2.0") == ordinary));
  BOOST_TEST((step("1.9", "2.0") == ordinary));
  BOOST_TEST((step("0.9", "1.0") == ordinary));
  BOOST_TEST((step("1.2", "1.20") == ordinary));
  BOOST_TEST((step("1.0", "1.0-20240503") == ordinary));
  BOOST_TEST((step("1.0", "1.0.20240503") == ordinary));
  BOOST_TEST((step("1.2", "1.1") == lower));
  BOOST_TEST((step("1.2", "1.2-rc1") == lower));
  BOOST_TEST((step("1.1", "1.2-rc1") == prerelease));
  BOOST_TEST((step("1.1", "9.9.9-test") == prerelease));
  BOOST_TEST((step("1.2-rc1", "1.2-rc2") == ordinary));
  BOOST_TEST((step("1.2-rc1", "1.2") == ordinary));
  BOOST_TEST((step("1.2-rc1", "1.3-rc1") == prerelease));
  BOOST_TEST((step("V3B23", "V3B24-APG") == ordinary));
  const PublicVersion wanted{"1.1", std::nullopt, true};
  BOOST_TEST((step_between(wanted, "1.2-rc1", {}) == ordinary));
  BOOST_TEST((step_between(wanted, "99-rc1", {}) == leap));
  BOOST_TEST((step("1.1", "99") == leap));
  BOOST_TEST((step("1.1", "10.0") == leap));
  BOOST_TEST((step("0.9", "10") == leap));
  BOOST_TEST((step("1.1", "99999999999999999999999") == leap));
  BOOST_TEST((step("2.2", "20150213.1") == date));
  BOOST_TEST((step("2.2", "2.20150213") == date));
  BOOST_TEST((step("20150213.1", "20240301") == ordinary));
}

BOOST_AUTO_TEST_CASE(a_project_may_go_over_to_years_and_months) {
  using enum VersionStep;
  BOOST_TEST((step("3.0", "2025.05") == ordinary));
  BOOST_TEST((step("3.0", "2024.5.1") == ordinary));
  BOOST_TEST((step("2025.05", "2025.06") == ordinary));
  BOOST_TEST((step("3.0", "2024.04") == date));  // before the public one was made
  BOOST_TEST((step("3.0", "2026.12") == date));  // to come
  BOOST_TEST((step("3.0", "2025") == leap));
  BOOST_TEST((step("3.0", "2025.13") == leap));
  BOOST_TEST((step("3.0", "2025.00") == leap));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
