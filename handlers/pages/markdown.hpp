// CommonMark that strangers wrote, as HTML for a page (decision P20).
#pragma once

#include <string>
#include <string_view>

namespace goldsmith::handlers::pages {

// CommonMark with tables, strikethrough and bare addresses. HTML in it is text; images are links;
// only addresses with http and https are links, which search engines don't follow. Headings begin
// at the level `first_heading`, 2 to 6, and leave none out. What nests too deeply, or becomes too
// long, is shown as it was written. Precondition: UTF-8.
std::string markdown_html(std::string_view text, unsigned first_heading);

}  // namespace goldsmith::handlers::pages
