// The files of a planned server as a tree of folders. Pure.
#pragma once

#include <string>

#include "app/creator/plan.hpp"
#include "app/json/value.hpp"

namespace goldsmith::handlers::pages {

// {name, open, summary, folders: […], files: […]} of the archive's root. `page_url` is the page
// with the choice that was planned; a link of each file shows that file on it.
json::Object file_tree(const creator::Plan& plan, const std::string& page_url);

}  // namespace goldsmith::handlers::pages
