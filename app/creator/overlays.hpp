// Replaces configuration files of components with tuned ones (decision S13).
#pragma once

#include <vector>

#include "app/creator/file_set.hpp"

namespace goldsmith::creator {

// Replaces each of `files` for which a section applies. Ignores sections for paths that no selected
// component ships.
void apply_overlays(std::vector<domain::OverlaySection> sections, const Selection& selection,
                    FileSet& files);

}  // namespace goldsmith::creator
