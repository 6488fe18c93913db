#include <boost/test/unit_test.hpp>

#include "app/pawn/includes.hpp"

using namespace goldsmith;

namespace {

using DeclaredNames = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(declared_names)

BOOST_AUTO_TEST_CASE(each_kind_of_declaration_is_found) {
  const DeclaredNames names = pawn::declared_names(R"(
#if defined _vip_included
  #endinput
#endif
#define _vip_included
#pragma reqlib vip
#define VIP_MAX 32
  #define VIP_CHECK(%1) (1 <= %1 <= 32)
// native vip_commented(id);
/* native vip_too(id); */
enum VipFunc { RG_VIP_Spawn = 1, Float:RG_VIP_Die, VIP_SIZES[4] };
enum (<<= 1) { VIP_A = 1, VIP_B }
const VIP_LAST = 7;
stock const VIP_NAMES[][] = { "native vip_in_text(", "b" };
native vip_get(id, const name[] = "native x(");
native Float:vip_time(id);
native { Float, _ }:vip_any(id, any:...);
native Float:operator*(Float:one, Float:two) = floatmul;
forward vip_spawned(id);
forward bool:vip_killed(id, killer);
stock vip_is_new(id)
{
  new local = 1;
  if (local) return vip_get(id);
  return 0;
}
stock bool:vip_old(id) { return false; }
public const VIP_PUBLIC = 3;
)");
  const DeclaredNames expected{"c:RG_VIP_Die", "c:RG_VIP_Spawn", "c:VIP_A",       "c:VIP_B",
                               "c:VIP_CHECK",  "c:VIP_LAST",     "c:VIP_MAX",     "c:VIP_SIZES",
                               "c:VipFunc",    "f:vip_killed",   "f:vip_spawned", "n:vip_any",
                               "n:vip_get",    "n:vip_time",     "s:VIP_NAMES",   "s:VIP_PUBLIC",
                               "s:vip_is_new", "s:vip_old"};
  BOOST_TEST(names == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(any_text_can_be_searched_for_declarations) {
  BOOST_TEST(pawn::declared_names("").empty());
  BOOST_TEST(pawn::declared_names("native").empty());
  BOOST_TEST(pawn::declared_names("native (").empty());
  BOOST_TEST(pawn::declared_names("enum { ").empty());
  BOOST_TEST(pawn::declared_names("#define").empty());
  BOOST_TEST(pawn::declared_names("stock const").empty());
  const std::string long_name(200, 'a');
  BOOST_TEST(pawn::declared_names("native " + long_name + "();").empty());
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "native x" + std::to_string(i) + "();\n";
  BOOST_TEST(pawn::declared_names(many).size() == 16'384U);
}

BOOST_AUTO_TEST_SUITE_END()
