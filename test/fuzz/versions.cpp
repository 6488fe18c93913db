// Versions, their natural order and ranges of them, and times: compared with second
// implementations.
#include <algorithm>

#include "app/domain/names.hpp"
#include "app/domain/timestamp.hpp"
#include "app/domain/version.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// What compares byte by byte as the text does in natural order: behind each run of digits' first
// place how many there are, without zeros in front.
std::string key_of(std::string_view text) {
  std::string key;
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    const auto count = static_cast<std::size_t>(end - text.begin());
    if (count == 0) {
      key += text.front();
      text.remove_prefix(1);
      continue;
    }
    std::string_view digits = text.substr(0, count);
    text.remove_prefix(count);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    std::string size(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) size[7 - i] = static_cast<char>(digits.size() >> (8 * i));
    key.append("0").append(size).append(digits);
  }
  return key;
}

void check_order(std::string_view left, std::string_view right) {
  const auto order = domain::natural_order(left, right);
  require(domain::natural_order(right, left) == 0 <=> order, "the order has two directions");
  require((order == 0) == (left == right), "only equal texts are equal");
  const std::string a = key_of(left);
  const std::string b = key_of(right);
  if (a != b) require((order < 0) == (a < b), "two implementations agree");
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

FUZZ_TARGET(versions, "app/domain/version.cpp app/domain/timestamp.cpp app/domain/names.cpp") {
  const std::string_view a = fuzz::take_until(input, '\n');
  const std::string_view b = fuzz::take_until(input, '\n');
  const std::string_view c = fuzz::take_until(input, '\n');
  check_order(a, b);
  check_order(b, c);
  if (domain::natural_order(a, b) < 0 && domain::natural_order(b, c) < 0) {
    require(domain::natural_order(a, c) < 0, "the order is transitive");
  }
  check_range(input, a);
  check_time(b);
}
