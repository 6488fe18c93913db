#include <filesystem>
#include <system_error>

#include "app/cli/commands/doctor.hpp"
#include "app/domain/timestamp.hpp"
#include "app/start/background.hpp"
#include "app/start/server_start.hpp"

namespace goldsmith::cli {

// The loader of 32-bit programs is one itself, without libraries.
void examine_starts(Context& context, Findings& findings) {
  constexpr const char* kSubject = "server starts";
  constexpr const char* kLoader = "/lib/ld-linux.so.2";
  const std::filesystem::path& emulator = context.config().start.emulator;
  const std::filesystem::path steam = start::HostFiles().steam;
  std::error_code error;
  if (!std::filesystem::exists(steam, error)) {
    return findings.warning(kSubject, steam.native() + " is not there",
                            "nothing but goldsmith build start needs it; packages that are built "
                            "on amd64 have it");
  }
  const Answer answer = emulator.empty() ? ask({kLoader, "--version"})
                                         : ask({emulator.native(), kLoader, "--version"});
  if (answer.good) {
    if (const auto standstill = start::find_standstill(context.config())) {
      return findings.warning(kSubject,
                              "they stand still since " +
                                  domain::format_timestamp(standstill->since) + ": " +
                                  standstill->cause,
                              "systemctl start goldsmith-build-start, then journalctl -u "
                              "goldsmith-build-start; until then nothing new is started, and what "
                              "waits for a start is not published");
    }
    return findings.good(kSubject, "32-bit programs run here");
  }
  findings.warning(kSubject, "32-bit programs do not run here: " + answer.text,
                   "apt-get install libc6-i386 lib32stdc++6; where the kernel runs none, qemu-user "
                   "and start.emulator = /usr/bin/qemu-i386; only goldsmith build start needs it");
}

}  // namespace goldsmith::cli
