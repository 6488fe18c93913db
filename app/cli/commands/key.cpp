#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <ostream>
#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/limits/gate.hpp"

namespace goldsmith::cli::commands::key {
namespace {

constexpr std::string_view kPrefix = "svck_";
constexpr std::size_t kSecretLength = 40;
constexpr std::size_t kShownLength = 12;  // of a key in listings: the prefix and 7 characters
constexpr std::int64_t kPerMinute = 1'200;
constexpr std::int64_t kPerDay = 200'000;
constexpr std::int64_t kMaxRequests = 10'000'000;  // what a window's counter can hold
constexpr int kMonth = 30;                         // days
constexpr std::string_view kNone = "none";
constexpr std::int64_t kMaxId = std::numeric_limits<std::int32_t>::max();

std::string scope_names() {
  return base::join(limits::all_scopes(), ",",
                    [](limits::Scope scope) { return limits::to_string(scope); });
}

std::vector<std::string> read_scopes(const Arguments& arguments) {
  const std::string text = arguments.has("scopes") ? arguments.text("scopes") : scope_names();
  std::vector<std::string> scopes;
  for (const std::string_view item : base::split(text, ',')) {
    const std::string scope(base::trim_ascii(item));
    if (!limits::parse_scope(scope)) {
      throw UsageError("--scopes: \"" + scope + "\" is not a valid scope; known are " +
                       scope_names());
    }
    if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) scopes.push_back(scope);
  }
  return scopes;
}

std::int64_t quota(const Arguments& arguments, std::string_view option, std::int64_t fallback) {
  return arguments.integer(option, 0, kMaxRequests, fallback);
}

// A budget that a key may have or not.
std::optional<std::int64_t> own_budget(const Arguments& arguments, std::string_view option,
                                       std::optional<std::int64_t> otherwise) {
  if (!arguments.has(option)) return otherwise;
  if (arguments.text(option) == kNone) return std::nullopt;
  return arguments.integer(option, 0, kMaxRequests);
}

void read_budgets(const Arguments& arguments, domain::ApiKey& key) {
  key.per_minute = quota(arguments, "per-minute", key.per_minute);
  key.per_day = quota(arguments, "per-day", key.per_day);
  key.compiles_per_hour = own_budget(arguments, "compiles-per-hour", key.compiles_per_hour);
  key.builds_per_hour = own_budget(arguments, "builds-per-hour", key.builds_per_hour);
  if (!arguments.has("expires")) return;
  const bool never = arguments.text("expires") == kNone;
  key.expires_at = never ? std::nullopt : arguments.time("expires");
}

std::vector<Option> budget_options() {
  return {{.name = "per-minute",
           .value_name = "N",
           .help = "Requests a minute, 0 to 10000000; 1200 for a new key."},
          {.name = "per-day",
           .value_name = "N",
           .help = "Requests a UTC day, 0 to 10000000; 200000 for a new key."},
          {.name = "compiles-per-hour",
           .value_name = "N",
           .help = "Compiled downloads an hour, 0 to 10000000; none, as for a new key, means "
                   "without a limit."},
          {.name = "builds-per-hour",
           .value_name = "N",
           .help = "Server archives built an hour, 0 to 10000000; none, as for a new key, means "
                   "without a limit."},
          {.name = "expires",
           .value_name = "T",
           .help = "Ends the key at this time (UTC); none, as for a new key, means never."}};
}

std::string read_name(const Arguments& arguments) {
  std::string name = arguments.text("name");
  if (name.empty() || name.size() > 255 || !base::is_printable(name)) {
    throw UsageError("--name: \"" + name + "\" must be 1 to 255 bytes of printable text");
  }
  return name;
}

using UsesByKey = std::map<std::int64_t, domain::Uses>;

struct KeyUses {
  UsesByKey day;
  UsesByKey month;
};

domain::Uses uses_of(const UsesByKey& uses, const domain::ApiKey& key) {
  const auto found = uses.find(key.id);
  return found == uses.end() ? domain::Uses{} : found->second;
}

std::string uses_text(const domain::Uses& uses) {
  return fmt::format("{}/{}/{}", uses.requests, uses.compiles, uses.builds);
}

json::Object uses_object(const domain::Uses& uses) {
  return {{"requests", uses.requests}, {"compiles", uses.compiles}, {"builds", uses.builds}};
}

json::Value number_or_null(const std::optional<std::int64_t>& number) {
  return number ? json::Value(*number) : json::Value();
}

std::string hourly(const domain::ApiKey& key) {
  const auto text = [](const std::optional<std::int64_t>& limit) {
    return limit ? std::to_string(*limit) : std::string("-");
  };
  return text(key.compiles_per_hour) + "/" + text(key.builds_per_hour);
}

Listing<domain::ApiKey> listing(domain::Timestamp now, const KeyUses& uses = {}) {
  using Key = domain::ApiKey;
  const auto state = [now](const Key& key) {
    if (key.disabled) return "disabled";
    return key.expires_at && *key.expires_at <= now ? "expired" : "active";
  };
  const auto& [day, month] = uses;
  return {
      {{"ID", "id", &Key::id},
       {"NAME", "name", &Key::name},
       {"PREFIX", "prefix", &Key::prefix},
       {.header = "SCOPES", .value = [](const Key& key) { return base::join(key.scopes, ","); }},
       {.field = "scopes", .value = &Key::scopes},
       {"PER MINUTE", "per_minute", &Key::per_minute},
       {"PER DAY", "per_day", &Key::per_day},
       {.header = "C/B HOUR", .value = hourly},
       {.field = "compiles_per_hour",
        .value = [](const Key& key) { return number_or_null(key.compiles_per_hour); }},
       {.field = "builds_per_hour",
        .value = [](const Key& key) { return number_or_null(key.builds_per_hour); }},
       {.header = "STATE", .value = state},
       {.header = "DAY R/C/B",
        .value = [day](const Key& key) { return uses_text(uses_of(day, key)); }},
       {.header = "MONTH R/C/B",
        .value = [month](const Key& key) { return uses_text(uses_of(month, key)); }},
       {.field = "used_day",
        .value = [day](const Key& key) { return json::Value(uses_object(uses_of(day, key))); }},
       {.field = "used_month",
        .value = [month](const Key& key) { return json::Value(uses_object(uses_of(month, key))); }},
       {"LAST USED", "last_used_at", &Key::last_used_at, "never"},
       {.field = "disabled", .value = &Key::disabled},
       {.field = "expires_at", .value = &Key::expires_at},
       {.field = "created_at", .value = &Key::created_at}}};
}

void run_create(const Arguments& arguments, Context& context) {
  const std::string secret = std::string(kPrefix) + base::random_alphanumeric(kSecretLength);
  domain::ApiKey key;
  key.name = read_name(arguments);
  key.prefix = secret.substr(0, kShownLength);
  key.sha256 = base::sha256_hex(secret);
  key.scopes = read_scopes(arguments);
  key.per_minute = kPerMinute;
  key.per_day = kPerDay;
  read_budgets(arguments, key);
  key.created_at = context.now();
  key.id = context.keys().create(key);
  if (arguments.has("json")) {
    json::Object object = listing(context.now()).object(key);
    object["key"] = secret;
    context.print(object);
  } else {
    context.out() << secret << "\nkey " << key.id << " (" << key.name
                  << ") is created; it is not stored and can't be shown again\n";
  }
  if (context.out().flush()) return;
  // Nobody has seen it, and nobody ever will.
  context.keys().remove(key.id);
  throw Failure("cannot write to standard output; the key, which nobody has seen, was removed");
}

void run_list(const Arguments& arguments, Context& context) {
  const domain::Timestamp now = context.now();
  const auto since = [&](int days) {
    // The hour that has begun counts as the first one.
    return std::chrono::ceil<std::chrono::hours>(now) - std::chrono::days(days);
  };
  KeyUses uses{context.keys().uses_since(since(1)), context.keys().uses_since(since(kMonth))};
  listing(now, uses).print(context.keys().list(), arguments, context);
}

std::int64_t id_of(const Arguments& arguments) { return arguments.integer("ID", 1, kMaxId); }

void done_or_unknown(bool found, std::int64_t id, const char* done, Context& context) {
  if (!found) {
    throw Failure(fmt::format("there is no key {}; see \"goldsmith key list\"", id));
  }
  context.out() << "key " << id << " is " << done << '\n';
}

void run_set(const Arguments& arguments, Context& context) {
  const std::int64_t id = id_of(arguments);
  std::vector<domain::ApiKey> keys = context.keys().list();
  const auto key = std::ranges::find(keys, id, &domain::ApiKey::id);
  if (key != keys.end()) read_budgets(arguments, *key);
  done_or_unknown(key != keys.end() && context.keys().set_budgets(*key), id, "changed", context);
}

void run_disable(const Arguments& arguments, Context& context) {
  const std::int64_t id = id_of(arguments);
  done_or_unknown(context.keys().set_disabled(id, true), id, "disabled", context);
}

void run_enable(const Arguments& arguments, Context& context) {
  const std::int64_t id = id_of(arguments);
  done_or_unknown(context.keys().set_disabled(id, false), id, "enabled", context);
}

void run_remove(const Arguments& arguments, Context& context) {
  const std::int64_t id = id_of(arguments);
  done_or_unknown(context.keys().remove(id), id, "removed", context);
}

Verb on_one_key(std::string name, std::string summary, std::string text,
                void (*run)(const Arguments&, Context&)) {
  const std::string example = "goldsmith key " + name + " 3";
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .text = std::move(text),
      .positionals = {{.name = "ID"}},
      .examples = {example},
      .run = run,
      .changes = true,
      .withdraws = true,
  };
}

