// goldsmith-unpack: reads what strangers made, in a sandbox, for the command: the archives of a
// release (app/unpack), or with `--questions FD` the texts that it is asked about through a socket
// (app/pawn); with `--start` it lays out a game server and becomes it. A program of its own, so
// that what parses the files of strangers is small: it has no code for the configuration, the
// database or the network, and loads few libraries.
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/file.hpp"
#include "app/base/frame.hpp"
#include "app/base/text.hpp"
#include "app/pawn/text_reader.hpp"
#include "app/unpack/arguments.hpp"
#include "app/unpack/server_start.hpp"
#include "app/unpack/unpack.hpp"

namespace {

namespace unpack = goldsmith::unpack;

constexpr std::size_t kLongestReason = 4000;

void report(std::string_view outcome, std::string_view reason) {
  std::cout << outcome << ' ' << unpack::printable(reason, kLongestReason) << std::endl;
}

// "hello" is answered by nothing: it works.
std::string answer_to(const std::vector<std::string>& parts) {
  if (parts == std::vector<std::string>{"hello"}) return "";
  return goldsmith::pawn::answer({parts.begin(), parts.end()});
}

// Until nobody asks any more.
int answer_questions(int socket) {
  constexpr goldsmith::base::FrameLimits kLimits{1000, 64U << 20};
  while (const auto question = goldsmith::base::receive_frame(socket, kLimits)) {
    std::string outcome = "done";
    std::string text;
    try {
      text = answer_to(*question);
    } catch (const std::bad_alloc&) {
      outcome = "failed";
      text = "reading it takes too much memory";
    } catch (const std::exception& failure) {
      outcome = "failed";
      text = "it can't be read: " + unpack::printable(failure.what(), kLongestReason);
    }
    if (!goldsmith::base::send_frame(socket, {outcome, text})) return 1;
  }
  return 0;
}

// Returns only if it did not start, which app/start has been told.
int start_server(const std::vector<std::string_view>& arguments) {
  try {
    unpack::start_server(unpack::parse_server_start(arguments));
  } catch (const std::exception& failure) {
    std::cout << "goldsmith-unpack: " << unpack::printable(failure.what(), kLongestReason)
              << std::endl;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && argv[1] == std::string_view("--questions")) {
    const auto socket = goldsmith::base::parse_number<int>(argv[2]);
    return socket ? answer_questions(*socket) : 1;
  }
  if (argc > 1 && argv[1] == std::string_view("--start")) {
    return start_server({argv + 1, argv + argc});
  }
  try {
    const std::uint64_t dropped =
        unpack::unpack(unpack::parse_arguments({argv + (argc > 0 ? 1 : 0), argv + argc}));
    report("done", std::to_string(dropped));
    return 0;
  } catch (const unpack::RefusedArchive& refused) {
    const std::string outcome = refused.is_too_much() ? "too much " : "refused ";
    report(outcome + std::to_string(refused.number()), refused.what());
  } catch (const std::bad_alloc&) {
    report("failed", "not enough memory; mirror.memory_mb allows more");
  } catch (const std::exception& error) {
    report("failed", error.what());
  }
  return 1;
}
