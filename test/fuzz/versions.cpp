// Versions, their order and ranges of them, and times: what must hold of any.
#include <algorithm>

#include "app/domain/names.hpp"
#include "app/domain/timestamp.hpp"
#include "app/domain/version.hpp"
#include "app/domain/version_order.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

bool ends_with_digit(std::string_view text) {
  return !text.empty() && text.back() >= '0' && text.back() <= '9';
}

void check_order(std::string_view left, std::string_view right) {
  const auto order = domain::version_order(left, right);
  require(domain::version_order(right, left) == 0 <=> order, "the order has two directions");
  require((order == 0) == (left == right), "only equal texts are equal");
  const auto rank = domain::version_rank(left, right);
  require(rank == 0 || (rank < 0) == (order < 0), "what is of another rank is ordered by it");
  if (!ends_with_digit(left)) return;
  const std::string version(left);
  require(domain::version_rank(version + "-rc1", version) < 0, "what is not final is lower");
  require(domain::is_prerelease(version + "-rc1"), "and is known");
  require(domain::version_rank(version + "-1", version) > 0, "another number is higher");
}

void check_range(std::string_view text, std::string_view version) {
  const auto range = domain::VersionRange::parse(text);
  if (!range) return;
  require(domain::VersionRange::parse(range->str()) == range, "a range is read as it is written");
  const auto again = domain::VersionRange::parse(range->str() + " >=0 " + std::string(text));
  require(again.has_value(), "two ranges are one");
  require(!again->contains(version) || range->contains(version), "more comparisons hold less");
  if (!domain::Version::is_legal(version)) return;
  require(domain::VersionRange::parse("=" + std::string(version))->contains(version),
          "a version is itself");
}

void check_time(std::string_view text) {
  const auto time = domain::parse_timestamp(text);
  if (!time) return;
  const std::string written = domain::format_timestamp(*time);
  require(written.size() == 19, "a year has four digits");
  require(domain::parse_timestamp(written) == time, "a time is read as it is written");
}

}  // namespace

FUZZ_TARGET(versions,
            "app/domain/version.cpp app/domain/version_order.cpp app/domain/timestamp.cpp "
            "app/domain/names.cpp") {
  const std::string_view a = fuzz::take_until(input, '\n');
  const std::string_view b = fuzz::take_until(input, '\n');
  const std::string_view c = fuzz::take_until(input, '\n');
  check_order(a, b);
  check_order(b, c);
  if (domain::version_order(a, b) < 0 && domain::version_order(b, c) < 0) {
    require(domain::version_order(a, c) < 0, "the order is transitive");
  }
  check_range(input, a);
  check_time(b);
}
