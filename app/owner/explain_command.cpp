// goldsmith-keeper explain (decision S34).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdio>

#include "app/base/json.hpp"
#include "app/owner/explanation.hpp"
#include "app/owner/fetching.hpp"
#include "app/owner/program.hpp"
#include "app/owner/shown.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

void print_explain_usage(const Caller& caller) {
  const auto line = [&](const Message& message) { caller.say(message); };
  line(Message("Usage: {command} [--json] [FILE...]", {{"command", caller.script}}));
  std::puts("");
  line(Message(
      "Reads the logs of a game server's console (qconsole.log, what hlds_run or SteamCMD prints, "
      "the log of AMX Mod X or of a\ncontainer), and prints the known causes of what went wrong, "
      "the gravest first: each with the first line that tells it, how\nmany lines do, and what to "
      "do. Without FILE, or for -, it reads standard input:",
      {}));
  std::puts("");
  const bool is_script = caller.script.ends_with(".sh");
  std::printf("  docker logs cs16 2>&1 | %s%s\n\n", is_script ? "sh " : "",
              shown(caller.script).c_str());
  line(Message("  --json        print one object for programs", {}));
  line(
      Message("  --names FILE  the list of known names, /server/known-names.txt, in place of the "
              "service's",
              {}));
  std::puts("");
  line(
      Message("Nothing of the log is sent anywhere. If it names functions, includes or libraries, "
              "the list of those that are known\nis fetched from the service. Of each line the "
              "first 4,096 bytes count. Logs that are compressed by gzip\nare read as they are.",
              {}));
  std::puts("");
  line(
      Message("Exit status: 0 no known cause was found, or only what is good to know; 1 one was "
              "found that stops the server or breaks a\npart of it; 2 wrong usage, or a log "
              "cannot be read.",
              {}));
}

// Tells why, if the file can't be read.
bool is_readable(const Caller& caller, const std::string& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) {
    caller.fail(2, Message("there is no file {file}", {{"file", file}}));
  } else if (S_ISDIR(status.st_mode)) {
    caller.fail(2, Message("{file} is a folder; give a file in it", {{"file", file}}));
  } else if (::access(file.c_str(), R_OK) != 0) {
    caller.fail(2, Message("{file} may not be read by this user", {{"file", file}}));
  } else {
    return true;
  }
  return false;
}

enum class Read { whole, unreadable, damaged };

// zlib reads what is not compressed by gzip as it is.
Read read_log(const std::string& file, Explanation& explanation) {
  const int fd =
      file == "-" ? ::dup(STDIN_FILENO) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  const gzFile log = fd < 0 ? nullptr : ::gzdopen(fd, "r");
  if (log == nullptr) return Read::unreadable;
  static std::array<char, 64U << 10> buffer;
  int count = 0;
  while ((count = ::gzread(log, buffer.data(), buffer.size())) > 0) {
    explanation.add({buffer.data(), static_cast<std::size_t>(count)});
  }
  int error = Z_OK;
  static_cast<void>(::gzerror(log, &error));
  const int closed = ::gzclose(log);
  if (error == Z_ERRNO || closed == Z_ERRNO) return Read::unreadable;
  return count < 0 || error != Z_OK || closed != Z_OK ? Read::damaged : Read::whole;
}

}  // namespace

int explain(const Caller& caller, Arguments arguments) {
  if (arguments.take("--help")) {
    print_explain_usage(caller);
    return 0;
  }
  const bool as_json = arguments.take("--json");
  std::string names_file;
  if (!arguments.take("--names", names_file)) {
    return caller.fail(2, Message("--names needs a file", {}));
  }
  if (!arguments.unknown_option().empty()) return caller.fail(2, Message("unknown option", {}));
  std::vector<std::string> files = arguments.rest();
  if (files.empty()) {
    if (caller.is_piped) {
      return caller.fail(2, Message("which file has the log? Give it, or save this script as "
                                    "explain.sh and pipe the log into that",
                                    {}));
    }
    if (::isatty(STDIN_FILENO) != 0) {
      return caller.fail(
          2, Message("which file has the log? Give it, or pipe the log into this script", {}));
    }
    files.emplace_back("-");
  }
  for (const std::string& file : files) {
    if (file != "-" && !is_readable(caller, file)) return 2;
  }
  Explanation explanation;
  for (const std::string& file : files) {
    switch (read_log(file, explanation)) {
      case Read::unreadable:
        return caller.fail(2, Message("cannot read {path}", {{"path", file}}));
      case Read::damaged:
        return caller.fail(
            2, Message("{path} is damaged: it cannot be decompressed", {{"path", file}}));
      case Read::whole:
        break;
    }
  }
  std::vector<FoundCause> found = explanation.finish();
  if (has_names(found, explanation)) {
    if (const auto known = fetch_known_names(caller, names_file)) {
      add_facts(found, explanation, *known);
    } else if (!names_file.empty()) {
      return 2;
    }
  }
  const std::string text =
      as_json ? json::to_pretty_string(
                    shown_values(explanation_json(found, caller.service, caller.translate)))
              : shown(explanation_text(found, caller.service, caller.translate), "\n");
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (as_json) std::puts("");
  return is_grave(found) ? 1 : 0;
}

}  // namespace goldsmith::owner
