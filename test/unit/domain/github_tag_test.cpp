#include "app/domain/version.hpp"

#include <boost/test/unit_test.hpp>

namespace goldsmith::domain {

BOOST_AUTO_TEST_SUITE(github_tags)

BOOST_AUTO_TEST_CASE(an_asset_names_its_release) {
  const auto release =
      github_tag("https://github.com/owner/a.repo/releases/download/v1%2B2/file-1.zip");
  BOOST_REQUIRE(release.has_value());
  BOOST_TEST(release->repository == "owner/a.repo");
  BOOST_TEST(release->tag == "v1%2B2");
  BOOST_TEST(release->page() == "https://github.com/owner/a.repo/releases/tag/v1%2B2");
}

BOOST_AUTO_TEST_CASE(addresses_that_are_no_release_of_github_name_no_tag) {
  for (const char* url : {"", "https://example.org/owner/repo/releases/download/v1/a.zip",
                          "http://github.com/owner/repo/releases/download/v1/a.zip",
                          "https://github.com/owner/repo/archive/v1.zip",
                          "https://github.com/owner/repo/releases/download/v1",
                          "https://github.com/owner/repo/releases/download/v1/a/b.zip",
                          "https://github.com//repo/releases/download/v1/a.zip"}) {
    BOOST_TEST(!github_tag(url));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::domain
