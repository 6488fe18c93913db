#include "app/domain/source_identity.hpp"

#include <algorithm>

namespace goldsmith::domain {

std::vector<Doubt> doubts_between(const SourceIdentity& before, const SourceIdentity& now) {
  if (now.repository == 0) return {Doubt::unproven};
  std::vector<Doubt> doubts;
  if (before.repository != 0 && before.repository != now.repository) {
    doubts.push_back(Doubt::replaced);
  }
  if (before.owner != 0 && before.owner != now.owner) doubts.push_back(Doubt::transferred);
  if (before.rewrites != now.rewrites) doubts.push_back(Doubt::rewritten);
  return doubts;
}

// Whoever published a version that waited has looked at what the repository is since then. Where
// nothing is known of the repository, what is public tells which one it was.
std::vector<Doubt> SourceCheck::doubts(const SourceIdentity* published) const {
  if (!is_doubted) return {};
  const bool is_known = published != nullptr && published->repository != 0;
  if (is_known && *published == now) return {};
  if (is_first) {
    if (published == nullptr) return {};
    SourceIdentity before = *published;
    before.rewrites = trusted.rewrites;
    return doubts_between(before, now);
  }
  std::vector<Doubt> doubts = doubts_between(trusted, now);
  // A repository that is what it was is not that of every plugin.
  const auto has = [](const auto& all, const auto& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  if (is_known && now.repository != 0 && published->repository != now.repository &&
      !has(predecessors, published->repository) && !has(doubts, Doubt::replaced)) {
    doubts.insert(doubts.begin(), Doubt::replaced);
  }
  return doubts;
}

std::string text_of(Doubt doubt, const std::string& repository) {
  switch (doubt) {
    case Doubt::replaced:
      return repository + " is another repository than the one that was mirrored before";
    case Doubt::transferred:
      return repository + " belongs to another account than before";
    case Doubt::rewritten:
      return "the history of " + repository +
             " was rewritten: what was mirrored before is not in it";
    case Doubt::unproven:
      break;
  }
  return "the forge of " + repository +
         " tells neither whose it is nor whether its history was rewritten";
}

}  // namespace goldsmith::domain
