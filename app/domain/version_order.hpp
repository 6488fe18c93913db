// The order of versions (decision P1): the only one that anything here sorts, compares or selects
// them by. And what a version is beside the one before it, for those who take new ones from others.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "app/domain/timestamp.hpp"

namespace goldsmith::domain {

// Pure functions, no allocation, but for told(). They take any text.

// As people judge, by the numbers that a version begins with ("1.9" < "1.10", and "v1.2" and
// "1.2.0" are as "1.2"), then by what follows them: what is not final yet, such as an rc or a beta,
// is lower, a patch letter or another number is higher. Decision P1 has all of it.
std::weak_ordering version_rank(std::string_view left, std::string_view right);

// The same, but equal for equal texts alone: what is of one rank is ordered by its bytes.
std::strong_ordering version_order(std::string_view left, std::string_view right);

// Whether it begins with a number, with or without a word such as "v" in front.
bool has_number(std::string_view version);

// Whether it is an rc, a beta, an alpha or the like, and not final.
bool is_prerelease(std::string_view version);

// Whether both begin with the same two numbers, as "1.2-rc1" and "1.2.3" do.
bool is_same_line(std::string_view one, std::string_view other);

// What a new version is judged by.
struct PublicVersion {
  std::string_view version;
  std::optional<Timestamp> time;   // when it was made; absent = not known
  bool takes_prereleases = false;  // the operator wants those that follow it
};

enum class VersionStep {
  ordinary,
  lower,
  prerelease,  // unless they are wanted, or the public one is a prerelease of the same line
  date,        // among numbers
  leap         // of the first number, to ten times what it was
};

// What a version is beside the newest public one. A year and a month as its first numbers are no
// leap from the time of the public one until now: a project may have gone over to them.
VersionStep step_between(const PublicVersion& from, std::string_view to, Timestamp now);

// Why a version waits, in a sentence without its end; "" of what is ordinary. `public_one`: what it
// is beside, for people.
std::string told(VersionStep step, std::string_view public_one);

}  // namespace goldsmith::domain
