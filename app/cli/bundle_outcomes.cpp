#include "app/cli/bundle_outcomes.hpp"

#include <utility>

#include <fmt/core.h>

#include "app/cli/output.hpp"

namespace goldsmith::cli {
namespace {

std::string_view name_of(BundleOutcome outcome) {
  switch (outcome) {
    case BundleOutcome::created:
      return "created";
    case BundleOutcome::updated:
      return "updated";
    case BundleOutcome::unchanged:
      return "unchanged";
    case BundleOutcome::filled:
      return "filled";
    case BundleOutcome::kept:
      return "kept";
    case BundleOutcome::passed_over:
      return "passed over";
  }
  return "";
}

}  // namespace

bool is_taken(BundleOutcome outcome) {
  return outcome == BundleOutcome::created || outcome == BundleOutcome::updated ||
         outcome == BundleOutcome::filled;
}

BundleOutcome BundleJudge::judge(std::string_view kind, const std::string& name,
                                 const std::optional<std::string>& stored,
                                 const std::string& wanted, bool is_shipped) const {
  if (!stored) return BundleOutcome::created;
  if (*stored == wanted) return BundleOutcome::unchanged;
  const auto known = recorded_.find({std::string(kind), name});
  const bool is_as_it_came = known != recorded_.end() && known->second == *stored;
  return is_as_it_came || is_shipped || replaces_ ? BundleOutcome::updated : BundleOutcome::kept;
}

bool BundleJudge::came_as_another(std::string_view kind, const std::string& name,
                                  const std::string& wanted) const {
  const auto known = recorded_.find({std::string(kind), name});
  return known != recorded_.end() && known->second != wanted;
}

void BundleReport::add(std::string_view kind, const std::string& name, BundleOutcome outcome,
                       const std::string& why) {
  ++counts_[std::string(kind)][outcome];
  if (outcome == BundleOutcome::unchanged) return;
  is_anything_taken_ = is_anything_taken_ || is_taken(outcome);
  if (outcome == BundleOutcome::kept) ++kept_;
  lines_.push_back(
      fmt::format("{:<11} {} {}{}{}", name_of(outcome), kind, name, why.empty() ? "" : ": ", why));
}

void BundleReport::print(std::ostream& out) const {
  for (const std::string& line : lines_) out << line << '\n';
  for (const std::string& remark : remarks_) out << remark << '\n';
  for (const auto& [kind, counts] : counts_) {
    std::size_t all = 0;
    std::string text;
    for (const auto& [outcome, count] : counts) {
      all += count;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(outcome));
    }
    out << count_of(all, kind) << ": " << text << '\n';
  }
}

}  // namespace goldsmith::cli
