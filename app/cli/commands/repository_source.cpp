#include "app/cli/commands/repository_source.hpp"

#include <string>

#include "app/cli/commands/stored_upstreams.hpp"

namespace goldsmith::cli {

std::optional<mirror::GithubRepository> identify(FollowedRepository& repository,
                                                 mirror::Repositories& repositories,
                                                 Context& context) {
  auto found = repositories.identify(repository.upstream);
  std::string& name = repository.upstream.repository;
  const std::int64_t known = repository.source.repository;
  if (!found || name == found->name || (known != 0 && known != found->number)) return found;
  if (repository.scanned_as.empty() && !repository.commit.empty()) repository.scanned_as = name;
  rename_upstreams(context, name, found->name);
  name = found->name;
  return found;
}

domain::SourceCheck check_source(const FollowedRepository& repository,
                                 const mirror::Snapshot& snapshot,
                                 const std::optional<mirror::GithubRepository>& found,
                                 bool is_trusted, mirror::Repositories& repositories) {
  const bool was_mirrored =
      repository.mirrored_at || !repository.commit.empty() || !repository.stamp.empty();
  domain::SourceCheck check{repository.source, repository.trusted, !is_trusted, !was_mirrored};
  if (found) {
    check.now.repository = found->number;
    check.now.owner = found->owner;
  }
  if (!repositories.continues(repository.upstream, snapshot, repository.commit)) {
    ++check.now.rewrites;
  }
  if (check.is_first || is_trusted) check.trusted = check.now;
  if (check.trusted.repository == 0) {
    check.trusted.repository = check.now.repository;
    check.trusted.owner = check.now.owner;
  }
  return check;
}

}  // namespace goldsmith::cli
