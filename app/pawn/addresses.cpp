#include <algorithm>
#include <set>

#include "app/base/text.hpp"
#include "app/pawn/facts.hpp"
#include "app/pawn/words.hpp"

namespace goldsmith::pawn {
namespace {

// Whether it is the address of a page, not of a whole site.
bool has_page(std::string_view url) {
  const std::size_t host = url.find("//") + 2;
  const std::size_t slash = url.find('/', host);
  return slash != url.npos && slash + 1 < url.size();
}

}  // namespace

std::string address_in(std::string_view comment) {
  constexpr std::string_view kEnds = " \t\r\n\"'<>()[]{}|*^`\\,;";
  constexpr std::string_view kDots = "...";  // where a forum has shortened it
  constexpr std::size_t kLongest = 500;
  std::set<std::string> addresses;
  for (std::size_t at = comment.find("http"); at != comment.npos;
       at = comment.find("http", at + 1)) {
    const std::string_view rest = comment.substr(at, kLongest + 4);
    std::string_view url = rest;
    if (!url.starts_with("http://") && !url.starts_with("https://")) continue;
    url = url.substr(0, url.find_first_of(kEnds));
    const std::string_view next = base::trim_ascii(rest.substr(url.size()));
    if (url.find(kDots) != url.npos || next.starts_with(kDots)) continue;
    while (url.ends_with('.') || url.ends_with(':') || url.ends_with('!')) url.remove_suffix(1);
    const bool is_plain =
        std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7F; });
    if (is_plain && url.size() <= kLongest && has_page(url) &&
        !is_elsewhere(base::to_lower_ascii(url))) {
      addresses.emplace(url);
    }
  }
  return addresses.size() == 1 ? *addresses.begin() : "";
}

}  // namespace goldsmith::pawn
