#include "app/domain/version.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/domain/names.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::domain {

namespace {

bool holds(std::string_view relation, std::string_view version, std::string_view bound) {
  if (relation == "=") return version == bound;
  const std::weak_ordering order = version_rank(version, bound);
  if (relation == "<") return order < 0;
  if (relation == "<=") return order <= 0;
  if (relation == ">") return order > 0;
  return order >= 0;
}

constexpr std::string_view kHost = "https://github.com/";
constexpr std::size_t kParts = 6;  // OWNER NAME releases download TAG FILE

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
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
    return holds(bound.relation, version, bound.version);
  });
}

std::string VersionRange::str() const {
  std::string text;
  for (const Bound& bound : bounds_) {
    text.append(text.empty() ? "" : " ").append(bound.relation).append(bound.version.view());
  }
  return text;
}

std::string VersionRange::of(std::string_view name) const {
  std::string text(name);
  return is_every() ? text : text + " " + str();
}

VersionRange VersionRange::operator&(const VersionRange& other) const {
  VersionRange both = *this;
  for (const Bound& bound : other.bounds_) {
    if (std::ranges::find(both.bounds_, bound) == both.bounds_.end()) both.bounds_.push_back(bound);
  }
  return both;
}

// Of several bounds on a side the tightest.
base::Message VersionRange::in_words(std::string_view name) const {
  const Bound* lowest = nullptr;
  const Bound* highest = nullptr;
  const auto is_tighter = [](const Bound& bound, const Bound* known, bool is_low) {
    if (known == nullptr) return true;
    const auto order = version_order(bound.version, known->version);
    if (order == 0) return bound.relation.size() == 1;
    return is_low ? order > 0 : order < 0;
  };
  for (const Bound& bound : bounds_) {
    if (bound.relation == "=") lowest = highest = &bound;
    if (bound.relation == "=") break;
    const bool is_low = bound.relation.front() == '>';
    const Bound*& known = is_low ? lowest : highest;
    if (is_tighter(bound, known, is_low)) known = &bound;
  }
  std::vector<base::Message::Value> values{{"component", std::string(name)}};
  if (lowest != nullptr) values.emplace_back("from", lowest->version.str());
  if (highest != nullptr) values.emplace_back("to", highest->version.str());
  const std::string_view low = lowest == nullptr ? "" : std::string_view(lowest->relation);
  const std::string_view high = highest == nullptr ? "" : std::string_view(highest->relation);
  using base::N_;
  if (low == "=") return {"{component} {from}", std::move(values)};
  if (high.empty()) {
    if (low.empty()) return {"{component}", std::move(values)};
    return {low == ">=" ? N_("{component} {from} or newer") : N_("{component} after {from}"),
            std::move(values)};
  }
  if (low.empty()) {
    return {high == "<=" ? N_("{component} {to} or older") : N_("{component} before {to}"),
            std::move(values)};
  }
  if (low == ">=") {
    return {high == "<=" ? N_("{component} {from} to {to}")
                         : N_("{component} {from} or newer, before {to}"),
            std::move(values)};
  }
  return {high == "<=" ? N_("{component} after {from}, up to {to}")
                       : N_("{component} after {from} and before {to}"),
          std::move(values)};
}

std::optional<GithubTag> github_tag(std::string_view url) {
  if (!url.starts_with(kHost)) return std::nullopt;
  const auto parts = parts_of(url.substr(kHost.size()));
  if (parts.size() != kParts || parts[2] != "releases" || parts[3] != "download") {
    return std::nullopt;
  }
  for (const std::string_view part : parts) {
    if (part.empty()) return std::nullopt;
  }
  return GithubTag{std::string(parts[0]).append("/").append(parts[1]), std::string(parts[4])};
}

}  // namespace goldsmith::domain
