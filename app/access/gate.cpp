#include "app/access/gate.hpp"

#include <algorithm>
#include <chrono>

#include "app/access/address.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/log.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::access {
namespace {

using domain::Limit;
using domain::Permit;

constexpr std::string_view kKeyPrefix = "svck_";
constexpr std::chrono::seconds kBuildRetry{600};  // decision S10: whatever the window says
constexpr std::string_view kFloodSubject = "flood";
constexpr std::string_view kBuildFloodSubject = "build flood";

// The token of `Bearer TOKEN`; the scheme in any letter case. Nothing when it is not of that form.
std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() <= kScheme.size()) return std::nullopt;
  if (sys::to_lower_ascii(authorization.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  return sys::trim_ascii(authorization.substr(kScheme.size()));
}

std::string address_subject(const Caller& caller) {
  return "address " + rate_subject(caller.address);
}

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

std::int64_t Gate::now() const { return sys::unix_seconds(dependencies_.clock.now()); }

GateDecision Gate::admit(std::string_view address,
                         const std::optional<std::string>& authorization) {
  const Settings current = settings();
  GateDecision decision;
  decision.caller = anonymous_caller(address, current);
  if (!current.api_enabled) {
    decision.refusal = Denial::api_disabled;
    return decision;
  }
  if (authorization) {
    authenticate(*authorization, decision);
  } else if (!current.keyless_access) {
    decision.refusal = Denial::unauthorized;
  }
  // A failed authentication counts against the address, so that keys can't be guessed at line rate;
  // a good key never touches the address's bucket (decision R1).
  const Caller& caller = decision.caller;
  if (caller.anonymous()) {
    count(decision, address_subject(caller), current.anonymous_per_minute,
          current.anonymous_per_day);
  } else {
    count(decision, "key " + std::to_string(caller.key), caller.per_minute, caller.per_day);
  }
  return decision;
}

void Gate::authenticate(std::string_view authorization, GateDecision& decision) {
  const auto token = bearer_token(authorization);
  if (!token || !token->starts_with(kKeyPrefix)) {
    decision.refusal = Denial::unauthorized;
    return;
  }
  const domain::ApiKey* key = find_key(sys::sha256_hex(*token));
  if (!key) {
    decision.refusal = Denial::unauthorized;
  } else if (key->disabled) {
    decision.refusal = Denial::key_disabled;
  } else if (key->expires_at && *key->expires_at <= dependencies_.clock.seconds()) {
    decision.refusal = Denial::key_expired;
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
    sys::log(sys::LogLevel::warning, "the use of a key can't be noted", {{"cause", error.what()}});
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
    decision.refusal = domain::RateLimited{Limit::requests, std::chrono::seconds(wait)};
  }
}

std::optional<domain::RateLimited> Gate::count_page(std::string_view address) {
  const Settings current = settings();
  GateDecision decision;
  decision.caller = anonymous_caller(address, current);
  count(decision, address_subject(decision.caller), current.anonymous_per_minute,
        current.anonymous_per_day);
  if (!decision.refusal) return std::nullopt;
  return std::get<domain::RateLimited>(*decision.refusal);
}

Permit::Answer Gate::take_compiler_start() {
  return answer_of(dependencies_.windows.take(kFloodSubject, Window::minute,
                                              settings().compile_flood_per_minute, now()),
                   Limit::flood_brake);
}

Permit::Answer Gate::take_build_flood() {
  return answer_of(dependencies_.windows.take(kBuildFloodSubject, Window::minute,
                                              settings().build_flood_per_minute, now()),
                   Limit::build_flood);
}

Permit Gate::compile_permit(const Caller& caller) {
  if (!caller.anonymous()) return compiler_start_permit();
  return [this, subject = "compile " + address_subject(caller)]() -> Permit::Answer {
    const std::int64_t limit = settings().compiles_per_hour;
    const WindowStatus hour = dependencies_.windows.peek(subject, Window::hour, limit, now());
    if (!hour.granted) return answer_of(hour, Limit::compiles);
    // The brake first: an attempt that it stops never reaches the compiler and costs nothing.
    if (const auto refusal = take_compiler_start()) return refusal;
    return answer_of(dependencies_.windows.take(subject, Window::hour, limit, now()),
                     Limit::compiles);
  };
}

Permit Gate::compiler_start_permit() {
  return [this] { return take_compiler_start(); };
}

// Downloads come first: others that reached half of the brake in this minute end the turn.
Permit Gate::background_start_permit() {
  return [this]() -> Permit::Answer {
    const std::int64_t half = (settings().compile_flood_per_minute + 1) / 2;
    const WindowStatus minute =
        dependencies_.windows.peek(kFloodSubject, Window::minute, half, now());
    if (!minute.granted) return answer_of(minute, Limit::flood_brake);
    return take_compiler_start();
  };
}

// In the same order as compile_permit, for the same reason.
Permit Gate::build_permit(const Caller& caller) {
  if (!caller.anonymous()) return paid_build_permit();
  return [this, subject = "build " + address_subject(caller)]() -> Permit::Answer {
    const std::int64_t limit = settings().builds_per_hour;
    const domain::RateLimited used_up{Limit::builds, kBuildRetry};
    RateWindows& windows = dependencies_.windows;
    if (!windows.peek(subject, Window::hour, limit, now()).granted) return used_up;
    if (const auto refusal = take_build_flood()) return refusal;
    if (!windows.take(subject, Window::hour, limit, now()).granted) return used_up;
    return std::nullopt;
  };
}

Permit Gate::paid_build_permit() {
  return [this] { return take_build_flood(); };
}

}  // namespace goldsmith::access
