// What GitHub's REST API says of releases. Pure: the answers may be anything.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/json/value.hpp"
#include "app/upstream/github.hpp"

namespace goldsmith::upstream {

// The answer is not what the API promises.
class MalformedAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The releases of a page, reduced to what read_releases() reads. Throws MalformedAnswer.
json::Array read_page(std::string_view body);

// All but drafts, newest first. Throws MalformedAnswer.
std::vector<GithubRelease> read_releases(const json::Array& releases);

// The pages of a URL as they are kept in a file, and the entity tag that the first one had.
struct CachedAnswer {
  std::string etag;  // "" = there is none
  json::Array releases;
};
// The content of the file; text that is no cached answer of the URL is an empty one.
std::string cached_text(const std::string& url, const CachedAnswer& cached);
CachedAnswer read_cached(std::string_view text, std::string_view url);

}  // namespace goldsmith::upstream
