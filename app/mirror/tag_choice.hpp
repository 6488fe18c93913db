// Which tag or release of a repository its plugins are taken from, and which waits until a person
// has looked (decision P26). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/domain/timestamp.hpp"

namespace goldsmith::mirror {

struct TagCandidate {
  std::string tag;
  bool is_prerelease = false;  // as its forge says, whatever its name
};

// What the choice begins with.
struct PublicTag {
  std::string tag = {};                        // "" = nothing of the repository is public
  std::optional<domain::Timestamp> time = {};  // absent = not known
  bool takes_prereleases = false;              // by the operator's word
  bool is_unfinished = false;  // what is public is not final: the same until a tag is
};

struct WaitingTag {
  std::string tag;
  std::string why;  // for people
};

struct TagChoice {
  std::string
      tag;  // the highest that is an ordinary one after the public one; "" = none is a version
  std::vector<WaitingTag> waiting;  // the highest of each kind of step that is none
};

TagChoice choose_tag(std::vector<TagCandidate> candidates, const PublicTag& published,
                     domain::Timestamp now);

}  // namespace goldsmith::mirror
