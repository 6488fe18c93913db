#include "app/access/caller.hpp"

#include <algorithm>

namespace goldsmith::access {
namespace {

constexpr std::array kScopes = {Scope::plugins_read, Scope::addons_read, Scope::server_read};

}  // namespace

std::string_view to_string(Scope scope) {
  switch (scope) {
    case Scope::plugins_read:
      return "plugins:read";
    case Scope::addons_read:
      return "addons:read";
    case Scope::server_read:
      return "server:read";
  }
  return "";
}

std::optional<Scope> parse_scope(std::string_view text) {
  for (const Scope scope : kScopes) {
    if (to_string(scope) == text) return scope;
  }
  return std::nullopt;
}

std::span<const Scope> all_scopes() { return kScopes; }

bool Caller::has(Scope scope) const {
  return std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
}

}  // namespace goldsmith::access
