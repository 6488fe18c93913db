#include "app/domain/version_range.hpp"

#include <algorithm>
#include <utility>

#include "app/domain/names.hpp"

namespace goldsmith::domain {
namespace {

bool holds(std::string_view relation, std::strong_ordering order) {
  if (relation == "<") return order < 0;
  if (relation == "<=") return order <= 0;
  if (relation == ">") return order > 0;
  if (relation == ">=") return order >= 0;
  return order == 0;
}

}  // namespace

std::optional<VersionRange::Bound> VersionRange::parse_bound(std::string_view text) {
  for (const std::string_view relation : {"<=", ">=", "<", ">", "="}) {
    if (!text.starts_with(relation)) continue;
    const std::optional<Version> version = Version::parse(text.substr(relation.size()));
    if (!version) return std::nullopt;
    return Bound{std::string(relation), *version};
  }
  return std::nullopt;
}

std::optional<VersionRange> VersionRange::parse(std::string_view text) {
  VersionRange range;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) {
      std::optional<Bound> bound = parse_bound(text.substr(0, end));
      if (!bound) return std::nullopt;
      range.bounds_.push_back(std::move(*bound));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return range;
}

bool VersionRange::contains(std::string_view version) const {
  return std::all_of(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
    return holds(bound.relation, natural_order(version, bound.version));
  });
}

std::string VersionRange::str() const {
  std::string text;
  for (const Bound& bound : bounds_) {
    text.append(text.empty() ? "" : " ").append(bound.relation).append(bound.version.view());
  }
  return text;
}

}  // namespace goldsmith::domain
