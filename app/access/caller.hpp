// Who is asking, and what they may do (CONTRACT.md, "Authentication").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldsmith::access {

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

  bool anonymous() const { return key == 0; }
  std::string_view tier() const { return anonymous() ? "anonymous" : "key"; }
  bool has(Scope scope) const;
};

}  // namespace goldsmith::access
