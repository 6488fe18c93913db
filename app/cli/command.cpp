#include "app/cli/command.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <boost/program_options.hpp>

#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/domain/names.hpp"
#include "app/domain/timestamp.hpp"

namespace goldsmith::cli {
namespace {

namespace po = boost::program_options;

// No one can type this as an option.
constexpr const char* kPositionals = " positionals";

std::string quote(std::string_view text) { return '"' + std::string(text) + '"'; }

// `problem` names what is unknown: `unknown command "plugn"`.
template <typename Named>
[[noreturn]] void refuse_name(const std::string& problem, std::string_view name,
                              std::span<const Named> known) {
  std::vector<std::string_view> names;
  for (const Named& each : known) names.push_back(each.name);
  const std::string_view meant = base::nearest(name, names);
  if (meant.empty()) throw UsageError(problem + "; allowed are " + base::alternatives(names));
  throw UsageError(problem + " (did you mean " + quote(meant) + "?)");
}

po::options_description describe(const Verb& verb) {
  po::options_description description;
  for (const Option& option : verb.options) {
    auto* const values = po::value<std::vector<std::string>>();
    if (option.repeated) values->multitoken()->composing();
    if (option.value_name.empty()) values->zero_tokens();
    description.add_options()(option.name.c_str(), values);
  }
  description.add_options()(kPositionals, po::value<std::vector<std::string>>());
  return description;
}

// A value such as -1, not an option (decision O5): no option begins with a digit.
bool is_negative_number(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && domain::is_digit(word[1]);
}

// For the parser: takes a leading negative number as a positional.
std::vector<po::option> take_negative_number(std::vector<std::string>& words) {
  if (!is_negative_number(words.front())) return {};
  po::option positional;
  positional.value = {words.front()};
  positional.original_tokens = positional.value;
  words.erase(words.begin());
  return {positional};
}

[[noreturn]] void refuse_unknown_option(const Verb& verb, const std::string& given) {
  const std::string problem = "unknown option " + quote(given);
  std::vector<std::string_view> names;
  for (const Option& option : verb.options) names.push_back(option.name);
  const std::string name = given.substr(std::min(given.find_first_not_of('-'), given.size()));
  const std::string_view meant = base::nearest(name, names);
  if (meant.empty()) throw UsageError(problem);
  throw UsageError(problem + " (did you mean " + quote("--" + std::string(meant)) + "?)");
}

po::parsed_options parse(const Verb& verb, const std::vector<std::string>& words) {
  const po::options_description description = describe(verb);
  po::positional_options_description positionals;
  positionals.add(kPositionals, -1);
  // An option is written whole: an abbreviation would change its meaning with the next release.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    return po::command_line_parser(words)
        .options(description)
        .positional(positionals)
        .style(style)
        .extra_style_parser(take_negative_number)
        .run();
  } catch (const po::unknown_option& error) {
    refuse_unknown_option(verb, error.get_option_name());
  } catch (const po::error_with_option_name& error) {
    throw UsageError(error.what());
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
}

// Options by name; a switch that was given has an entry without values.
Arguments::Values options_of(const Verb& verb, const po::parsed_options& parsed) {
  Arguments::Values values;
  for (const auto& given : parsed.options) {
    const bool again = values.contains(given.string_key);
    std::vector<std::string>& target = values[given.string_key];
    target.insert(target.end(), given.value.begin(), given.value.end());
    const auto option =
        std::find_if(verb.options.begin(), verb.options.end(),
                     [&](const Option& each) { return each.name == given.string_key; });
    if (again && option != verb.options.end() && !option->repeated) {
      throw UsageError("--" + given.string_key + " is given twice");
    }
  }
  return values;
}

void place_positionals(const Verb& verb, const std::vector<std::string>& given,
                       Arguments::Values& values) {
  auto next = given.begin();
  for (const Positional& positional : verb.positionals) {
    if (next == given.end()) {
      if (positional.required) throw UsageError(positional.name + " is missing");
      break;
    }
    const auto end = positional.repeated ? given.end() : next + 1;
    values[positional.name].assign(next, end);
    next = end;
  }
  if (next != given.end()) throw UsageError("unexpected argument " + quote(*next));
}

// How the operator knows it: "--keep" for an option, "SLUG" for a positional.
std::string label(std::string_view name) {
  const bool is_positional = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
  return (is_positional ? "" : "--") + std::string(name);
}

domain::Slug parse_slug(std::string_view name, const std::string& value) {
  const auto slug = domain::Slug::parse(value);
  if (!slug) {
    throw UsageError(
        label(name) + ": " + quote(value) +
        " is not a valid slug; allowed are lower-case letters and digits in groups joined by "
        "single hyphens, at most 64 characters");
  }
  return *slug;
}

}  // namespace

std::string Arguments::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? "" : found->second.front();
}

