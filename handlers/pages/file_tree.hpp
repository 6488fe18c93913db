// The files of a plan as a tree of folders.
#pragma once

#include <string>

#include "app/creator/plan.hpp"
#include "handlers/pages/creator_choice.hpp"

namespace goldsmith::handlers::pages {

// Nested lists in HTML, folders first; each folder with how much is below it. A file is a button
// that shows it beside the same choice: a link for each would repeat the whole choice, which the
// buttons share in a few forms. Written here rather than by a template, which takes ten times as
// long for thousands of files.
std::string file_tree(const creator::Plan& plan, const Choice& choice);

}  // namespace goldsmith::handlers::pages
