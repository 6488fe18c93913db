// Versions of components: which of them something applies to, and what a tag on GitHub says of
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/message.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::domain {

// Which versions of a component something applies to: "<3.15.0.896", ">=5.24 <5.26".

// Comparisons with versions that must all hold. Default-constructed it holds every version.
// Versions of one rank (version_rank()) are as high as each other; `=` is about the very same text.
class VersionRange {
 public:
  VersionRange() = default;
  // Comparisons separated by spaces: one of `<`, `<=`, `>`, `>=` and `=`, then a version. "" is
  // every version. std::nullopt if `text` is anything else.
  static std::optional<VersionRange> parse(std::string_view text);

  bool contains(std::string_view version) const;
  bool is_every() const { return bounds_.empty(); }
  // What parse() reads, with one space between the comparisons.
  std::string str() const;
  // "NAME >=5.24 <5.26": of the versions of what has that name. NAME alone if it is every version.
  std::string of(std::string_view name) const;
  // The same in words: "NAME 5.24 or newer, before 5.26".
  base::Message in_words(std::string_view name) const;
  // The versions of both.
  VersionRange operator&(const VersionRange& other) const;

  friend bool operator==(const VersionRange&, const VersionRange&) = default;
  friend auto operator<=>(const VersionRange&, const VersionRange&) = default;

 private:
  struct Bound {
    std::string relation;
    Version version;

    friend bool operator==(const Bound&, const Bound&) = default;
    friend auto operator<=>(const Bound&, const Bound&) = default;
  };

  static std::optional<Bound> parse_bound(std::string_view text);

  std::vector<Bound> bounds_;
};

// A release on GitHub, from the address of one of its files.
struct GithubTag {
  std::string repository;  // owner/name
  std::string tag;         // percent-encoded, as in the address

  std::string page() const { return "https://github.com/" + repository + "/releases/tag/" + tag; }
};

// The tag in `https://github.com/OWNER/NAME/releases/download/TAG/FILE`; std::nullopt for any other
// address.
std::optional<GithubTag> github_tag(std::string_view url);

}  // namespace goldsmith::domain
