// Selections and plans of catalogs, plugins and requests that the input makes up.
#include "app/creator/selection.hpp"

#include "app/domain/names.hpp"
#include "test/fuzz/target.hpp"
#include "test/unit/creator/properties.hpp"

namespace {

using namespace goldsmith;
using namespace goldsmith::creator;
using fuzz::require;

void check_plan(RandomCases& cases, const domain::Catalog& catalog, const SelectionRequest& request,
                const Selection& selection, const std::vector<PluginOutcome>& plugins) {
  const std::vector<domain::OverlaySection> overlays = cases.overlays(catalog);
  const Plan plan = make_plan({request, selection, plugins, overlays});
  check_files(plan);
  const SelectionRequest again = parsed(plan.download_query);
  const SelectionResult result = select(again, catalog, {});
  require(std::holds_alternative<Selection>(result), "the query of a plan is valid");
  const Plan same = make_plan({again, std::get<Selection>(result), plugins, overlays});
  require(same.build_hash == plan.build_hash && files_of(same) == files_of(plan),
          "and leads to the same build");
  require(same.download_query == plan.download_query, "with the same query");
}

}  // namespace

FUZZ_TARGET(selection, "app/creator/") {
  const std::string_view components = fuzz::take_until(input, '\n');
  const std::string_view names = fuzz::take_until(input, '\n');
  RandomCases cases([&input] { return fuzz::take_byte(input); });
  const domain::Catalog catalog = cases.catalog();
  const std::vector<PluginOutcome> plugins = cases.plugins();

  const SelectionRequest hostile = parse_selection_request(components, names, false);
  require(domain::is_utf8(as_text(select(hostile, catalog, {"p"}))),
          "any request is answered with text");
  for (const Token& plugin : hostile.plugins)
    require(domain::is_utf8(spelled(plugin)), "names, too");

  const SelectionRequest request = random_request(cases, catalog, plugins);
  const SelectionResult result = select(request, catalog, {});
  require(as_text(select(rephrased(cases, request), catalog, {})) == as_text(result),
          "order and repetition do not matter");
  if (const auto* report = std::get_if<InvalidSelection>(&result)) check_order(*report);
  if (const auto* selection = std::get_if<Selection>(&result)) {
    check_rules(*selection, catalog);
    check_plan(cases, catalog, request, *selection, plugins);
  }
}
