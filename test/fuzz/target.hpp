// What the targets of fuzzing have in common. A target is a function that takes any bytes, calls
// what reads such bytes in the product, and checks what must hold whatever they are.
#pragma once

#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::fuzz {

struct Target {
  std::string_view name;
  std::string_view fuzzes;  // folders and files of the product whose coverage counts, by spaces
  void (*run)(std::string_view input);
};

// Those that are linked into the program.
std::vector<Target>& targets();
bool add_target(const Target& target);

// Ends the process if something does not hold, so that the input is kept.
void require(bool holds, std::string_view what,
             std::source_location where = std::source_location::current());

// Takes the part of `input` before `end`, and `end` with it: all that is left if there is none.
std::string_view take_until(std::string_view& input, char end);
// Takes a byte; 0 if none is left.
unsigned take_byte(std::string_view& input);

// True if `call` throws `Expected`; what else it throws ends the process.
template <typename Expected, typename Call>
bool throws(Call call) {
  try {
    call();
  } catch (const Expected&) {
    return true;
  }
  return false;
}

}  // namespace goldsmith::fuzz

// FUZZ_TARGET(name, "app/base/json.cpp") { … } defines a target; the body has `std::string_view
// input`. The file has the target's name, and so has its corpus.
#define FUZZ_TARGET(name, fuzzes)                                \
  static void fuzz_##name(std::string_view input);               \
  [[maybe_unused]] static const bool is_added_##name =           \
      goldsmith::fuzz::add_target({#name, fuzzes, fuzz_##name}); \
  static void fuzz_##name(std::string_view input)
