// What an update of a server has to know of its build and of what the build replaces (decision
// S24). Pure.
#pragma once

#include <string>

#include "app/creator/plan.hpp"
#include "app/domain/component.hpp"

namespace goldsmith::handlers::documents {

// The document. `libraries`: those of every mirrored version; `download`: the address of the
// archive. Precondition: the versions of the plan have their files.
std::string update_facts(const creator::Plan& plan, const domain::Catalog& catalog,
                         const domain::VersionFiles& libraries, const std::string& download);

}  // namespace goldsmith::handlers::documents
