// Tuned configuration in place of what a component ships (decision S13).
#pragma once

#include <vector>

#include "app/creator/file_set.hpp"

namespace goldsmith::creator {

// Replaces each file of `files` that has a section for this selection. Sections of paths that no
// selected component ships are passed over.
void apply_overlays(std::vector<domain::OverlaySection> sections, const Selection& selection,
                    FileSet& files);

}  // namespace goldsmith::creator
