#include "app/scan/surroundings.hpp"

#include "app/base/digest.hpp"
#include "app/base/text.hpp"

namespace goldsmith::scan {

std::string digest_of(std::string_view source) {
  std::string plain;
  for (const std::string_view line : base::split(source, '\n')) {
    const std::size_t end = line.find_last_not_of(" \t\r");
    plain.append(line.substr(0, end == line.npos ? 0 : end + 1)) += '\n';
  }
  while (plain.ends_with("\n\n")) plain.pop_back();
  return base::sha256_hex(plain);
}

bool ScanLine::has(const std::string& include) const {
  return includes->in_any_case(include).has_value() ||
         (components.offers && components.offers->in_any_case(include).has_value());
}

}  // namespace goldsmith::scan
