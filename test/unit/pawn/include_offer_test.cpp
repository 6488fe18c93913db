// What an include offers, of real shapes and hostile ones.
#include "app/pawn/include_offer.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "app/pawn/text_reader.hpp"

namespace goldsmith::pawn {
namespace {

// "NATIVE NUMBER" and "NAME FIRST".
std::vector<std::string> offered(const std::string& include) {
  const Offer offer = TextReader().offer(include);
  std::vector<std::string> all;
  for (const Hook& hook : offer.hooks) all.push_back(hook.native + ' ' + hook.number);
  for (const NamedEnum& each : offer.enumerations) all.push_back(each.name + ' ' + each.first);
  return all;
}

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

using Names = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(include_offers)

BOOST_AUTO_TEST_CASE(hooks_and_enumerations_with_a_name_are_offered) {
  BOOST_TEST(offered("#include <x>\nenum { NOTHING }\nenum HookFunc (<<= 1) { HF_FIRST = 1, B };\n"
                     "native Hook(HookFunc:func_id, const callback[], post = 0);\n"
                     "native Other(func_id, name[]);\nnative More(func_id, const name[], must);\n"
                     "native Text(const a[], const b[]);\n") ==
                 (Names{"Hook func_id", "HookFunc HF_FIRST"}),
             boost::test_tools::per_element());
  BOOST_TEST((TextReader().offer("#include <x>\n#tryinclude \"y\"\n").includes == Names{"x", "y"}));
}

BOOST_AUTO_TEST_CASE(what_is_no_name_is_left_out) {
  BOOST_TEST(offered("enum A { \"x\n\" }\nenum B { 12 }\nenum C { }\nenum D {").empty());
  BOOST_TEST(offered("native f(1, const a[]);\nnative \"f\"(id, const a[]);\n").empty());
  BOOST_TEST(offered("enum " + std::string(300, 'a') + " { FIRST }\n").empty());
}

BOOST_AUTO_TEST_CASE(of_an_include_that_offers_too_much_the_first_are_taken) {
  BOOST_TEST(offered(repeated("enum A { B }\n", 1U << 20)).size() == kMostOffered);
}

// Each would take minutes if what is within a declaration were read as others, too.
BOOST_AUTO_TEST_CASE(time_is_in_proportion_to_the_size) {
  constexpr std::size_t kSize = 1U << 20;
  BOOST_TEST(offered(repeated("enum ", kSize)).empty());
  BOOST_TEST(offered(repeated("native ", kSize)).empty());
  const std::string begun = repeated("native a(x, const native ", kSize);
  BOOST_TEST(offered(begun).empty());
  const auto opened = static_cast<std::size_t>(std::ranges::count(begun, '('));
  BOOST_TEST(offered(begun + "b[]" + std::string(opened, ')')).size() <= 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::pawn
