#include "app/start/matrix_rules.hpp"

#include <algorithm>
#include <cstddef>

#include "app/creator/selection.hpp"

namespace goldsmith::start {
namespace {

// What the row of one version says, without its versions. `runs`: with the others, ascending.
std::vector<Proposal> proposals_of(const std::vector<bool>& runs,
                                   const std::vector<std::string>& others, bool is_required) {
  const auto first = std::find(runs.begin(), runs.end(), true);
  if (first == runs.end()) return {{"conflicts", "", ""}};
  const auto last = std::find(runs.rbegin(), runs.rend(), true).base();  // behind it
  if (std::find(first, last, false) != last) return {};                  // no range
  const std::string& lowest = others[static_cast<std::size_t>(first - runs.begin())];
  const std::string& highest = others[static_cast<std::size_t>(last - runs.begin() - 1)];
  const bool has_lower = first != runs.begin();
  const bool has_upper = last != runs.end();
  if (!has_lower && !has_upper) return {};
  if (is_required) {
    const std::string lower = has_lower ? ">=" + lowest : "";
    const std::string upper = has_upper ? "<=" + highest : "";
    return {{"requires", "", lower + (has_lower && has_upper ? " " : "") + upper}};
  }
  std::vector<Proposal> proposals;
  if (has_lower) proposals.push_back({"conflicts", "", "<" + lowest});
  if (has_upper) proposals.push_back({"conflicts", "", ">" + highest});
  return proposals;
}

}  // namespace

std::vector<Proposal> proposals_of(const domain::Component& a, const domain::Component& b,
                                   const Matrix& matrix) {
  // What never runs is not about the pair.
  if (std::ranges::none_of(matrix.pairs, &Pair::runs)) {
    return {};
  }
  std::vector<std::string> others;
  for (const domain::ComponentVersion* version : matrix.columns) {
    others.push_back(version->version.str());
  }
  std::vector<Proposal> proposals;
  std::vector<Proposal> former;  // of the row before
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    std::vector<bool> runs;
    for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
      runs.push_back(matrix.pairs[row * matrix.columns.size() + i].runs());
    }
    const bool is_required =
        std::ranges::any_of(creator::rules_of(a, domain::RuleKind::requires_, matrix.rows[row]),
                            [&](const domain::Rule& rule) { return rule.component == b.slug; });
    const std::vector<Proposal> now = proposals_of(runs, others, is_required);
    const std::string version = matrix.rows[row]->version.str();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now == former) {
        std::string& versions = proposals[proposals.size() - now.size() + i].versions;
        versions.replace(0, 1, versions.front() == '=' ? ">=" : ">");
        versions = versions.substr(0, versions.find(' ')) + " <=" + version;
      } else {
        proposals.push_back({now[i].rule, "=" + version, now[i].with_versions});
      }
    }
    former = now;
  }
  return proposals;
}

}  // namespace goldsmith::start
