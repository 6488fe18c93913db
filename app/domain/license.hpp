// License expressions of SPDX (annex D of its specification): "MIT", "GPL-3.0-or-later",
// "(MIT OR Apache-2.0) AND LicenseRef-Own".
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::domain {

// Not an expression; what() says why.
class InvalidLicense : public std::runtime_error {
 public:
  InvalidLicense(const std::string& what, std::string unknown)
      : std::runtime_error(what), unknown_(std::move(unknown)) {}
  // The identifier that SPDX does not have; "" if the expression is wrong otherwise.
  const std::string& unknown() const { return unknown_; }

 private:
  std::string unknown_;
};

// One license of an expression.
struct LicenseTerm {
  std::string id;         // of SPDX's list, or LicenseRef-…
  bool or_later = false;  // written with a +
  std::string exception;  // behind WITH; "" = none

  bool is_reference() const { return id.starts_with("LicenseRef-"); }
  friend bool operator==(const LicenseTerm&, const LicenseTerm&) = default;
};

struct LicenseExpression {
  std::vector<LicenseTerm> terms;  // in their order
  bool is_single() const { return terms.size() == 1; }
};

// Identifiers are compared byte by byte; what is proprietary or unknown is a LicenseRef-…. Throws
// InvalidLicense.
LicenseExpression parse_license(std::string_view text);

// SPDX's lists, as of the package that the build makes them from (embed_licenses.cmake). Deprecated
// ones are legal, too.
std::span<const std::string_view> license_ids();
std::span<const std::string_view> deprecated_license_ids();
std::span<const std::string_view> license_exception_ids();
bool is_deprecated_license(std::string_view id);

}  // namespace goldsmith::domain
