#include "app/limits/gate.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "app/base/digest.hpp"
#include "app/base/log.hpp"
#include "app/base/text.hpp"
#include "app/limits/rate_windows.hpp"

namespace goldsmith::limits {

namespace {

using domain::Limit;
using domain::Permit;

constexpr std::string_view kKeyPrefix = "svck_";
constexpr std::chrono::seconds kBuildRetry{600};  // decision S10: whatever the window says
constexpr std::int64_t kParts = 8;                // of a brake: one is kept for keys (decision P8)

// The token of `Bearer TOKEN`; the scheme in any letter case. Nothing when it is not of that form.
std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() <= kScheme.size()) return std::nullopt;
  if (base::to_lower_ascii(authorization.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  return base::trim_ascii(authorization.substr(kScheme.size()));
}

std::string address_subject(const Caller& caller) {
  return "address " + rate_subject(caller.address);
}

std::string key_subject(const Caller& caller) { return "key " + std::to_string(caller.key); }

Caller anonymous_caller(std::string_view address, const Settings& settings) {
  Caller caller;
  caller.address = address;
  caller.scopes.assign(all_scopes().begin(), all_scopes().end());
  caller.per_minute = settings.anonymous_per_minute;
  caller.per_day = settings.anonymous_per_day;
  return caller;
}

void become(Caller& caller, const domain::ApiKey& key) {
  caller.key = key.id;
  caller.per_minute = key.per_minute;
  caller.per_day = key.per_day;
  caller.compiles_per_hour = key.compiles_per_hour;
  caller.builds_per_hour = key.builds_per_hour;
  caller.scopes.clear();
  for (const std::string& text : key.scopes) {
    if (const auto scope = parse_scope(text)) caller.scopes.push_back(*scope);
  }
}

domain::Permit::Answer answer_of(const WindowStatus& status, Limit limit) {
  if (status.granted) return std::nullopt;
  return domain::RateLimited{limit, std::chrono::seconds(status.seconds_left)};
}

}  // namespace

const Settings& Gate::settings() {
  return settings_.get(dependencies_.freshness.epoch(),
                       [&] { return make_settings(dependencies_.settings.load()); });
}

std::int64_t Gate::now() const { return base::unix_seconds(dependencies_.clock.now()); }

GateDecision Gate::admit(std::string_view address,
                         const std::optional<std::string>& authorization) {
  const Settings current = settings();
  GateDecision decision;
  decision.caller = anonymous_caller(address, current);
  if (!current.api_enabled) {
    decision.refusal.emplace(domain::Error::api_disabled);
    return decision;
  }
  if (authorization) {
    authenticate(*authorization, decision);
  } else if (!current.keyless_access) {
    decision.refusal.emplace(domain::Error::unauthorized);
  }
  // A failed authentication counts against the address, so that keys can't be guessed at line rate;
  // a good key never touches the address's bucket (decision R1).
  const Caller& caller = decision.caller;
  if (caller.anonymous()) {
    count(decision, address_subject(caller), current.anonymous_per_minute,
          current.anonymous_per_day);
  } else {
    count(decision, key_subject(caller), caller.per_minute, caller.per_day);
    if (!decision.refusal) ++uses_[caller.key].requests;
  }
  return decision;
}

void Gate::authenticate(std::string_view authorization, GateDecision& decision) {
  const auto token = bearer_token(authorization);
  if (!token || !token->starts_with(kKeyPrefix)) {
    decision.refusal.emplace(domain::Error::unauthorized);
    return;
  }
  const domain::ApiKey* key = find_key(base::sha256_hex(*token));
  if (!key) {
    decision.refusal.emplace(domain::Error::unauthorized);
  } else if (key->disabled) {
    decision.refusal.emplace(domain::Error::key_disabled);
  } else if (key->expires_at && *key->expires_at <= dependencies_.clock.seconds()) {
    decision.refusal.emplace(domain::Error::key_expired);
  } else {
    become(decision.caller, *key);
    note_use(*key);
  }
}

// All keys are in memory while the epoch stands, so that a wrong one costs no query (decision R16).
const domain::ApiKey* Gate::find_key(const std::string& sha256) {
  const Keys& keys = keys_.get(dependencies_.freshness.epoch(), [&] {
    Keys loaded;
    for (domain::ApiKey& key : dependencies_.keys.list()) {
      std::string name = key.sha256;
      loaded.emplace(std::move(name), std::move(key));
    }
    return loaded;
  });
  const auto found = keys.find(sha256);
  return found == keys.end() ? nullptr : &found->second;
}

// At most one write a minute and key, so that reads stay reads.
void Gate::note_use(const domain::ApiKey& key) {
  const std::int64_t minute = now() / 60;
  if (last_noted_[key.id] == minute) return;
  last_noted_[key.id] = minute;
  try {
    dependencies_.keys.touch(key.id, dependencies_.clock.seconds());
  } catch (const db::Error& error) {
    // A database that does not write, such as a replica, is no reason to refuse a read.
    base::log(base::LogLevel::warning, "the use of a key can't be noted",
              {{"cause", error.what()}});
  }
}

void Gate::keep_uses(bool is_last) {
  constexpr std::int64_t kPause = 5;
  constexpr std::int64_t kPauseAfterFailure = 60;
  if (uses_.empty() || (!is_last && now() < uses_kept_ + kPause)) return;
  uses_kept_ = now();
  try {
    while (!uses_.empty()) {
      const auto [key, uses] = *uses_.begin();
      // A connection that is lost meanwhile leaves open whether they were counted: rather too few.
      uses_.erase(uses_.begin());
      dependencies_.keys.add_uses(key, dependencies_.clock.seconds(), uses);
    }
  } catch (const db::Error& error) {
    uses_kept_ += kPauseAfterFailure - kPause;
    base::log(base::LogLevel::warning, "what a key has used can't be kept",
              {{"cause", error.what()}});
  }
}

void Gate::count(GateDecision& decision, const std::string& subject, std::int64_t per_minute,
                 std::int64_t per_day) {
  RateWindows& windows = dependencies_.windows;
  // A refusal that is known in advance asks for nothing, and a refused minute leaves the day alone:
  // who hammers at a closed door loses no more than that.
  const WindowStatus known_day = windows.recall(subject, Window::day, per_day, now());
  const WindowStatus minute = known_day.granted
                                  ? windows.take(subject, Window::minute, per_minute, now())
                                  : windows.recall(subject, Window::minute, per_minute, now());
  const WindowStatus day = minute.is_recalled ? known_day
                           : minute.granted   ? windows.take(subject, Window::day, per_day, now())
                                              : windows.peek(subject, Window::day, per_day, now());
  decision.rate = day.remaining() < minute.remaining() ? day : minute;
  if (!minute.granted || !day.granted) {
    // Both may be exhausted; waiting for the shorter one would only lead to the next refusal.
    const std::int64_t wait =
        std::max(minute.granted ? 1 : minute.seconds_left, day.granted ? 1 : day.seconds_left);
    decision.refusal.emplace(domain::RateLimited{Limit::requests, std::chrono::seconds(wait)});
  }
}

std::optional<domain::RateLimited> Gate::count_page(std::string_view address) {
  const Settings current = settings();
  GateDecision decision;
  decision.caller = anonymous_caller(address, current);
  count(decision, address_subject(decision.caller), current.anonymous_per_minute,
        current.anonymous_per_day);
  return decision.refusal ? decision.refusal->refusal : std::nullopt;
}

const Gate::Budget Gate::kCompiles = {"compile",
                                      &Settings::compiles_per_hour,
                                      &Caller::compiles_per_hour,
                                      &domain::Uses::compiles,
                                      Limit::compiles,
                                      "flood",
                                      &Settings::compile_flood_per_minute,
                                      Limit::flood_brake};
const Gate::Budget Gate::kBuilds = {"build",
                                    &Settings::builds_per_hour,
                                    &Caller::builds_per_hour,
                                    &domain::Uses::builds,
                                    Limit::builds,
                                    "build flood",
                                    &Settings::build_flood_per_minute,
                                    Limit::build_flood};

// A home often has a /56 and a customer of a hosting provider a /48: they have the hours of four
// and of sixteen addresses.
std::vector<Gate::HourOf> Gate::hours_of(const Budget& budget, const Caller& caller) {
  const std::string name(budget.name);
  if (!caller.anonymous()) {
    const std::optional<std::int64_t>& limit = caller.*budget.per_hour_of_key;
    if (!limit) return {};
    return {{name + " " + key_subject(caller), *limit}};
  }
  const std::int64_t limit = settings().*budget.per_hour;
  std::vector<HourOf> hours{{name + " " + address_subject(caller), limit}};
  for (const auto& [bits, addresses] : {std::pair<unsigned short, int>{56, 4}, {48, 16}}) {
    if (const auto network = network_of(caller.address, std::nullopt, bits)) {
      hours.push_back({name + " network " + *network, limit * addresses});
    }
  }
  return hours;
}

// The brake comes between looking at the hour and taking from it: an attempt that it stops never
// reaches the compiler and costs nothing.
Permit::Answer Gate::take_hour_and_brake(const Budget& budget, const Caller& caller) {
  RateWindows& windows = dependencies_.windows;
  const std::vector<HourOf> hours = hours_of(budget, caller);
  const auto answer = [&](const WindowStatus& hour) -> Permit::Answer {
    if (hour.granted) return std::nullopt;
    const std::chrono::seconds left(hour.seconds_left);
    if (budget.hour_limit == Limit::builds) {
      return domain::RateLimited{Limit::builds, kBuildRetry, left};
    }
    return domain::RateLimited{budget.hour_limit, left};
  };
  for (const HourOf& each : hours) {
    const auto refusal = answer(windows.peek(each.subject, Window::hour, each.limit, now()));
    if (refusal) return refusal;
  }
  if (const auto refusal = take_brake(budget, caller)) return refusal;
  for (const HourOf& each : hours) {
    const auto refusal = answer(windows.take(each.subject, Window::hour, each.limit, now()));
    if (refusal) return refusal;
  }
  if (!caller.anonymous()) ++(uses_[caller.key].*budget.uses);
  return std::nullopt;
}

// Without a key nobody takes the last part; and when half is gone, no network more than one part.
Permit::Answer Gate::take_brake(const Budget& budget, const Caller& caller) {
  const std::int64_t limit = settings().*budget.per_minute;
  const std::int64_t part = limit / kParts;
  if (!caller.anonymous() || part == 0) return take_from(budget, limit);
  const auto network = network_of(caller.address, 24, 48);
  if (!network) return take_from(budget, limit - part);
  RateWindows& windows = dependencies_.windows;
  const std::string subject = std::string(budget.brake) + " network " + *network;
  if (!windows.peek(budget.brake, Window::minute, (limit + 1) / 2, now()).granted) {
    const WindowStatus theirs = windows.peek(subject, Window::minute, part, now());
    if (!theirs.granted) return answer_of(theirs, budget.brake_limit);
  }
  const auto refusal = take_from(budget, limit - part);
  if (!refusal) windows.take(subject, Window::minute, part, now());
  return refusal;
}

Permit::Answer Gate::take_from(const Budget& budget, std::int64_t limit) {
  return answer_of(dependencies_.windows.take(budget.brake, Window::minute, limit, now()),
                   budget.brake_limit);
}

Permit Gate::compile_permit(const Caller& caller) {
  return [this, caller] { return take_hour_and_brake(kCompiles, caller); };
}

Permit Gate::compiler_start_permit(const Caller& caller) {
  return [this, caller] { return take_brake(kCompiles, caller); };
}

// Downloads come first: others that reached half of the brake in this minute end the turn.
Permit Gate::background_start_permit() {
  return [this] { return take_from(kCompiles, (settings().compile_flood_per_minute + 1) / 2); };
}

Permit Gate::build_permit(const Caller& caller) {
  return [this, caller] { return take_hour_and_brake(kBuilds, caller); };
}

Permit Gate::paid_build_permit(const Caller& caller) {
  return [this, caller] { return take_brake(kBuilds, caller); };
}

}  // namespace goldsmith::limits
