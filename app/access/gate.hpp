// Who may pass: the switches, keys and limits that come before every endpoint (CONTRACT.md,
// "Authentication" and "Limits"; decisions R1, R3, R10, P8, S10). Throws db::Error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "app/access/caller.hpp"
#include "app/access/freshness.hpp"
#include "app/access/rate_windows.hpp"
#include "app/access/settings.hpp"
#include "app/domain/permit.hpp"
#include "app/sys/clock.hpp"
#include "db/key_store.hpp"
#include "db/setting_store.hpp"

namespace goldsmith::access {

enum class Denial { api_disabled, unauthorized, key_disabled, key_expired };
using Refusal = std::variant<Denial, domain::RateLimited>;

struct GateDecision {
  Caller caller;
  std::optional<Refusal> refusal;
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
    const sys::Clock& clock;
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

 private:
  const Settings& settings();
  std::int64_t now() const;
  const domain::ApiKey* find_key(const std::string& sha256);
  void authenticate(std::string_view authorization, GateDecision& decision);
  void count(GateDecision& decision, const std::string& subject, std::int64_t per_minute,
             std::int64_t per_day);
  void note_use(const domain::ApiKey& key);

  // What a caller without a key has in an hour, and the brake, which is everyone's minute.
  struct Budget {
    std::string_view name;
    std::int64_t Settings::* per_hour;
    domain::Limit hour_limit;
    std::string_view brake;
    std::int64_t Settings::* per_minute;
    domain::Limit brake_limit;
  };
  static const Budget kCompiles;
  static const Budget kBuilds;
  domain::Permit::Answer take_hour_and_brake(const Budget& budget, const Caller& caller);
  domain::Permit::Answer take_brake(const Budget& budget, const Caller& caller);
  domain::Permit::Answer take_from(const Budget& budget, std::int64_t limit);

  using Keys = std::map<std::string, domain::ApiKey>;

  Dependencies dependencies_;
  Cached<Settings> settings_;
  Cached<Keys> keys_;                                // all, by SHA-256 (decision R16)
  std::map<std::int64_t, std::int64_t> last_noted_;  // key id → minute of the last note_use
};

}  // namespace goldsmith::access