std::vector<std::string> Arguments::list(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::int64_t Arguments::integer(std::string_view name, std::int64_t min, std::int64_t max,
                                std::optional<std::int64_t> otherwise) const {
  if (otherwise && !has(name)) return *otherwise;
  const std::string value = text(name);
  const auto number = base::parse_number<std::int64_t>(value);
  if (!number || *number < min || *number > max) {
    throw UsageError(
        fmt::format("{}: {} is not a number from {} to {}", label(name), quote(value), min, max));
  }
  return *number;
}

domain::Slug Arguments::slug(std::string_view name) const { return parse_slug(name, text(name)); }

std::vector<domain::Slug> Arguments::slugs(std::string_view name) const {
  std::vector<domain::Slug> slugs;
  for (const std::string& value : list(name)) slugs.push_back(parse_slug(name, value));
  return slugs;
}

domain::Version Arguments::version(std::string_view name) const {
  const std::string value = text(name);
  const auto version = domain::Version::parse(value);
  if (!version) {
    throw UsageError(
        label(name) + ": " + quote(value) +
        " is not a valid version; allowed are letters, digits and . _ + ~ - after a first "
        "letter or digit, at most 64 characters");
  }
  return *version;
}

std::optional<domain::Slug> Arguments::optional_slug(std::string_view name) const {
  return has(name) ? std::optional(slug(name)) : std::nullopt;
}

std::optional<domain::Version> Arguments::optional_version(std::string_view name) const {
  return has(name) ? std::optional(version(name)) : std::nullopt;
}

std::optional<domain::Timestamp> Arguments::time(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  const std::optional<domain::Timestamp> time = domain::parse_timestamp(text(name));
  if (!time) {
    throw UsageError(label(name) + ": " + quote(text(name)) +
                     " is not a valid time; allowed are YYYY-MM-DD HH:MM:SS or ISO 8601, UTC");
  }
  return time;
}

const Noun& find_noun(std::string_view name) {
  for (const Noun& noun : nouns()) {
    if (noun.name == name) return noun;
  }
  refuse_name("unknown command " + quote(name), name, nouns());
}

const Verb& find_verb(const Noun& noun, std::string_view name) {
  for (const Verb& verb : noun.verbs) {
    if (verb.name == name) return verb;
  }
  refuse_name("unknown command " + quote(noun.name + " " + std::string(name)), name,
              std::span<const Verb>(noun.verbs));
}

Arguments parse_arguments(const Verb& verb, const std::vector<std::string>& words) {
  Arguments::Values values = options_of(verb, parse(verb, words));
  const auto found = values.find(kPositionals);
  const std::vector<std::string> positionals =
      found == values.end() ? std::vector<std::string>() : found->second;
  values.erase(kPositionals);
  place_positionals(verb, positionals, values);
  for (const Option& option : verb.options) {
    if (option.required && !values.contains(option.name)) {
      throw UsageError("--" + option.name + " " + option.value_name + " is missing");
    }
  }
  return Arguments(std::move(values));
}

Option json_option() { return {.name = "json", .help = "Prints JSON, for scripts."}; }

bool is_command(const Noun& noun) {
  return noun.verbs.size() == 1 && noun.verbs.front().name == noun.name;
}

std::span<const Noun> nouns() {
  static const std::vector<Noun> all = {
      commands::database::noun(),      commands::plugin::noun(),  commands::addon::noun(),
      commands::component::noun(),     commands::overlay::noun(), commands::build::noun(),
      commands::fleet::noun(),         commands::key::noun(),     commands::setting::noun(),
      commands::toolchain::noun(),     commands::log::noun(),     commands::depot::noun(),
      commands::cache::noun(),         commands::config::noun(),  commands::backup::noun(),
      commands::restore::noun(),       commands::bundle::noun(),  commands::drain::noun(),
      commands::drain::undrain_noun(), commands::doctor::noun()};
  return all;
}

}  // namespace goldsmith::cli
