// goldsmith-unpack: reads the archives of one upstream release in a sandbox, for `goldsmith
// component mirror`. A program of its own, so that what parses the files of strangers is small: it
// has no code for the configuration, the database or the network, and loads few libraries.
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

#include "app/unpack/arguments.hpp"
#include "app/unpack/refusal.hpp"
#include "app/unpack/safe_path.hpp"
#include "app/unpack/unpack.hpp"

namespace {

namespace unpack = goldsmith::unpack;

constexpr std::size_t kLongestReason = 4000;

void report(std::string_view outcome, std::string_view reason) {
  std::cout << outcome << ' ' << unpack::printable(reason, kLongestReason) << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::uint64_t dropped =
        unpack::unpack(unpack::parse_arguments({argv + (argc > 0 ? 1 : 0), argv + argc}));
    report("done", std::to_string(dropped));
    return 0;
  } catch (const unpack::RefusedArchive& refused) {
    report("refused " + std::to_string(refused.number()), refused.what());
  } catch (const std::bad_alloc&) {
    report("failed", "not enough memory; mirror.memory_mb allows more");
  } catch (const std::exception& error) {
    report("failed", error.what());
  }
  return 1;
}
