#include "app/creator/plan.hpp"

#include <boost/test/unit_test.hpp>

#include "app/sys/digest.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace checksums {
namespace {

using domain::Layer;
using Texts = std::vector<std::string>;

const std::string kSum(64, '7');

domain::Component with_sum(const domain::Slug& slug, const std::string& path,
                           const std::string& sum) {
  return A(slug, Layer::module).version("1.0", "2024-01-01 00:00:00"_utc, {{path, 1, false, sum}});
}

}  // namespace
}  // namespace checksums

BOOST_AUTO_TEST_SUITE(checksums)

BOOST_AUTO_TEST_CASE(every_file_has_a_line_in_the_order_of_the_paths) {
  const auto catalog = catalog_of({with_sum("a", "z.so", kSum), with_sum("b", "B b.so", kSum)});
  const Plan plan = planned(asking("a,b"), catalog);
  BOOST_TEST(without_checksums(plan).empty());
  const auto sum_of = [&](std::string_view path) {
    return sys::sha256_hex(std::get<std::string>(find_file(plan, path)->source));
  };
  BOOST_TEST(checksum_list(plan) ==
             kSum + "  B b.so\n" + sum_of("cstrike/addons/metamod/plugins.ini") +
                 "  cstrike/addons/metamod/plugins.ini\n" + sum_of("cstrike/liblist.gam") +
                 "  cstrike/liblist.gam\n" + kSum + "  z.so\n");
}

BOOST_AUTO_TEST_CASE(components_without_recorded_digests_are_named_in_load_order) {
  const auto catalog = catalog_of(
      {with_sum("a", "a.so", ""), with_sum("b", "b.so", kSum), with_sum("c", "c.so", "")});
  BOOST_TEST((without_checksums(planned(asking("c,b,a"), catalog)) == Texts{"a 1.0", "c 1.0"}));
  BOOST_TEST(without_checksums(planned(asking("b"), catalog)).empty());
}

BOOST_AUTO_TEST_CASE(a_file_that_another_component_replaces_needs_no_digest) {
  const auto catalog =
      catalog_of({with_sum("a", "shared.so", ""), with_sum("b", "shared.so", kSum)});
  BOOST_TEST(without_checksums(planned(asking("a,b"), catalog)).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
