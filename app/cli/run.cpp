#include "app/cli/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <ostream>

#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/change_record.hpp"
#include "app/cli/command.hpp"
#include "app/cli/context.hpp"
#include "app/cli/help.hpp"
#include "app/cli/output.hpp"

namespace goldsmith::cli {
namespace {

constexpr int kUsage = 2;
constexpr int kUntried = 3;

// A command line: the options of every command, and the words that are left.
struct Invocation {
  bool help = false;
  bool version = false;
  ConfigRequest config;
  std::vector<std::string> words;
};

class InvocationReader {
 public:
  explicit InvocationReader(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  Invocation read() {
    for (; next_ < arguments_.size(); ++next_) {
      const std::string& word = arguments_[next_];
      if (word == "--") break;  // the rest are values, even if they look like options
      read_word(word);
    }
    invocation_.words.insert(invocation_.words.end(),
                             arguments_.begin() + static_cast<std::ptrdiff_t>(next_),
                             arguments_.end());
    return std::move(invocation_);
  }

 private:
  void read_word(const std::string& word) {
    if (word == "--help" || word == "-h") {
      invocation_.help = true;
    } else if (word == "--version" && invocation_.words.empty()) {
      invocation_.version = true;
    } else if (word == "--config") {
      if (++next_ == arguments_.size()) throw UsageError("--config needs a FILE");
      set_config(arguments_[next_]);
    } else if (word.starts_with("--config=")) {
      set_config(word.substr(9));
    } else if (!read_override(word)) {
      invocation_.words.push_back(word);
    }
  }

  void set_config(const std::string& file) {
    if (file.empty()) throw UsageError("--config needs a FILE");
    invocation_.config.file = file;
  }

  // `--name=value` with the name of a configuration option.
  bool read_override(const std::string& word) {
    if (!word.starts_with("--")) return false;
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const base::ConfigOption* option = base::find_config_option(name);
    if (!option) return false;
    if (equals == std::string::npos) {
      throw UsageError("--" + name + " needs a value: --" + name + "=VALUE");
    }
    base::Config scratch;
    const std::string value = word.substr(equals + 1);
    if (!option->set(scratch, value)) throw UsageError("--" + option->refusal(value));
    invocation_.config.overrides.push_back(word);
    return true;
  }

  const std::vector<std::string>& arguments_;
  std::size_t next_ = 0;
  Invocation invocation_;
};

// Points to the help that fits an invalid command line.
std::string help_hint(const std::vector<std::string>& words) {
  std::string command = "goldsmith";
  for (const Noun& noun : nouns()) {
    if (words.empty() || noun.name != words[0]) continue;
    command += ' ' + noun.name;
    for (const Verb& verb : noun.verbs) {
      if (words.size() > 1 && verb.name == words[1]) command += ' ' + verb.name;
    }
  }
  return "; see \"" + command + " --help\"";
}

void show_help(const std::vector<std::string>& words, std::ostream& out) {
  if (words.empty()) {
    out << help();
    return;
  }
  const Noun& noun = find_noun(words[0]);
  if (is_command(noun)) {
    out << help(noun, noun.verbs.front());
  } else {
    out << (words.size() == 1 ? help(noun) : help(noun, find_verb(noun, words[1])));
  }
}

// How a command ends: its exit code, and the last line on standard error.
struct Ending {
  int code = kDone;
  std::string problem;
};

// Of what has been thrown.
Ending ending() {
  try {
    throw;
  } catch (const UsageError& error) {
    return {kUsage, error.what()};
  } catch (const Untried& error) {
    return {kUntried, error.what()};
  } catch (const base::Interrupted& interrupted) {
    return {kSignalled + interrupted.signal(), "interrupted"};
  } catch (const db::Error& error) {
    // A constraint concerns the request itself, and its text is complete.
    const bool is_refusal = error.kind() == db::Error::Kind::constraint;
    return {kFailed, (is_refusal ? "" : "database: ") + std::string(error.what())};
  } catch (const std::exception& error) {
    return {kFailed, error.what()};
  }
}

std::string outcome_of(int code) {
  if (code == kDone) return "done";
  if (code == kUntried) return "untried";
  return code > kSignalled ? "interrupted" : "failed";
}

// Nothing is recorded of a command line that is refused, or of a host without a configuration or a
// database to ask: nothing was changed.
class Recording {
 public:
  Recording(const Noun& noun, const Verb& verb, const Arguments& arguments, Context& context)
      : context_(context), is_change_(is_change(verb, arguments)) {
    if (!is_change_) return;
    change_.time = context.now();
    change_.command = is_command(noun) ? noun.name : noun.name + ' ' + verb.name;
    change_.arguments = recorded_arguments(verb, arguments, context.config_request().overrides);
  }

  void ended(const Ending& ending) {
    if (!is_change_ || ending.code == kUsage) return;
    change_.outcome = outcome_of(ending.code);
    change_.problem = without_secrets(ending.problem);
    context_.record_change(change_);
  }

 private:
  Context& context_;
  bool is_change_;
  db::Change change_;
};

void execute(const Invocation& invocation, const Streams& streams) {
  if (invocation.help) return show_help(invocation.words, streams.out);
  if (invocation.version) {
    streams.out << "goldsmith " << GOLDSMITH_VERSION << '\n';
    return;
  }
  if (invocation.words.empty()) throw UsageError("no command given");
  if (invocation.words[0].starts_with('-')) {
    throw UsageError("unknown option \"" + invocation.words[0] + "\" before the command");
  }
  const Noun& noun = find_noun(invocation.words[0]);
  if (invocation.words.size() == 1 && !is_command(noun)) {
    throw UsageError("the command \"" + noun.name +
                     "\" needs a verb: " + base::join(noun.verbs, ", ", &Verb::name));
  }
  const Verb& verb = is_command(noun) ? noun.verbs.front() : find_verb(noun, invocation.words[1]);
  const auto rest = invocation.words.begin() + (is_command(noun) ? 1 : 2);
  const Arguments arguments = parse_arguments(verb, {rest, invocation.words.end()});
  PrintableBuffer buffer(streams.out);
  std::ostream out(&buffer);
  Context context({out, streams.err, streams.show_progress}, invocation.config);
  if (verb.withdraws) context.watch_withdrawals();
  Recording recording(noun, verb, arguments, context);
  try {
    verb.run(arguments, context);
  } catch (...) {
    context.record_withdrawals();  // of what was done before
    recording.ended(ending());
    throw;
  }
  context.record_withdrawals();
  recording.ended({});
  if (verb.changes) context.announce_change();
  if (!out.flush() && !base::is_reader_gone(STDOUT_FILENO)) {
    throw Failure("cannot write to standard output");
  }
}

int fail(const Streams& streams, int code, const std::string& problem) {
  streams.err << "goldsmith: " << one_line(problem) << std::endl;
  return code;
}

}  // namespace

int run(const std::vector<std::string>& arguments, const Streams& streams) {
  Invocation invocation;
  try {
    invocation = InvocationReader(arguments).read();
    execute(invocation, streams);
    return kDone;
  } catch (...) {
    const Ending how = ending();
    const std::string hint = how.code == kUsage ? help_hint(invocation.words) : "";
    return fail(streams, how.code, how.problem + hint);
  }
}

}  // namespace goldsmith::cli
