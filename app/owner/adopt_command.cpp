// goldsmith-keeper adopt (decision S32).
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/owner/commands.hpp"
#include "app/owner/fetching.hpp"
#include "app/owner/folder.hpp"
#include "app/owner/judge.hpp"
#include "app/owner/known_files.hpp"
#include "app/owner/program.hpp"
#include "app/owner/report.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

void print_adopt_usage(const Caller& caller) {
  caller.say(Message("Usage: {command} [--files] [--pin] [--json] [--known FILE] FOLDER",
                     {{"command", caller.script}}));
  std::puts("");
  caller.say(Message(
      "Tells what the files of the Counter-Strike 1.6 server in FOLDER are: component and version, "
      "plugin and version, edited\nconfiguration, or unknown; and what of it is outdated, held "
      "back by the service or known to fail. At the end it prints\nthe link to the same server in "
      "the server creator, and the commands that take the folder over and keep it up to date.",
      {}));
  std::puts("");
  caller.say(
      Message("FOLDER is that of the server, its folder cstrike, or one that has the "
              "server's folder in it, as that of LinuxGSM.\nNothing in it is changed, and "
              "nothing about it is sent anywhere.",
              {}));
  std::puts("");
  caller.say(Message("  --files       also print a line for every file", {}));
  caller.say(
      Message("  --pin         name the versions that are there in the link, so that they "
              "stay as they are",
              {}));
  caller.say(Message("  --json        print one object for programs", {}));
  caller.say(
      Message("  --known FILE  take the list of known files from FILE, which was downloaded "
              "before, instead of the service",
              {}));
  caller.say(Message("  --help        show this text", {}));
  std::puts("");
  caller.say(Message(
      "A version of a component is named if what loads it agrees, and if several do, the one with "
      "the most of its files. A\nsource is known by its content, a compiled plugin by the name, "
      "version and author that it registers. What a library says\nof itself, and what files such "
      "as Dockerfile, DEPS_LIST and those of LinuxGSM say, is told as that.",
      {}));
  std::puts("");
  caller.say(
      Message("Exit status: 0 done; 1 failed; 2 wrong usage; 3 refused: a folder in PATH is "
              "relative.",
              {}));
}

// On a terminal, once a second.
void show_progress(std::uint64_t files) {
  using Clock = std::chrono::steady_clock;
  static const bool is_terminal = ::isatty(STDERR_FILENO) != 0;
  static Clock::time_point last = Clock::now();
  if (!is_terminal || Clock::now() - last < std::chrono::seconds(1)) return;
  last = Clock::now();
  std::fprintf(stderr, "\r%llu ", static_cast<unsigned long long>(files));
}

}  // namespace

int adopt(const Caller& caller, Arguments arguments) {
  if (arguments.take("--help")) {
    print_adopt_usage(caller);
    return 0;
  }
  std::string known_file;
  if (!arguments.take("--known", known_file)) {
    return caller.wrong_usage(print_adopt_usage, Message("which file has the list?", {}));
  }
  const bool as_json = arguments.take("--json");
  const bool shows_files = arguments.take("--files");
  const bool pins = arguments.take("--pin");
  if (const std::string option = arguments.unknown_option(); !option.empty()) {
    return caller.wrong_usage(print_adopt_usage,
                              Message("unknown option {option}", {{"option", option}}));
  }
  const std::vector<std::string> folders = arguments.rest();
  if (folders.size() > 1) {
    return caller.wrong_usage(print_adopt_usage, Message("more than one folder", {}));
  }
  if (folders.empty() || folders.front().empty()) {
    return caller.wrong_usage(print_adopt_usage, Message("which folder?", {}));
  }
  if (known_file.empty() && caller.service.empty()) {
    return caller.wrong_usage(print_adopt_usage,
                              Message("{option} needs a value", {{"option", "--service"}}));
  }
  if (has_relative_path()) return caller.fail(3, Message("a folder in PATH is relative", {}));

  const auto known = fetch_known_files(caller, known_file, "goldsmith-adopt/1");
  if (!known) return 1;
  Message problem;
  const auto server = find_server(folders.front(), problem);
  if (!server) return caller.fail(1, problem);
  if (!as_json) {
    caller.say(Message("Reading {folder}", {{"folder", server->path}}));
    std::fflush(stdout);
  }
  const FolderFacts facts = read_folder(*server, *known, show_progress);
  const Report report = judge(*known, facts, {shows_files, pins});
  ReportStyle style{shows_files, caller.service, caller.language, quoted_for_shell(server->path),
                    caller.translate};
  if (style.service.empty()) style.service = known->service();
  if (!server->prefix.empty()) style.folder = caller.translate(base::N_("THE FOLDER WITH cstrike"));
  const std::string text =
      as_json ? json::to_pretty_string(shown_values(report_json(report, style))) + "\n"
              : report_text(report, style);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace goldsmith::owner
