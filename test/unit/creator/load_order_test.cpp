// The order in which plugins load (decision S35).
#include "app/creator/load_order.hpp"

#include <boost/test/unit_test.hpp>
#include <variant>

#include "app/creator/plan.hpp"
#include "app/domain/failure.hpp"
#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

// A plugin whose natives and libraries have names of one word.
PluginOutcome plugin(const std::string& slug, std::vector<std::string> calls = {},
                     std::vector<std::string> offers = {}, std::vector<std::string> requires_ = {},
                     std::vector<std::string> registers = {}) {
  PluginOutcome outcome = compiled(slug, slug);
  domain::PluginNeeds needs;
  needs.natives = domain::PluginNatives{std::move(calls), std::move(offers)};
  for (std::string& name : requires_) needs.required.push_back({std::move(name)});
  needs.registers = std::move(registers);
  std::get<CompiledPlugin>(outcome.result).needs = std::move(needs);
  return outcome;
}

Plan plan_with(std::vector<PluginOutcome> plugins, std::string_view order = "") {
  std::string names;
  for (const PluginOutcome& each : plugins) names += each.slug + ",";
  const domain::Catalog catalog = catalog_of(usual_stack());
  return planned(parse_selection_request(std::nullopt, names, false, order), catalog,
                 std::move(plugins));
}

// The slugs in the order of loading, from the places of the plan.
std::string loaded(const Plan& plan) {
  std::vector<std::string> slugs(plan.requested.size());
  for (const RequestedPlugin& each : plan.requested) slugs.at(each.place - 1) = each.slug;
  std::string text;
  for (const std::string& slug : slugs) text += slug + ' ';
  return text;
}

std::string listed(const Plan& plan) {
  return std::get<std::string>(find_file(plan, kPluginListPath)->source);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(order_of_loading)

BOOST_AUTO_TEST_CASE(slugs_decide_where_nothing_else_does) {
  const Plan plan = plan_with({plugin("c"), plugin("a"), plugin("b")});
  BOOST_TEST(loaded(plan) == "a b c ");
  BOOST_TEST(listed(plan).ends_with("\na.amxx\nb.amxx\nc.amxx\n"));
  BOOST_TEST(!plan.requested[1].is_bound);
}

BOOST_AUTO_TEST_CASE(what_is_wanted_first_is_first) {
  const auto with = [](std::string_view order) {
    return loaded(plan_with({plugin("a"), plugin("b"), plugin("c")}, order));
  };
  BOOST_TEST(with("c") == "c a b ");
  BOOST_TEST(with("c,b") == "c b a ");
  BOOST_TEST(with(" b ,c,b,") == "b c a ");
}

BOOST_AUTO_TEST_CASE(the_order_is_in_the_address_and_the_list_alone_in_the_hash) {
  const std::vector<PluginOutcome> plugins{plugin("a"), plugin("b")};
  const Plan plain = plan_with(plugins);
  const Plan same = plan_with(plugins, "a,b");
  const Plan other = plan_with(plugins, "b");
  BOOST_TEST(same.build_hash == plain.build_hash);
  BOOST_TEST(other.build_hash != plain.build_hash);
  BOOST_TEST(plain.download_query.find("order") == std::string::npos);
  BOOST_TEST(other.download_query.ends_with("&order=b"), other.download_query);
}

BOOST_AUTO_TEST_CASE(who_offers_comes_before_who_uses) {
  const PluginOutcome user = plugin("a", {"get_points"});
  const PluginOutcome provider = plugin("z", {}, {"get_points", "set_points"});
  const Plan plan = plan_with({user, plugin("m"), provider});
  BOOST_TEST(loaded(plan) == "z a m ");
  BOOST_TEST(plan.requested[0].is_bound);
  BOOST_TEST(!plan.requested[1].is_bound);
  // Also before what the caller wants first.
  BOOST_TEST(loaded(plan_with({user, plugin("m"), provider}, "m,a")) == "m z a ");
  BOOST_TEST(loaded(plan_with({plugin("a", {}, {}, {"points"}), plugin("b"),
                               plugin("c", {}, {}, {}, {"points"})})) == "c a b ");
  // Through another.
  BOOST_TEST(loaded(plan_with({plugin("a", {"x"}), plugin("b", {"y"}, {"x"}),
                               plugin("c", {}, {"y"})})) == "c b a ");
}

BOOST_AUTO_TEST_CASE(plugins_that_use_each_other_keep_their_order) {
  BOOST_TEST(loaded(plan_with(
                 {plugin("a"), plugin("b", {"x"}, {"y"}), plugin("c", {"y"}, {"x"})})) == "a b c ");
  BOOST_TEST(loaded(plan_with({plugin("b", {"x"}, {"y"}), plugin("c", {"y", "z"}, {"x"}),
                               plugin("d", {}, {"z"})})) == "b d c ");
  BOOST_TEST(loaded(plan_with({plugin("a", {"x"}, {"x"})})) == "a ");
}

BOOST_AUTO_TEST_CASE(a_name_that_begins_another_comes_before_it) {
  const Plan plan = plan_with({plugin("x"), plugin("x.amxx")}, "x.amxx");
  BOOST_TEST(loaded(plan) == "x x.amxx ");
}

BOOST_AUTO_TEST_CASE(what_is_not_selected_is_named) {
  check_order(parse_selection_request(std::nullopt, "a,b@1.0", false, "b,a"));
  try {
    check_order(parse_selection_request(std::nullopt, "a", false, "a,b"));
    BOOST_ERROR("accepted");
  } catch (const domain::Failure& failure) {
    BOOST_TEST((failure.code == domain::Error::bad_request));
    BOOST_TEST((failure.fields.at("parameter") == json::Value("order")));
    BOOST_TEST(failure.cause.starts_with("\"b\" is not among the plugins"), failure.cause);
  }
}

BOOST_AUTO_TEST_CASE(packs_name_an_order_that_is_not_of_their_slugs) {
  BOOST_TEST(pack_query({"a", "b"}) == "plugins=a,b");
  BOOST_TEST(pack_query({"b", "a"}) == "plugins=b,a&order=b,a");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
