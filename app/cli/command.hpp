// How the command's nouns and verbs are declared: one table a noun, from which parsing and help
// follow.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/domain/identifiers.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::cli {

// The line can't be understood; ends in exit code 2. what() is one sentence without a period.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The line was understood, but can't be done; ends in exit code 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a verb was called with. The readers throw UsageError, which names option, value and bounds.
class Arguments {
 public:
  using Values = std::map<std::string, std::vector<std::string>, std::less<>>;
  explicit Arguments(Values values) : values_(std::move(values)) {}

  bool has(std::string_view name) const { return values_.contains(name); }
  // The value of an option or positional; "" when it was not given.
  std::string text(std::string_view name) const;
  std::vector<std::string> list(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most) const;
  // A slug or version (decision R15).
  domain::Slug slug(std::string_view name) const;
  std::vector<domain::Slug> slugs(std::string_view name) const;
  domain::Version version(std::string_view name) const;
  // The same of an option or positional that may be left out.
  std::optional<domain::Slug> optional_slug(std::string_view name) const;
  std::optional<domain::Version> optional_version(std::string_view name) const;
  // In any form of decision O2; absent when it was not given.
  std::optional<domain::Timestamp> time(std::string_view name) const;

 private:
  Values values_;
};

struct Positional {
  std::string name = {};  // upper case, as help shows it
  bool required = true;
  bool repeated = false;  // takes all that is left
};

struct Option {
  std::string name = {};        // without dashes
  std::string value_name = {};  // upper case; "" = a switch
  std::string help = {};        // what it does, as a sentence
  bool required = false;
  bool repeated = false;  // takes several values
};

class Context;

// Whether a verb changes what the API shows: the workers of this host are told then.
enum class Effect { none, changes };

struct Verb {
  std::string name = {};
  std::string summary = {};  // one line for the noun's help
  std::string text = {};     // sentences, paragraphs separated by "\n\n"
  std::vector<Positional> positionals = {};
  std::vector<Option> options = {};
  std::vector<std::string> examples = {};  // whole lines
  void (*run)(const Arguments& arguments, Context& context) = nullptr;
  Effect effect = Effect::none;
};

struct Noun {
  std::string name = {};
  std::string summary = {};
  std::string text = {};
  std::vector<Verb> verbs = {};
};

// True for a noun whose only verb has its name: `goldsmith doctor`, without a verb behind it.
bool is_command(const Noun& noun);

// Every noun, in the order of help.
std::span<const Noun> nouns();

// Throws UsageError that suggests the nearest name when there is none of that name.
const Noun& find_noun(std::string_view name);
const Verb& find_verb(const Noun& noun, std::string_view name);

// Reads what follows NOUN and VERB.
Arguments parse_arguments(const Verb& verb, const std::vector<std::string>& words);

// "--json", on every listing.
Option json_option();

}  // namespace goldsmith::cli
