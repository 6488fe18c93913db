// replay TARGET CORPUS: runs a target with each input of a corpus, without libFuzzer.
// replay TARGET CORPUS large: runs it with inputs of 1 MB that are made of those, and of what is
// deep, long or many: recursion exhausts the stack, and what is not linear reaches the time limit
// of the test.
//
// A corpus is a text file of one input a line, in printable ASCII: `\\`, `\n`, `\r`, `\t` and
// `\xNN` are what they are in C. Lines that begin with `#` say what an input found.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "app/base/text.hpp"
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
      const auto byte = base::parse_number<unsigned>(line.substr(0, 2), 16);
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

constexpr std::size_t kLarge = 1U << 20;

std::string repeated(std::string_view part, std::size_t size = kLarge) {
  std::string input;
  while (!part.empty() && input.size() + part.size() <= size) input += part;
  return input;
}

// The input as often as it fits, and its two halves around what is in the middle.
std::vector<std::string> large_inputs(const std::string& input) {
  if (input.empty()) return {};
  const std::string start = input.substr(0, input.size() / 2);
  const std::string end = input.substr(input.size() / 2);
  return {repeated(input), start + repeated(start, kLarge / 2) + repeated(end, kLarge / 2) + end,
          start + repeated("x") + end};
}

// Brackets in brackets, values on many lines, long lines, many lines, no text at all.
std::vector<std::string> simple_large_inputs() {
  std::vector<std::string> inputs;
  for (const char* part :
       {"(",       "[",    "{\"a\":",  "<",    "*",     "> ",      "- ",
        "`",       "\\\n", "\n",       " ",    "a",     "a ",      "0",
        "/",       "../",  "\"",       "\\",   "/*",    "//\n",    "%s",
        "{{#a}}",  "\xFF", "\xC3\xA9", "\x1e", "a=b\n", "#if 0\n", "#define a \\\n",
        "http://", "f(",   "&a=b"}) {
    inputs.push_back(repeated(part));
  }
  std::string numbered;
  std::string continued;
  for (int i = 0; numbered.size() < kLarge; ++i) {
    const std::string number = std::to_string(i);
    numbered += "#define a" + number + " a" + std::to_string(i + 1) + "\n";
    if (continued.size() < kLarge) continued += "#define a" + number + " \\\n";
  }
  numbered.resize(kLarge);
  continued.resize(kLarge);
  inputs.insert(inputs.end(), {numbered, continued, std::string(kLarge, '\0')});
  return inputs;
}

void run_large(const Target& target, const std::string& input, std::string_view made_of) {
  const auto begin = std::chrono::steady_clock::now();
  target.run(input);
  const auto end = std::chrono::steady_clock::now();
  std::cerr << std::chrono::duration_cast<std::chrono::milliseconds>(end - begin).count()
            << " ms for 1 MB of " << made_of << std::endl;
}

int replay(const Target& target, const char* corpus, bool is_large) {
  std::ifstream file(corpus);
  int inputs = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::cerr << corpus << ": " << line << '\n';  // the last one is what ended the process
    const std::string input = input_of(line);
    if (is_large) {
      for (const std::string& large : large_inputs(input)) run_large(target, large, "it");
    } else {
      target.run(input);
    }
    ++inputs;
  }
  if (inputs == 0) fail(std::string(corpus) + " has no input");
  if (is_large) {
    for (const std::string& large : simple_large_inputs()) {
      const std::string start = large.substr(0, 8);
      std::cerr << "what begins with \"" << start << "\"\n";
      run_large(target, large, "it");
    }
  }
  std::cout << inputs << " inputs\n";
  return 0;
}

}  // namespace
}  // namespace goldsmith::fuzz

int main(int argc, char** argv) {
  using namespace goldsmith::fuzz;
  const bool is_large = argc == 4 && argv[3] == std::string_view("large");
  if (argc != 3 && !is_large) fail("usage: replay TARGET CORPUS [large]");
  const auto found = std::find_if(targets().begin(), targets().end(),
                                  [&](const Target& target) { return target.name == argv[1]; });
  if (found == targets().end()) fail(std::string("there is no target ") + argv[1]);
  return replay(*found, argv[2], is_large);
}
