#include "db/verdict_text.hpp"

#include <algorithm>

#include "app/sys/text.hpp"

namespace goldsmith::db {
namespace {

constexpr std::ptrdiff_t kKeptOfALine = 3;

}  // namespace

std::vector<domain::CompileVerdict> read_verdicts(std::string_view text) {
  std::vector<domain::CompileVerdict> verdicts;
  if (text.empty()) return verdicts;
  for (const std::string_view entry : sys::split(text, ';')) {
    const auto parts = sys::split(entry, ' ');
    if (parts.size() != 3) continue;
    const auto result = domain::parse_compile_result(parts[2]);
    if (result) verdicts.push_back({std::string(parts[0]), std::string(parts[1]), *result});
  }
  return verdicts;
}

std::string write_verdicts(const std::vector<domain::CompileVerdict>& verdicts) {
  std::string text;
  for (const domain::CompileVerdict& verdict : verdicts) {
    text.append(text.empty() ? "" : ";").append(verdict.toolchain).append(" ");
    text.append(verdict.fingerprint).append(" ").append(domain::to_string(verdict.result));
  }
  return text;
}

std::vector<domain::CompileVerdict> merged_verdicts(
    std::vector<domain::CompileVerdict> newer, const std::vector<domain::CompileVerdict>& older) {
  for (const domain::CompileVerdict& old : older) {
    const auto of_line = [&](const auto& each) { return each.toolchain == old.toolchain; };
    const bool is_known = std::any_of(newer.begin(), newer.end(), [&](const auto& each) {
      return of_line(each) && each.fingerprint == old.fingerprint;
    });
    if (is_known || std::count_if(newer.begin(), newer.end(), of_line) >= kKeptOfALine) continue;
    newer.push_back(old);
  }
  // In one order, so that equal verdicts are an equal text.
  std::stable_sort(newer.begin(), newer.end(), [](const auto& left, const auto& right) {
    return left.toolchain < right.toolchain;
  });
  return newer;
}

}  // namespace goldsmith::db
