// goldsmith-unpack in the sandbox: the one program that reads what strangers made, archives and
// texts (decision O19).
//
// It gets open descriptors, no folders: so it needs no right to any path, and what it might do to a
// file system ends with it. For the same reason it gets a copy of its program. It sees the system's
// libraries and nothing else. When this process is root, everything in the sandbox runs as
// goldsmith-mirror; else as the caller.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/host/process.hpp"
#include "app/host/sandbox.hpp"

namespace goldsmith::host {

// Where goldsmith-unpack is: where the package installs it, or else beside this program, as in a
// build. The file need not exist.
std::filesystem::path unpack_program();

// Runs `program` as goldsmith-unpack to its end, with the arguments, descriptors and limits of
// `command`; a signal ends it (base::InterruptionGuard). `view`: what it sees besides its program
// and libraries. Throws base::FileError.
ProcessOutcome run_unpack_program(const std::filesystem::path& program, Command command,
                                  View view = {});

// Why the program did not come to work, and the way out: no sandbox, no libraries. Throws away what
// was to be read.
class ReaderUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What was asked about is why there is no answer: it ended what reads it. what() says how.
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Asks goldsmith-unpack about texts, one question after the other (app/pawn/text_reader.hpp). One
// process answers many, so that a thousand sources do not need a thousand sandboxes. What is asked
// when it ends, at a limit or by a crash, is asked once more, of a process of its own: so nothing
// is blamed for what was asked before it.
class Conversation {
 public:
  struct Limits {
    std::chrono::milliseconds wall_clock{60'000};  // of a question
    std::uint64_t cpu_seconds = 10;                // of a process
    std::uint64_t memory_bytes = 512U << 20;
    std::size_t question_bytes = 32U << 20;
    std::size_t answer_bytes = 16U << 20;
    std::size_t questions = 1000;  // of a process
  };

  explicit Conversation(std::filesystem::path program = unpack_program());
  Conversation(std::filesystem::path program, const Limits& limits);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Throws Unreadable, ReaderUnavailable, base::FileError and base::Interrupted.
  std::string ask(const std::vector<std::string_view>& question);

 private:
  class Process;

  std::filesystem::path program_;
  Limits limits_;
  std::unique_ptr<Process> process_;
};

}  // namespace goldsmith::host
