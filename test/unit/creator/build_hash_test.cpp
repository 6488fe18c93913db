// What changes the fingerprint and what does not (decision S8).
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "test/unit/creator/builders.hpp"

namespace goldsmith::creator {
namespace {

using domain::Layer;
using Sections = std::vector<domain::OverlaySection>;

const SelectionRequest kRecommended = parse_selection_request(std::nullopt, std::nullopt, false);
const SelectionRequest kOptimized = parse_selection_request(std::nullopt, std::nullopt, true);

// The usual stack with one change.
template <class Change>
std::string hash_after(Change change) {
  auto components = usual_stack();
  change(components);
  return planned(kRecommended, catalog_of(std::move(components))).build_hash;
}

std::string hash_of(const PluginOutcome& plugin) {
  return planned(kRecommended, catalog_of(usual_stack()), {plugin}).build_hash;
}

const std::string& usual_hash() {
  static const std::string hash = hash_after([](auto&) {});
  return hash;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(build_hashes)

BOOST_AUTO_TEST_CASE(the_hash_is_lower_case_hex_of_sha_256) {
  BOOST_TEST(usual_hash().size() == 64U);
  BOOST_TEST(usual_hash().find_first_not_of("0123456789abcdef") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_hash_of_a_known_stack_stays_what_it_is) {
  // Caches and entity tags outlive a release: change this value only on purpose.
  BOOST_TEST(usual_hash() == "c58eeb630cf6ff104e5c5eae34fcdedc5efeb17b91b4a8138161fa71a6bfbbad");
}

BOOST_AUTO_TEST_CASE(mirrored_content_version_and_slug_change_the_hash) {
  BOOST_TEST(usual_hash() != hash_after([](auto& all) { all[0].versions[0].digest = "other"; }));
  BOOST_TEST(usual_hash() != hash_after([](auto& all) { all[0].versions[0].version = "1.1"; }));
  BOOST_TEST(usual_hash() != hash_after([](auto& all) { all[0].slug = "engine-2"; }));
  BOOST_TEST(usual_hash() != hash_after([](auto& all) { all.erase(all.begin()); }));
}

BOOST_AUTO_TEST_CASE(a_time_changes_the_hash) {
  BOOST_TEST(usual_hash() != hash_after([](auto& all) {
               all[0].versions[0].released_at = "2025-05-05 05:05:05"_utc;
             }));
}

BOOST_AUTO_TEST_CASE(load_order_changes_the_hash) {
  BOOST_TEST(usual_hash() != hash_after([](auto& all) { all[0].sort_order = 99; }));
}

BOOST_AUTO_TEST_CASE(content_of_generated_files_changes_the_hash) {
  BOOST_TEST(usual_hash() !=
             hash_after([](auto& all) { all[2].loads.metamod_loader = "addons/other.so"; }));
  BOOST_TEST(usual_hash() !=
             hash_after([](auto& all) { all[3].loads.metamod_plugin = "addons/other.so"; }));
}

BOOST_AUTO_TEST_CASE(data_that_is_not_in_the_archive_does_not_change_the_hash) {
  BOOST_TEST(usual_hash() == hash_after([](auto& all) {
               all[0].name = "New name";
               all[0].description = "New words";
               all[0].advice = {{"New advice"}};
               all[0].rules.push_back({domain::RuleKind::recommends, "nobody", ""});
               all[0].versions[0].size_bytes = 12345;
               all[1].loads.gamedll = "dlls/unused.so";  // liblist.gam names the loader
               all.push_back(A("unused", Layer::module).version("1"));
             }));
}

BOOST_AUTO_TEST_CASE(how_a_component_came_into_the_selection_does_not_change_the_hash) {
  const auto catalog = catalog_of(
      {A("a", Layer::module, 1).brings("b").version("1"), A("b", Layer::module, 2).version("1")});
  BOOST_TEST(planned(asking("a"), catalog).build_hash ==
             planned(asking("b@1,a@1"), catalog).build_hash);
}

BOOST_AUTO_TEST_CASE(skipped_plugins_do_not_change_the_hash) {
  BOOST_TEST(usual_hash() == hash_of(skipped("x", SkipReason::unknown)));
  BOOST_TEST(usual_hash() == hash_of(skipped("x", SkipReason::rejected)));
}

BOOST_AUTO_TEST_CASE(every_part_of_an_included_plugin_changes_the_hash) {
  const PluginOutcome plugin = compiled("p", "p", {plugin_file("", "x.cfg", "1")});
  const std::string hash = hash_of(plugin);
  BOOST_TEST(hash != usual_hash());
  const auto changed = [&](auto change) {
    PluginOutcome other = plugin;
    change(other, std::get<CompiledPlugin>(other.result));
    return hash_of(other);
  };
  BOOST_TEST(hash != changed([](auto&, auto& p) { p.binary += "!"; }));
  BOOST_TEST(hash != changed([](auto&, auto& p) { p.version.files[0].sha256 = "2"; }));
  BOOST_TEST(hash != changed([](auto&, auto& p) { p.version.files[0].filename = "y.cfg"; }));
  BOOST_TEST(hash != changed([](auto&, auto& p) { p.version.version = "1.1"; }));
  BOOST_TEST(hash != changed([](auto&, auto& p) { p.content_digest = "other"; }));
  BOOST_TEST(hash != changed([](auto&, auto& p) { p.toolchain_fingerprint = "other"; }));
  BOOST_TEST(hash != changed([](auto& p, auto&) { p.slug = "q"; }));
  BOOST_TEST(hash !=
             changed([](auto&, auto& p) { p.version.created_at = "2025-05-05 05:05:05"_utc; }));
}

BOOST_AUTO_TEST_CASE(a_plugin_without_a_file_in_the_archive_does_not_change_the_hash) {
  const auto catalog =
      catalog_of(usual_stack() + std::vector<domain::Component>{
                                     A("extra", Layer::module, 50)
                                         .by_default()
                                         .with({"cstrike/addons/amxmodx/plugins/p.amxx",
                                                "cstrike/addons/amxmodx/scripting/p.sma"})});
  BOOST_TEST(planned(kRecommended, catalog, {compiled("p", "p")}).build_hash ==
             planned(kRecommended, catalog).build_hash);
}

BOOST_AUTO_TEST_CASE(optimized_without_a_section_that_applies_changes_neither_hash_nor_files) {
  const auto catalog = catalog_of(usual_stack());
  const Plan plain = planned(kRecommended, catalog);
  for (const Sections& sections :
       {Sections{}, Sections{{"hlds_linux", domain::Slug("absent"), 0, "x"}},
        Sections{{"cstrike/absent.cfg", {}, 0, "x"}}}) {
    const Plan tuned = planned(kOptimized, catalog, {}, sections);
    BOOST_TEST(tuned.build_hash == plain.build_hash);
    BOOST_TEST(paths(tuned) == paths(plain), boost::test_tools::per_element());
    BOOST_TEST(tuned.total_bytes == plain.total_bytes);
    BOOST_TEST(tuned.optimized);
  }
}

BOOST_AUTO_TEST_CASE(an_overlay_that_applies_changes_the_hash_and_so_does_its_content) {
  const auto catalog = catalog_of(usual_stack());
  const auto tuned = [&](const std::string& content) {
    return planned(kOptimized, catalog, {}, {{"hlds_linux", {}, 0, content}}).build_hash;
  };
  BOOST_TEST(tuned("a") != usual_hash());
  BOOST_TEST(tuned("a") != tuned("b"));
  BOOST_TEST(tuned("a") == tuned("a\n"));  // the same file
}

BOOST_AUTO_TEST_CASE(the_executable_bit_of_an_edited_file_changes_the_hash) {
  const auto tuned = [](bool executable) {
    auto components = usual_stack();
    components[0].versions[0].files[0].executable = executable;
    return planned(kOptimized, catalog_of(std::move(components)), {},
                   {{"hlds_linux", {}, 0, "text"}})
        .build_hash;
  };
  BOOST_TEST(tuned(true) != tuned(false));
}

BOOST_AUTO_TEST_CASE(no_two_different_lists_of_fields_hash_alike) {
  const auto hash = [](std::string content_digest, std::string toolchain_fingerprint) {
    PluginOutcome plugin = compiled("p", "p");
    auto& result = std::get<CompiledPlugin>(plugin.result);
    result.content_digest = std::move(content_digest);
    result.toolchain_fingerprint = std::move(toolchain_fingerprint);
    return planned(kRecommended, catalog_of(usual_stack()), {std::move(plugin)}).build_hash;
  };
  BOOST_TEST(hash("1 2", "3") != hash("1", "2 3"));
  BOOST_TEST(hash("a 1:1", "2") != hash("a", "1:1 2"));
  BOOST_TEST(hash("1\n", "2") != hash("1", "\n2"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
