// Whether what a repository has now is of whom it was when it was mirrored before: a name is none
// (decision P27).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace goldsmith::domain {

// Which repository a name led to, and which history of it (decision P27). 0 = not known.
struct SourceIdentity {
  std::int64_t repository = 0;  // GitHub's number of it, which it keeps when it is renamed
  std::int64_t owner = 0;       // and that of the account that has it
  std::int64_t rewrites = 0;    // how often its history was rewritten since it is followed

  static void members(auto& self, const auto& visit) {
    visit("repository", self.repository);
    visit("owner", self.owner);
    visit("rewrites", self.rewrites);
  }
  friend bool operator==(const SourceIdentity&, const SourceIdentity&) = default;
};

enum class Doubt {
  replaced,     // the name leads to another repository
  transferred,  // another account has it
  rewritten,    // what was mirrored before is not in its history
  unproven      // its forge tells none of these
};

// What speaks against taking one for the other. What was not known before counts for nothing.
std::vector<Doubt> doubts_between(const SourceIdentity& before, const SourceIdentity& now);

// What is known of a repository when it is mirrored.
struct SourceCheck {
  SourceIdentity now = {};
  SourceIdentity trusted = {};
  bool is_doubted = false;  // whether doubts count at all
  bool is_first = false;    // nothing of it was mirrored before, as far as this host knows
  // Numbers of other repositories whose plugins a person wants from this one.
  std::vector<std::int64_t> predecessors = {};

  // What speaks against a new version of a plugin. `published`: what is known of where its newest
  // public version comes from of which anything is; null = none is public.
  std::vector<Doubt> doubts(const SourceIdentity* published) const;
};

// A sentence for people, without its end.
std::string text_of(Doubt doubt, const std::string& repository);

}  // namespace goldsmith::domain
