// The declaration of the command's nouns and verbs. Parsing, --help, goldsmith(1) and the
// completion are derived from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/names.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::cli {

// The command line is invalid; exit code 2. what() is one sentence without a full stop.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The command failed; exit code 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the command should try can't be tried on this host; exit code 3.
class Untried : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The arguments of a verb. The functions that read them throw UsageError, which names the option,
// the value and the bounds.
class Arguments {
 public:
  using Values = std::map<std::string, std::vector<std::string>, std::less<>>;
  explicit Arguments(Values values) : values_(std::move(values)) {}

  bool has(std::string_view name) const { return values_.contains(name); }
  // The value of an option or positional; "" if it was not given.
  std::string text(std::string_view name) const;
  std::vector<std::string> list(std::string_view name) const;
  // `otherwise`: what it is where it was not given; required if that is std::nullopt.
  std::int64_t integer(std::string_view name, std::int64_t min, std::int64_t max,
                       std::optional<std::int64_t> otherwise = {}) const;
  // Legal slugs and versions (decision R15); others are refused.
  domain::Slug slug(std::string_view name) const;
  std::vector<domain::Slug> slugs(std::string_view name) const;
  domain::Version version(std::string_view name) const;
  // std::nullopt if it was not given.
  std::optional<domain::Slug> optional_slug(std::string_view name) const;
  std::optional<domain::Version> optional_version(std::string_view name) const;
  // `YYYY-MM-DD HH:MM:SS` or ISO 8601 (decision O2); std::nullopt if it was not given.
  std::optional<domain::Timestamp> time(std::string_view name) const;

 private:
  Values values_;
};

struct Positional {
  std::string name = {};  // upper case, as help shows it
  bool required = true;
  bool repeated = false;  // takes all that is left
};

// What an option makes of its verb for the record of changes (decision O27).
enum class Effect {
  none,
  reads,    // with it the verb changes nothing
  changes,  // the verb changes nothing without it
};

struct Option {
  std::string name = {};        // without dashes
  std::string value_name = {};  // upper case; "" = a switch
  std::string help = {};        // what it does, as a sentence
  bool required = false;
  bool repeated = false;  // takes several values
  Effect effect = Effect::none;
};

class Context;

struct Verb {
  std::string name = {};
  std::string summary = {};  // one line for the noun's help
  std::string text = {};     // sentences, paragraphs separated by "\n\n"
  std::vector<Positional> positionals = {};
  std::vector<Option> options = {};
  std::vector<std::string> examples = {};  // whole lines
  void (*run)(const Arguments& arguments, Context& context) = nullptr;
  bool changes = false;  // what the API shows: the workers of this host are notified
  // May take something from callers, or give it back: that is recorded (decision O21).
  bool withdraws = false;
  // Changes something else that people ask about later. What can be made again, such as the depot,
  // a cache or a verdict, is nothing of that kind.
  bool is_recorded = false;
};

struct Noun {
  std::string name = {};
  std::string summary = {};
  std::string text = {};
  std::vector<Verb> verbs = {};
};

// True for a noun whose only verb has the same name and is not typed: `goldsmith doctor`.
bool is_command(const Noun& noun);

// All nouns, in the order of --help.
std::span<const Noun> nouns();

// Throw UsageError if the name is unknown; it suggests the nearest one.
const Noun& find_noun(std::string_view name);
const Verb& find_verb(const Noun& noun, std::string_view name);

// Parses the words after NOUN and VERB. A word such as -1 is a value, never an option (decision
// O5).
Arguments parse_arguments(const Verb& verb, const std::vector<std::string>& words);

// "--json", on every listing.
Option json_option();

}  // namespace goldsmith::cli
