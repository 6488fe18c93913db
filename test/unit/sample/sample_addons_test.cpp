// The sample packs name plugins that are there.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>

#include "app/domain/manifest.hpp"

namespace goldsmith {
namespace {

const std::filesystem::path kSample =
    std::filesystem::path(GOLDSMITH_SOURCE_DIR) / "test/fixtures/sample";

std::vector<domain::AddonPack> packs() {
  std::vector<domain::AddonPack> all;
  for (const auto& entry : std::filesystem::directory_iterator(kSample / "addons")) {
    for (auto& pack : domain::read_addons(entry.path())) all.push_back(pack);
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sample_addons)

BOOST_AUTO_TEST_CASE(there_are_two_published_packs) {
  BOOST_TEST(packs().size() == 2U);
  for (const domain::AddonPack& pack : packs()) {
    BOOST_TEST((pack.status == domain::Status::published), pack.slug);
  }
}

BOOST_AUTO_TEST_CASE(a_pack_names_plugins_of_the_sample_data_and_at_least_four_are_published) {
  std::map<domain::Slug, domain::Status> status;
  for (const auto& entry : std::filesystem::directory_iterator(kSample / "plugins")) {
    const domain::Plugin plugin = domain::read_plugin(entry.path());
    status[plugin.slug] = plugin.status;
  }
  for (const domain::AddonPack& pack : packs()) {
    std::size_t published = 0;
    for (const domain::Slug& slug : pack.plugins) {
      BOOST_TEST(status.contains(slug), pack.slug << " names " << slug);
      if (status[slug] == domain::Status::published) ++published;
    }
    BOOST_TEST(published >= 4U, pack.slug);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith
