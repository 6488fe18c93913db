#include "app/scan/followed.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/record.hpp"
#include "app/scan/host.hpp"

namespace goldsmith::scan {
namespace {

constexpr const char* kUpstream = "upstream.json";

bool is_plain(char c) {
  return domain::is_alphanumeric(c) || c == '.' || c == '_' || c == '-' || c == '+' || c == '@';
}

}  // namespace

std::string FollowedRepository::title() const {
  std::string title = upstream.repository;
  if (!upstream.folder.empty()) title += '/' + upstream.folder;
  if (!upstream.branch.empty()) title += '@' + upstream.branch;
  return title;
}

// What has no plain letters, or is long, is told apart by a digest.
std::string FollowedRepository::name() const {
  constexpr std::size_t kLongest = 120;
  std::string name = title();
  std::replace(name.begin(), name.end(), '/', '+');
  std::replace_if(name.begin(), name.end(), [](char c) { return !is_plain(c); }, '_');
  const std::string whole = title() + '\n' + upstream.releases;
  const bool is_exact = title().find_first_of("+_") == title().npos && name.size() <= kLongest &&
                        upstream.releases == "commits" && !name.starts_with('.');
  if (!is_exact) {
    name = name.substr(0, kLongest) + '+' + base::sha256_hex(whole).substr(0, 8);
    if (name.starts_with('.')) name.front() = '_';
  }
  return name;
}

std::string FollowedRepository::scan_name() const {
  constexpr std::string_view kScheme = "https://";
  const std::string& name = scanned_as.empty() ? upstream.repository : scanned_as;
  return name.starts_with(kScheme) ? name.substr(kScheme.size()) : name;
}

std::vector<domain::Doubt> FollowedRepository::doubts() const {
  return source.repository == 0 ? std::vector<domain::Doubt>()
                                : domain::doubts_between(trusted, source);
}

bool FollowedRepository::knows_waiting(const std::string& mark) const {
  return std::find(waiting_tags.begin(), waiting_tags.end(), mark) != waiting_tags.end();
}

std::string FollowedRepository::trouble() const {
  if (!problem.empty()) return problem;
  std::string text = base::join(
      doubts(), "; ", [&](domain::Doubt doubt) { return text_of(doubt, upstream.repository); });
  if (!remark.empty()) text += (text.empty() ? "" : "; ") + remark;
  return text;
}

FollowedRepositories::FollowedRepositories(const std::filesystem::path& folder, Access access)
    : folder_(base::HeldFolder::make(folder)) {
  if (access == Access::reads) return;
  lock_ = base::open_named(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Failure("another command works on " + folder.string() + "; try again when it is done");
  }
  folder_of(kAnswers);
}

std::vector<FollowedRepository> FollowedRepositories::list() const {
  std::vector<FollowedRepository> all;
  for (const base::HeldFolder::Entry& entry : folder_.entries()) {
    if (entry.kind != base::HeldFolder::Kind::folder) continue;
    if (auto repository = read(entry.name)) all.push_back(*std::move(repository));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& one, const auto& other) {
    return one.asked_at < other.asked_at;
  });
  return all;
}

std::optional<FollowedRepository> FollowedRepositories::find(
    const domain::PluginUpstream& upstream) const {
  std::optional<FollowedRepository> found;
  for (FollowedRepository& each : list()) {
    if (!domain::is_same_place(each.upstream, upstream)) continue;
    const bool is_exact = each.upstream.repository == upstream.repository;
    if (is_exact || !found) found = std::move(each);
    if (is_exact) break;
  }
  return found;
}

std::optional<FollowedRepository> FollowedRepositories::find_other_name(
    const FollowedRepository& repository, std::int64_t number) const {
  domain::PluginUpstream named_alike = repository.upstream;
  for (FollowedRepository& each : list()) {
    named_alike.repository = each.upstream.repository;
    if (each.folder != repository.folder && each.source.repository == number &&
        domain::is_same_place(each.upstream, named_alike)) {
      return std::move(each);
    }
  }
  return std::nullopt;
}

bool FollowedRepositories::is_name_of_another(const std::string& name, std::int64_t number) const {
  return std::ranges::any_of(list(), [&](const FollowedRepository& each) {
    return domain::is_same_repository(each.upstream.repository, name) &&
           each.source.repository != 0 && each.source.repository != number;
  });
}

std::optional<FollowedRepository> FollowedRepositories::read(const std::string& name) const {
  const std::string file = name + '/' + kUpstream;
  if (!folder_.entry(name) || !folder_.entry(file)) return std::nullopt;
  const std::string path = (folder_.path() / file).string();
  try {
    FollowedRepository repository;
    domain::read_json(json::parse(folder_.read(file)), repository);
    if (repository.upstream.empty()) throw Failure(path + " names no repository");
    repository.folder = name;
    return repository;
  } catch (const json::ParseError& problem) {
    throw Failure(path + ": " + problem.what() + "; correct it, or remove its folder");
  }
}

// One that was renamed keeps its folder where another one has the new name.
void FollowedRepositories::place(FollowedRepository& repository) const {
  const std::string name = repository.name();
  if (repository.folder == name) return;
  if (!repository.folder.empty()) {
    if (folder_.entry(name)) return;
    folder_.rename(repository.folder, name);
  } else if (const auto other = read(name)) {
    throw Failure((folder_.path() / name).string() + " is the folder of " + other->title() +
                  "; \"goldsmith plugin unfollow\" ends that one");
  }
  repository.folder = name;
}

void FollowedRepositories::save(FollowedRepository& repository) const {
  place(repository);
  folder_.write(repository.folder + '/' + kUpstream,
                json::to_pretty_string(domain::told(repository)) + "\n");
}

bool FollowedRepositories::remove(const FollowedRepository& repository) const {
  if (repository.folder.empty() || !folder_.entry(repository.folder)) return false;
  folder_.remove_all(repository.folder);
  return true;
}

base::HeldFolder FollowedRepositories::folder_of(FollowedRepository& repository) const {
  place(repository);
  return folder_of(repository.folder);
}

base::HeldFolder FollowedRepositories::folder_of(const std::string& name) const {
  base::HeldFolder folder = base::HeldFolder::make(folder_.path() / name);
  struct stat whole{};
  struct stat made{};
  if (::geteuid() != 0 || !lock_ || ::fstat(lock_.get(), &whole) != 0 ||
      ::fstatat(lock_.get(), name.c_str(), &made, AT_SYMLINK_NOFOLLOW) != 0) {
    return folder;
  }
  // Files in it can be replaced by whoever owns the folder.
  if (S_ISDIR(made.st_mode) && made.st_uid == 0 && whole.st_uid != 0 &&
      ::fchownat(lock_.get(), name.c_str(), whole.st_uid, whole.st_gid, AT_SYMLINK_NOFOLLOW) != 0) {
    throw base::FileError(folder.path(), "can't be given to the owner of the folder above", errno);
  }
  return folder;
}

}  // namespace goldsmith::scan
