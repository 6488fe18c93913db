#include "app/owner/program.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "app/owner/shown.hpp"
#include "app/owner/texts.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::string_view kProgram = "goldsmith-keeper";

struct Verb {
  std::string_view name;
  int (*run)(const Caller& caller, Arguments arguments);
};
constexpr std::array kVerbs{Verb{"adopt", adopt}, Verb{"update", update},
                            Verb{"rollback", rollback}, Verb{"status", status},
                            Verb{"explain", explain}};

// The first of these that is not empty says what whoever runs this reads.
std::string_view locale() {
  for (const char* const name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

void put(std::FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

int usage(const Caller& caller, std::FILE* file) {
  const auto line = [&](const Message& message) { put(file, message.in(caller.translate) + "\n"); };
  line(Message("Usage: goldsmith-keeper VERB [OPTION…] [ARGUMENT…]", {}));
  put(file, "\n");
  line(
      Message("For owners of Counter-Strike 1.6 servers. goldsmith-keeper VERB --help says what "
              "a verb does and takes:",
              {}));
  put(file, "\n");
  line(Message("  adopt    tells what the files of a server are, and how it is kept up to date",
               {}));
  line(Message(
      "  update   installs a server, or updates one that it installed and keeps what was edited",
      {}));
  line(Message("  rollback takes the last run of update back", {}));
  line(Message("  status   tells what is installed, what of it is outdated, and what was edited",
               {}));
  line(Message("  explain  names the causes of what went wrong in the log of a console", {}));
  put(file, "\n");
  line(
      Message("  --service URL   the service whose programs and documents it uses\n"
              "  --language TAG  the language it speaks, such as pl; by itself that of the locale\n"
              "  --version       print the version",
              {}));
  return file == stdout ? 0 : 2;
}

}  // namespace

void Caller::say(const Message& message) const {
  put(is_json ? stderr : stdout, shown(message.in(translate), "\n") + "\n");
}

int Caller::fail(int status, const Message& message) const {
  std::fflush(stdout);
  put(stderr, shown(script + ": " + message.in(translate), "\n") + "\n");
  return status;
}

int Caller::wrong_usage(void (*print_usage)(const Caller& caller), const Message& message) const {
  fail(2, message);
  put(stderr, "\n");
  std::fflush(stderr);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  print_usage(*this);
  return 2;
}

std::size_t Arguments::options_end() const {
  return static_cast<std::size_t>(std::find(words_.begin(), words_.end(), "--") - words_.begin());
}

bool Arguments::take(std::string_view option) {
  const auto end = words_.begin() + static_cast<std::ptrdiff_t>(options_end());
  const auto found = std::find(words_.begin(), end, option);
  if (found == end) return false;
  words_.erase(found);
  take(option);  // said twice
  return true;
}

bool Arguments::take(std::string_view option, std::string& value) {
  const std::size_t end = options_end();
  for (std::size_t at = 0; at < end; ++at) {
    if (words_[at] != option) continue;
    if (at + 1 >= end || words_[at + 1].empty()) return false;
    value = words_[at + 1];
    const auto place = words_.begin() + static_cast<std::ptrdiff_t>(at);
    words_.erase(place, place + 2);
    return take(option, value);
  }
  return true;
}

std::string Arguments::unknown_option() const {
  const std::size_t end = options_end();
  for (std::size_t at = 0; at < end; ++at) {
    if (words_[at].size() > 1 && words_[at].front() == '-') return words_[at];
  }
  return {};
}

std::vector<std::string> Arguments::rest() const {
  std::vector<std::string> rest = words_;
  const std::size_t end = options_end();
  if (end < rest.size()) rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(end));
  return rest;
}

int run_program(std::vector<std::string> arguments) {
  const auto verb = std::find_if(arguments.begin(), arguments.end(), [](const std::string& word) {
    return std::any_of(kVerbs.begin(), kVerbs.end(),
                       [&](const Verb& each) { return each.name == word; });
  });
  Arguments common({arguments.begin(), verb});
  Caller caller;
  caller.script = kProgram;
  caller.language = language_of(locale());
  caller.translate = translation_to(caller.language);
  for (const auto& [option, value] : {std::pair{"--service", &caller.service},
                                      {"--language", &caller.language},
                                      {"--script", &caller.script}}) {
    if (!common.take(option, *value)) {
      return caller.fail(2, Message("{option} needs a value", {{"option", option}}));
    }
  }
  caller.translate = translation_to(caller.language);
  caller.is_piped = common.take("--piped");
  if (common.take("--help")) return usage(caller, stdout);
  if (common.take("--version")) {
    put(stdout, std::string(kProgram) + " " + GOLDSMITH_VERSION + "\n");
    return 0;
  }
  if (const std::string option = common.unknown_option(); !option.empty()) {
    caller.fail(2, Message("unknown option {option}", {{"option", option}}));
    return usage(caller, stderr);
  }
  if (verb == arguments.end() || !common.rest().empty()) return usage(caller, stderr);
  if (caller.script == kProgram) caller.script.append(" ").append(*verb);
  caller.service = shown(caller.service);  // curl may show it, too
  while (caller.service.ends_with('/')) caller.service.pop_back();
  const auto* const found = std::find_if(kVerbs.begin(), kVerbs.end(),
                                         [&](const Verb& each) { return each.name == *verb; });
  const int status = found->run(caller, Arguments({verb + 1, arguments.end()}));
  return std::fflush(stdout) == 0 ? status : std::max(status, 1);
}

}  // namespace goldsmith::owner
