// The software bill of materials of a build, as CycloneDX 1.6 (decision S22). Pure: equal builds
// and facts give the same document, on every host and at any time.
#pragma once

#include <map>
#include <string>

#include "app/base/json.hpp"
#include "app/creator/plan.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::handlers::documents {

// The facts about a plan's directory plugins, by slug. A missing plugin is named without them.
using PluginFacts = std::map<std::string, domain::Plugin, std::less<>>;

// Precondition: every file of the plan has its SHA-256.
json::Object sbom(const creator::Plan& plan, const PluginFacts& facts);

}  // namespace goldsmith::handlers::documents
