// Who may pass: settings, callers and their keys, and the limits before every endpoint.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/clock.hpp"
#include "app/domain/failure.hpp"
#include "app/limits/freshness.hpp"
#include "app/limits/rate_windows.hpp"
#include "db/access_store.hpp"

namespace goldsmith::limits {

// What the operator can change while the service runs (`goldsmith setting`): names, types, bounds,
// defaults.
struct Settings {
  bool api_enabled = true;
  bool keyless_access = true;
  std::int64_t anonymous_per_minute = 600;
  std::int64_t anonymous_per_day = 50'000;
  std::int64_t compiles_per_hour = 60;         // anonymous callers, each address
  std::int64_t builds_per_hour = 10;           // anonymous callers, each address
  std::int64_t compile_flood_per_minute = 40;  // everyone together
  std::int64_t build_flood_per_minute = 30;    // everyone together
};

// What the counter of a window can hold; no setting is larger.
inline constexpr std::int64_t kLargestSetting = 10'000'000;

// One setting as the operator sees it: a switch, or a number from 0 to kLargestSetting.
struct SettingInfo {
  std::string_view name;
  std::string_view meaning;
  bool Settings::* flag = nullptr;
  std::int64_t Settings::* number = nullptr;
};
std::span<const SettingInfo> setting_infos();

// Unknown name or bad value; what() names it, what is allowed and the bounds (decision O2).
class SettingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The canonical text of a value ("on", "off" or digits). Throws SettingError.
std::string normalise_setting(std::string_view name, std::string_view value);

// Stored texts over the defaults. A stored value that is no longer legal is ignored: the default
// holds, and `goldsmith setting list` shows it.
Settings make_settings(const std::map<std::string, std::string>& stored);

// The value in force as text.
std::string setting_text(const Settings& settings, const SettingInfo& info);

// Who is asking, and what they may do (API.md, "Authentication").
enum class Scope { plugins_read, addons_read, server_read };

std::string_view to_string(Scope scope);
std::optional<Scope> parse_scope(std::string_view text);
// All three, in the order of the specification.
std::span<const Scope> all_scopes();

struct Caller {
  std::string address;   // the caller's IP address, text form (decision R14)
  std::int64_t key = 0;  // id of the API key; 0 = anonymous
  std::vector<Scope> scopes;
  std::int64_t per_minute = 0;  // quota in force for this caller
  std::int64_t per_day = 0;
  // Those of the key; absent = no limit of its own.
  std::optional<std::int64_t> compiles_per_hour = {};
  std::optional<std::int64_t> builds_per_hour = {};

  bool anonymous() const { return key == 0; }
  std::string_view tier() const { return anonymous() ? "anonymous" : "key"; }
  bool has(Scope scope) const;
};

// Who may pass: the switches, keys and limits that come before every endpoint (API.md,
// "Authentication" and "Limits"; decisions R1, R3, R10, P8, S10). Throws db::Error.

struct GateDecision {
  Caller caller;
  std::optional<domain::Failure> refusal;
  // The tighter of the two general windows, for the RateLimit headers (decision R10); std::nullopt
  // if the request was not counted.
  std::optional<WindowStatus> rate;
};

class Gate {
 public:
  struct Dependencies {
    Freshness& freshness;
    db::SettingStore& settings;
    db::KeyStore& keys;
    RateWindows& windows;
    const base::Clock& clock;
  };
  explicit Gate(Dependencies dependencies) : dependencies_(dependencies) {}

  // The operator's switch, for the pages beside the API.
  bool api_is_enabled() { return settings().api_enabled; }

  // `authorization`: the header's value; present and empty is present (decision R3).
  GateDecision admit(std::string_view address, const std::optional<std::string>& authorization);

  // Counts a request for what is outside of the API in the windows of its address, which are those
  // of the API (decision R21). The refusal if one of them is used up.
  std::optional<domain::RateLimited> count_page(std::string_view address);

  // The budgets. Each permit takes from them when it is asked, and refers to this gate. A brake is
  // everyone's minute, of which a caller has a fair share (decisions P8 and S18).
  domain::Permit compile_permit(const Caller& caller);         // the caller's hour and the brake
  domain::Permit compiler_start_permit(const Caller& caller);  // the brake alone
  // The brake alone, as long as half of it is left to others.
  domain::Permit background_start_permit();
  domain::Permit build_permit(const Caller& caller);       // the caller's hour and the brake (S10)
  domain::Permit paid_build_permit(const Caller& caller);  // the brake alone

  // Writes what keys have used since the last time to the database, at most every five seconds, and
  // after a failure once a minute. To be called between requests, and with `is_last` in the end.
  void keep_uses(bool is_last = false);

 private:
  const Settings& settings();
  std::int64_t now() const;
  const domain::ApiKey* find_key(const std::string& sha256);
  void authenticate(std::string_view authorization, GateDecision& decision);
  void count(GateDecision& decision, const std::string& subject, std::int64_t per_minute,
             std::int64_t per_day);
  void note_use(const domain::ApiKey& key);

  // What a caller has in an hour, and the brake, which is everyone's minute.
  struct Budget {
    std::string_view name;
    std::int64_t Settings::* per_hour;  // without a key
    std::optional<std::int64_t> Caller::* per_hour_of_key;
    std::int64_t domain::Uses::* uses;  // of a key
    domain::Limit hour_limit;
    std::string_view brake;
    std::int64_t Settings::* per_minute;
    domain::Limit brake_limit;
  };
  static const Budget kCompiles;
  static const Budget kBuilds;
  struct HourOf {
    std::string subject;
    std::int64_t limit = 0;
  };
  std::vector<HourOf> hours_of(const Budget& budget, const Caller& caller);
  domain::Permit::Answer take_hour_and_brake(const Budget& budget, const Caller& caller);
  domain::Permit::Answer take_brake(const Budget& budget, const Caller& caller);
  domain::Permit::Answer take_from(const Budget& budget, std::int64_t limit);

  using Keys = std::map<std::string, domain::ApiKey>;

  Dependencies dependencies_;
  Cached<Settings> settings_;
  Cached<Keys> keys_;                                // all, by SHA-256 (decision R16)
  std::map<std::int64_t, std::int64_t> last_noted_;  // key id → minute of the last note_use
  std::map<std::int64_t, domain::Uses> uses_;        // by key id; not in the database yet
  std::int64_t uses_kept_ = 0;                       // when; seconds since the epoch
};

}  // namespace goldsmith::limits
