// The program for owners of game servers: its command line, and what its verbs have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/base/message.hpp"

namespace goldsmith::owner {

// Whoever runs a verb, and in which words it answers.
struct Caller {
  std::string script;    // in messages and usage: "adopt.sh", "goldsmith-keeper adopt"
  std::string service;   // "https://…" without a path; "" if it was not said
  std::string language;  // the tag of what is said
  base::Message::Translate translate;
  bool is_piped =
      false;  // the script that runs this came from a pipe: standard input is not a file

  bool is_json = false;  // one object for programs is printed; what is said goes to standard error

  // To standard output, a line.
  void say(const base::Message& message) const;
  // To standard error, behind the name of the script. Returns `status`.
  int fail(int status, const base::Message& message) const;
  // fail() with the usage behind it, which is an error then, too. Returns 2.
  int wrong_usage(void (*print_usage)(const Caller& caller), const base::Message& message) const;
};

// The arguments behind the verb, as options and the rest.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {}

  // Whether the option is there; takes it out.
  bool take(std::string_view option);
  // The word behind the option, which is taken out with it; false if that is missing.
  bool take(std::string_view option, std::string& value);
  // An option that nobody took; "" if there is none.
  std::string unknown_option() const;
  // What is no option, and all that is behind `--`.
  std::vector<std::string> rest() const;

 private:
  // Of the words before `--`.
  std::size_t options_end() const;

  std::vector<std::string> words_;
};

// The verbs. Each prints, and returns the exit status of the program.
int adopt(const Caller& caller, Arguments arguments);
int explain(const Caller& caller, Arguments arguments);
int update(const Caller& caller, Arguments arguments);
int rollback(const Caller& caller, Arguments arguments);
int status(const Caller& caller, Arguments arguments);

// 2 for a wrong usage; otherwise what the verb returns.
int run_program(std::vector<std::string> arguments);

}  // namespace goldsmith::owner
