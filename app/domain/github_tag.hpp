// A release on GitHub, from the address of one of its files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace goldsmith::domain {

struct GithubTag {
  std::string repository;  // owner/name
  std::string tag;         // percent-encoded, as in the address

  std::string page() const { return "https://github.com/" + repository + "/releases/tag/" + tag; }
};

// The tag in `https://github.com/OWNER/NAME/releases/download/TAG/FILE`; std::nullopt for any other
// address.
std::optional<GithubTag> github_tag(std::string_view url);

}  // namespace goldsmith::domain
