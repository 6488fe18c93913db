// replay TARGET CORPUS: runs a target with each input of a corpus, without libFuzzer.
//
// A corpus is a text file of one input a line, in printable ASCII: `\\`, `\n`, `\r`, `\t` and
// `\xNN` are what they are in C. Lines that begin with `#` say what an input found.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "app/sys/text.hpp"
#include "test/fuzz/target.hpp"

namespace goldsmith::fuzz {
namespace {

[[noreturn]] void fail(const std::string& why) {
  std::cerr << "replay: " << why << '\n';
  std::exit(1);
}

char take_escape(std::string_view& line) {
  switch (take_byte(line)) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case '\\':
      return '\\';
    case 'x': {
      const auto byte = sys::parse_number<unsigned>(line.substr(0, 2), 16);
      if (!byte || line.size() < 2) break;
      line.remove_prefix(2);
      return static_cast<char>(*byte);
    }
    default:
      break;
  }
  fail("an unknown escape before \"" + std::string(line) + '"');
}

std::string input_of(std::string_view line) {
  std::string input;
  while (!line.empty()) {
    const auto byte = static_cast<char>(take_byte(line));
    input += byte == '\\' ? take_escape(line) : byte;
  }
  return input;
}

int replay(const Target& target, const char* corpus) {
  std::ifstream file(corpus);
  int inputs = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::cerr << corpus << ": " << line << '\n';  // the last one is what ended the process
    target.run(input_of(line));
    ++inputs;
  }
  if (inputs == 0) fail(std::string(corpus) + " has no input");
  std::cout << inputs << " inputs\n";
  return 0;
}

}  // namespace
}  // namespace goldsmith::fuzz

int main(int argc, char** argv) {
  using namespace goldsmith::fuzz;
  if (argc != 3) fail("usage: replay TARGET CORPUS");
  const auto found = std::find_if(targets().begin(), targets().end(),
                                  [&](const Target& target) { return target.name == argv[1]; });
  if (found == targets().end()) fail(std::string("there is no target ") + argv[1]);
  return replay(*found, argv[2]);
}
