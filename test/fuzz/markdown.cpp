// Descriptions of plugins and their sources as HTML: whatever is in them, only the expected
// elements come out, each closed.
#include <algorithm>
#include <set>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "handlers/pages/markdown.hpp"
#include "handlers/pages/source_pages.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

// The attributes of an element: names, and values in double quotes.
void check_attributes(std::string_view text, std::string_view element) {
  static const std::set<std::string_view> known = {"aria-label", "class", "href",  "id",      "rel",
                                                   "role",       "scope", "start", "tabindex"};
  while (!text.empty()) {
    const std::string_view name = fuzz::take_until(text, '=');
    require(known.contains(name), "an attribute is known");
    require(text.starts_with('"'), "a value is quoted");
    text.remove_prefix(1);
    const std::string_view value = fuzz::take_until(text, '"');
    require(value.find_first_of("<>") == std::string_view::npos, "and escaped");
    if (name == "href") {
      const std::string start = base::to_lower_ascii(value.substr(0, 8));
      require(start.starts_with("http://") || start == "https://" || start.starts_with("#l"),
              "a link leads to the web");
      require(element == "a", "and is one");
    }
    require(text.empty() || text.starts_with(' '), "attributes are apart");
    if (!text.empty()) text.remove_prefix(1);
  }
}

// Well-formed, with nothing but what goldsmith writes.
void check_html(std::string_view html) {
  static const std::set<std::string_view> known = {
      "a",  "blockquote", "code", "del",    "div",   "em",    "h2", "h3", "h4",    "h5", "h6", "li",
      "ol", "p",          "pre",  "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"};
  require(domain::is_utf8(html), "HTML is UTF-8");
  std::vector<std::string_view> open;
  while (true) {
    require(fuzz::take_until(html, '<').find('>') == std::string_view::npos, "text is escaped");
    if (html.empty()) break;
    std::string_view tag = fuzz::take_until(html, '>');
    if (tag == "br" || tag == "hr") continue;
    if (tag.starts_with('/')) {
      require(!open.empty() && open.back() == tag.substr(1), "an element ends within its parent");
      open.pop_back();
      continue;
    }
    const std::string_view element = fuzz::take_until(tag, ' ');
    require(known.contains(element), "an element is known");
    check_attributes(tag, element);
    open.push_back(element);
  }
  require(open.empty(), "every element ends");
}

}  // namespace

FUZZ_TARGET(markdown, "handlers/pages/markdown.cpp handlers/pages/compared_lines.cpp") {
  const unsigned heading = 2 + fuzz::take_byte(input) % 5;
  if (!domain::is_utf8(input)) return;  // a precondition
  check_html(handlers::pages::markdown_html(input, heading));
  check_html(handlers::pages::numbered_lines(input).html);
  std::string_view after = input;
  const std::string_view before = fuzz::take_until(after, '\x1E');
  const handlers::pages::NumberedLines compared = handlers::pages::compared_lines(before, after);
  check_html(compared.html);
  const bool differ = compared.html.find(" class=\"") != std::string::npos;
  require(before != after || !differ, "equal texts do not differ");
}
