// `goldsmith component mirror` from upstream. Private to the nouns.
#pragma once

#include <optional>

#include "app/cli/context.hpp"
#include "app/service/upstream_mirroring.hpp"

namespace goldsmith::cli {

// Mirrors `slug`, or without one every component that has an upstream: then it goes on after a
// failure, sums up, and throws Failure at the end. With `dry_run` it says what it would do, no
// more.
void mirror_upstream(const std::optional<domain::Slug>& slug,
                     const service::UpstreamRequest& request, bool dry_run, Context& context);

// Lists what has a newer version at upstream; `slug` as above.
void check_upstream(const std::optional<domain::Slug>& slug, bool as_json, Context& context);

// "mirrored SLUG VERSION: …", the last line of every way to mirror.
void print_outcome(const domain::Slug& slug, const service::MirrorOutcome& outcome,
                   std::ostream& out);

}  // namespace goldsmith::cli
