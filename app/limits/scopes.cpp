// What keys of gate.hpp may be allowed to do.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "app/limits/gate.hpp"

namespace goldsmith::limits {

namespace {

constexpr std::array kScopes = {Scope::plugins_read, Scope::addons_read, Scope::server_read};
// In the order of the enumeration.
constexpr std::array<std::string_view, 3> kNames = {"plugins:read", "addons:read", "server:read"};

}  // namespace

std::string_view to_string(Scope scope) { return kNames.at(static_cast<std::size_t>(scope)); }

std::optional<Scope> parse_scope(std::string_view text) {
  const auto* found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return kScopes.at(static_cast<std::size_t>(found - kNames.begin()));
}

std::span<const Scope> all_scopes() { return kScopes; }

bool Caller::has(Scope scope) const {
  return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
}

}  // namespace goldsmith::limits
