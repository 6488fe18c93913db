// Stands in for goldsmith-unpack --questions, and does what it is asked.
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/frame.hpp"

namespace {

int number = 0;  // of the question

std::string answer(const std::vector<std::string>& question) {
  const std::string& what = question[0];
  volatile int* const nothing = nullptr;
  if (what == "crash" || (what == "crash later" && number > 2)) *nothing = 1;
  if (what == "call") ::fork();
  if (what == "exit") std::exit(3);
  for (volatile bool goes_on = what == "loop"; goes_on;) {
  }
  if (what == "sleep") ::sleep(100);
  if (what == "user") return std::to_string(::access("/etc/passwd", F_OK));
  return what + ' ' + std::to_string(number);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  const int socket = std::atoi(argv[2]);
  while (const auto question = goldsmith::base::receive_frame(socket, {10, 1U << 20})) {
    ++number;
    if ((*question)[0] == "lie") return ::write(socket, "not a frame at all", 18) == 18 ? 0 : 1;
    const bool fails = (*question)[0] == "fail";
    const std::string text = fails ? "why" : answer(*question);
    if (!goldsmith::base::send_frame(socket, {fails ? "failed" : "done", text})) return 1;
  }
  return 0;
}
