// The verbs of `goldsmith build`.
#pragma once

#include <memory>

#include "app/cli/context.hpp"
#include "app/creator/server_builds.hpp"
#include "app/start/resolving.hpp"
#include "db/download_log.hpp"

namespace goldsmith::cli::commands::build {

Verb start_verb();  // build_start.cpp

// The plan of what HASH|SELECTION names. Throws Failure where a hash is of no build that is known,
// or not any more, and as start::resolve() does. (build.cpp)
std::shared_ptr<const creator::ResolvedPlan> resolve(const Arguments& arguments,
                                                     const start::Resolve& resolve_request,
                                                     db::BuildStore& records);

}  // namespace goldsmith::cli::commands::build
