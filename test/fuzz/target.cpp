#include "test/fuzz/target.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace goldsmith::fuzz {

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

bool add_target(const Target& target) {
  targets().push_back(target);
  return true;
}

void require(bool holds, std::string_view what, std::source_location where) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: this does not hold: %.*s\n", where.file_name(),
               static_cast<unsigned>(where.line()), static_cast<int>(what.size()), what.data());
  std::abort();
}

std::string_view take_until(std::string_view& input, char end) {
  const std::size_t at = std::min(input.find(end), input.size());
  const std::string_view part = input.substr(0, at);
  input.remove_prefix(std::min(at + 1, input.size()));
  return part;
}

unsigned take_byte(std::string_view& input) {
  if (input.empty()) return 0;
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return byte;
}

}  // namespace goldsmith::fuzz
