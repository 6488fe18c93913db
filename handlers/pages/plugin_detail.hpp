// The page of one plugin. Pure.
#pragma once

#include "app/domain/plugin.hpp"
#include "handlers/pages/site.hpp"
#include "handlers/views/plugin_view.hpp"

namespace goldsmith::handlers::pages {

http::Response plugin_page(const Site& site, const domain::Plugin& plugin,
                           const views::Fingerprints& fingerprints);

// A kind of file that has lines to read.
bool is_readable_kind(std::string_view kind);

}  // namespace goldsmith::handlers::pages
