// Properties of selections and plans that hold for any catalog and request. The checks throw
// std::logic_error where one does not.
#pragma once

#include <string>
#include <vector>

#include "app/creator/plan.hpp"
#include "test/unit/creator/random_cases.hpp"

namespace goldsmith::creator {

// All that is said of a selection, and of the files of a plan.
std::string as_text(const SelectionResult& result);
std::string files_of(const Plan& plan);

// Each list of a report is sorted.
void check_order(const InvalidSelection& report);
// An independent implementation of the rules.
void check_rules(const Selection& selection, const domain::Catalog& catalog);
// Files are sorted, found by their paths, from where they say, and add up.
void check_files(const Plan& plan);

// What a query, as in Plan::download_query, asks for.
SelectionRequest parsed(const std::string& query);

SelectionRequest random_request(RandomCases& cases, const domain::Catalog& catalog,
                                const std::vector<PluginOutcome>& plugins);
// `request`, shuffled and with repetitions.
SelectionRequest rephrased(RandomCases& cases, SelectionRequest request);

}  // namespace goldsmith::creator
