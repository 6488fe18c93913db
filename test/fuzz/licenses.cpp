// License expressions of manifests and sources.
#include "app/domain/license.hpp"

#include <algorithm>
#include <optional>

#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

using Terms = std::vector<domain::LicenseTerm>;

std::optional<Terms> terms_of(const std::string& text) {
  std::optional<Terms> terms;
  fuzz::throws<domain::InvalidLicense>([&] { terms = domain::parse_license(text).terms; });
  return terms;
}

std::string written(const domain::LicenseTerm& term) {
  return term.id + (term.or_later ? "+" : "") +
         (term.exception.empty() ? "" : " WITH " + term.exception);
}

bool is_known(const domain::LicenseTerm& term) {
  const auto ids = domain::license_ids();
  return term.is_reference() || domain::is_deprecated_license(term.id) ||
         std::find(ids.begin(), ids.end(), term.id) != ids.end();
}

}  // namespace

FUZZ_TARGET(licenses, "app/domain/license.cpp") {
  const std::string text(input);
  const std::optional<Terms> terms = terms_of(text);
  if (!terms) return;
  require(!terms->empty(), "an expression has a license");
  std::string again;
  for (const domain::LicenseTerm& term : *terms) {
    require(is_known(term), "a license is known");
    again += (again.empty() ? "" : " OR ") + written(term);
  }
  require(terms_of(again) == terms, "terms are read as they are written");
  require(std::count(text.begin(), text.end(), '(') == std::count(text.begin(), text.end(), ')'),
          "every parenthesis is closed");
  Terms more = *terms;
  more.push_back({"MIT", false, ""});
  require(terms_of(text + " AND MIT") == more, "two expressions are one");
}