Verb create_verb() {
  Verb verb{
      .name = "create",
      .summary = "Creates a key and shows it once.",
      .text =
          "Creates a key and prints it alone on the first line. Only its SHA-256 is stored, so it "
          "can't be shown again.",
      .options = {{.name = "name",
                   .value_name = "N",
                   .help = "Names the holder of the key.",
                   .required = true},
                  {.name = "scopes",
                   .value_name = "A,B",
                   .help = "Limits the key to these scopes; the default is all: " + scope_names() +
                           "."},
                  json_option()},
      .examples = {"goldsmith key create --name example-hosting",
                   "goldsmith key create --name panel --scopes plugins:read --expires 2027-01-01",
                   "goldsmith key create --name reseller --per-day 20000 --builds-per-hour 30"},
      .run = run_create,
      .changes = true,
  };
  const std::vector<Option> budgets = budget_options();
  verb.options.insert(verb.options.end() - 1, budgets.begin(), budgets.end());
  return verb;
}

Verb set_verb() {
  return {
      .name = "set",
      .summary = "Changes the budgets and the end of a key.",
      .text =
          "Changes what is given of the budgets of a key and of the time when it ends; the rest "
          "stays. What was used in the minute, hour or day counts.",
      .positionals = {{.name = "ID"}},
      .options = budget_options(),
      .examples = {"goldsmith key set 3 --builds-per-hour 30 --expires 2027-01-01",
                   "goldsmith key set 3 --builds-per-hour none"},
      .run = run_set,
      .changes = true,
  };
}

Verb list_verb() {
  return {
      .name = "list",
      .summary = "Lists the keys.",
      .text =
          "Lists all keys by number, with the first characters of each; the keys themselves are "
          "never shown. C/B HOUR has their budgets of compiles and builds an hour, - is without a "
          "limit. DAY and MONTH have how many requests, compiles and builds a key used in the last "
          "24 hours and 30 days, counted by hours and up to seconds ago; what was refused is not "
          "counted.",
      .options = {json_option()},
      .examples = {"goldsmith key list"},
      .run = run_list,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "key",
      .summary = "API keys.",
      .text =
          "Manages API keys. A key raises its holder's limits and has scopes; the endpoints are "
          "the same for everybody. A change takes effect with the next request.",
      .verbs = {create_verb(), list_verb(), set_verb(),
                on_one_key("disable", "Disables a key.",
                           "Disables a key: its holder gets 401 key_disabled.", run_disable),
                on_one_key("enable", "Enables a disabled key.", "Enables a disabled key again.",
                           run_enable),
                on_one_key("remove", "Removes a key.",
                           "Removes a key for good: its holder gets 401 unauthorized.",
                           run_remove)},
  };
}

}  // namespace goldsmith::cli::commands::key
