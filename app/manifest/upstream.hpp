// The `upstream` of a component: where its releases come from, and how they are checked.
#pragma once

#include "app/domain/component.hpp"
#include "app/manifest/fields.hpp"

namespace goldsmith::manifest {

// {"github": "owner/repo", "tag": "glob of release tags", "asset": "glob" or ["glob", …],
//  "sha256": {"VERSION": "hex" or ["hex", …]}, "signature": {"suffix": ".asc", "key": "40 hex"}}
// or, with a `sha256` and `signature` of the same form,
// {"url": "https://…{version}…" or [several], "version": "what is mirrored unless one is named"}.
domain::Upstream read_upstream(const Node& node);

}  // namespace goldsmith::manifest
