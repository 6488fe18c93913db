// Properties that hold for any catalog and request, checked with thousands of random ones.
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <sstream>

#include "app/creator/file_times.hpp"
#include "app/creator/recommended.hpp"
#include "app/creator/server_builds.hpp"
#include "app/domain/names.hpp"
#include "test/unit/creator/builders.hpp"
#include "test/unit/creator/properties.hpp"
#include "test/unit/creator/random_cases.hpp"

namespace goldsmith::creator {
namespace {

constexpr int kRounds = 2500;

// Everything that determines the bytes of the archive.
std::string ingredients(const Plan& plan) {
  std::ostringstream text;
  std::set<std::string> plugins;
  for (const Selected& each : plan.selection.components) {
    text << each.component->slug << ' ' << each.version->digest << ' '
         << domain::format_timestamp(time_of(*each.version)) << '\n';
  }
  for (const PlannedFile& file : plan.files) {
    if (std::holds_alternative<PlannedFile::FromDepot>(file.source)) continue;
    const auto* content = std::get_if<std::string>(&file.source);
    text << file.path << (file.executable ? " * " : " ") << file.size << ' '
         << (content != nullptr ? *content : file.sha256) << ' '
         << domain::format_timestamp(file.modified);
  }
  return text.str();
}

// The plugins of a plan, with everything that identifies their content.
std::string included(const Plan& plan, const std::vector<PluginOutcome>& plugins) {
  std::set<std::string> from;
  for (const PlannedFile& file : plan.files) from.insert(file.from);
  std::string text;
  for (const PluginOutcome& plugin : plugins) {
    if (!from.contains("plugin:" + plugin.slug)) continue;
    const auto& compiled = std::get<CompiledPlugin>(plugin.result);
    text +=
        plugin.slug + " " + compiled.content_digest + " " + compiled.toolchain_fingerprint + "\n";
  }
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(properties)

BOOST_AUTO_TEST_CASE(order_and_repetition_never_matter_and_a_valid_selection_keeps_every_rule) {
  RandomCases cases(20'240'101);
  int valid_ones = 0;
  int invalid_ones = 0;
  for (int round = 0; round < kRounds; ++round) {
    const domain::Catalog catalog = cases.catalog();
    const SelectionRequest request = random_request(cases, catalog, {});
    const SelectionResult result = select(request, catalog, {});
    BOOST_TEST(as_text(select(rephrased(cases, request), catalog, {})) == as_text(result));
    if (const auto* report = std::get_if<InvalidSelection>(&result)) {
      check_order(*report);
      ++invalid_ones;
    } else if (const auto* selection = std::get_if<Selection>(&result)) {
      check_rules(*selection, catalog);
      ++valid_ones;
    }
  }
  BOOST_TEST(valid_ones > kRounds / 20);  // otherwise the cases prove little
  BOOST_TEST(invalid_ones > kRounds / 20);
}

BOOST_AUTO_TEST_CASE(the_recommended_server_lacks_nothing_that_it_needs) {
  RandomCases cases(58);
  const SelectionRequest request = parse_selection_request(std::nullopt, std::nullopt, false);
  int with_absences = 0;
  for (int round = 0; round < kRounds; ++round) {
    const domain::Catalog catalog = cases.catalog();
    const Recommended found = recommended(catalog);
    if (found.components.empty()) continue;
    const SelectionResult result = select(request, catalog, {});
    if (const auto* report = std::get_if<InvalidSelection>(&result)) {
      BOOST_TEST(report->unknown.empty());
      BOOST_TEST(report->unavailable.empty());
      BOOST_TEST(report->missing_requires.empty());
    } else if (!found.absences.empty()) {
      ++with_absences;
    }
  }
  BOOST_TEST(with_absences > kRounds / 20);
}

BOOST_AUTO_TEST_CASE(a_plan_is_sorted_adds_up_and_depends_on_no_order) {
  RandomCases cases(42);
  int plans = 0;
  for (int round = 0; round < kRounds; ++round) {
    const domain::Catalog catalog = cases.catalog();
    std::vector<PluginOutcome> plugins = cases.plugins();
    std::vector<domain::OverlaySection> overlays = cases.overlays(catalog);
    const SelectionRequest request = random_request(cases, catalog, plugins);
    SelectionResult result = select(request, catalog, {});
    if (!std::holds_alternative<Selection>(result)) continue;
    const Selection& selection = std::get<Selection>(result);
    const Plan plan = make_plan({request, selection, plugins, overlays});
    check_files(plan);

    cases.shuffle(plugins);
    cases.shuffle(overlays);
    if (!plugins.empty()) plugins.push_back(plugins.front());
    const Plan again = make_plan({rephrased(cases, request), selection, plugins, overlays});
    BOOST_TEST(again.build_hash == plan.build_hash);
    BOOST_TEST(files_of(again) == files_of(plan));
    BOOST_TEST(again.download_query == plan.download_query);
    ++plans;
  }
  BOOST_TEST(plans > kRounds / 20);
}

BOOST_AUTO_TEST_CASE(the_hash_changes_exactly_when_what_the_archive_is_made_of_changes) {
  RandomCases cases(7);
  std::map<std::string, std::string> by_hash;
  std::map<std::string, std::string> by_ingredients;
  for (int round = 0; round < kRounds; ++round) {
    const domain::Catalog catalog = cases.catalog();
    for (int variant = 0; variant < 4; ++variant) {
      const std::vector<PluginOutcome> plugins = cases.plugins();
      const SelectionRequest request = random_request(cases, catalog, plugins);
      SelectionResult result = select(request, catalog, {});
      if (!std::holds_alternative<Selection>(result)) continue;
      const Plan plan = make_plan(
          {request, std::get<Selection>(std::move(result)), plugins, cases.overlays(catalog)});
      const std::string made_of = ingredients(plan) + included(plan, plugins);
      BOOST_TEST(by_hash.emplace(plan.build_hash, made_of).first->second == made_of);
      BOOST_TEST(by_ingredients.emplace(made_of, plan.build_hash).first->second == plan.build_hash);
    }
  }
  BOOST_TEST(by_hash.size() > 100U);
}

BOOST_AUTO_TEST_CASE(the_download_query_leads_to_the_same_build) {
  RandomCases cases(1999);
  for (int round = 0; round < kRounds; ++round) {
    const domain::Catalog catalog = cases.catalog();
    const std::vector<PluginOutcome> plugins = cases.plugins();
    const std::vector<domain::OverlaySection> overlays = cases.overlays(catalog);
    const SelectionRequest request = random_request(cases, catalog, plugins);
    SelectionResult result = select(request, catalog, {});
    if (!std::holds_alternative<Selection>(result)) continue;
    const Plan plan =
        make_plan({request, std::get<Selection>(std::move(result)), plugins, overlays});

    const SelectionRequest again = parsed(plan.download_query);
    const Plan same = make_plan({again, valid(again, catalog), plugins, overlays});
    BOOST_TEST(same.build_hash == plan.build_hash);
    BOOST_TEST(same.download_query == plan.download_query);
    BOOST_TEST(files_of(same) == files_of(plan));

    const SelectionRequest exact = parsed(plan.build_query);
    const Plan pinned = make_plan({exact, valid(exact, catalog), plugins, overlays});
    BOOST_TEST(pinned.build_hash == plan.build_hash);
    BOOST_TEST(pinned.build_query == plan.build_query);
  }
}

BOOST_AUTO_TEST_CASE(any_bytes_are_a_valid_request_and_reported_back_as_text) {
  RandomCases cases(5);
  const domain::Catalog catalog = catalog_of(usual_stack());
  for (int round = 0; round < kRounds; ++round) {
    const std::string components = cases.bytes(60) + (cases.chance(50) ? ",engine@" : "");
    const std::string plugins = cases.bytes(60);
    const SelectionRequest request = parse_selection_request(components, plugins, false);
    BOOST_TEST(domain::is_utf8(as_text(select(request, catalog, {"p"}))));
    for (const Token& plugin : request.plugins) BOOST_TEST(domain::is_utf8(spelled(plugin)));
  }
}

BOOST_AUTO_TEST_CASE(any_bytes_have_a_preview_that_is_text) {
  RandomCases cases(11);
  for (int round = 0; round < kRounds; ++round) {
    const std::string file = cases.bytes(40);
    const Preview result = preview(file, file.size());
    BOOST_TEST(domain::is_utf8(result.content));
    BOOST_TEST(!result.truncated);
    BOOST_TEST((!result.binary || result.content.empty()));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::creator
