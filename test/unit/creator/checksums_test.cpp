#include "app/creator/plan.hpp"

#include <boost/test/unit_test.hpp>

#include "app/base/digest.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace checksums {
namespace {

using domain::Layer;

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
  const auto sum_of = [&](std::string_view path) {
    return base::sha256_hex(std::get<std::string>(find_file(plan, path)->source));
  };
  BOOST_TEST(checksum_list(plan) ==
             kSum + "  B b.so\n" + sum_of("cstrike/addons/metamod/plugins.ini") +
                 "  cstrike/addons/metamod/plugins.ini\n" + sum_of("cstrike/liblist.gam") +
                 "  cstrike/liblist.gam\n" + kSum + "  z.so\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
