#include "app/cli/commands/followed.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <utility>

#include "app/base/digest.hpp"
#include "app/cli/command.hpp"
#include "app/cli/commands/scan_record.hpp"
#include "app/domain/record.hpp"

namespace goldsmith::cli {
namespace {

constexpr const char* kUpstream = "upstream.json";

bool is_plain(char c) {
  return domain::is_alphanumeric(c) || c == '.' || c == '_' || c == '-' || c == '+' || c == '@';
}

domain::PluginUpstream upstream_in(const json::Object& object) {
  return {text_in(object, "repository"), text_in(object, "folder"), text_in(object, "releases"),
          text_in(object, "branch"), std::nullopt};
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

FollowedRepositories::FollowedRepositories(const std::filesystem::path& folder, Access access)
    : folder_(base::HeldFolder::make(folder)) {
  if (access == Access::reads) return;
  lock_ = base::open_named(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Failure("another command works on " + folder.string() + "; try again when it is done");
  }
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
  FollowedRepository wanted;
  wanted.upstream = upstream;
  return read(wanted.name());
}

std::optional<FollowedRepository> FollowedRepositories::read(const std::string& name) const {
  const std::string file = name + '/' + kUpstream;
  if (!folder_.entry(name) || !folder_.entry(file)) return std::nullopt;
  const std::string path = (folder_.path() / file).string();
  try {
    const json::Value value = json::parse(folder_.read(file));
    const json::Object& object = value.as_object() ? *value.as_object() : json::Object();
    FollowedRepository repository;
    if (const auto found = object.find("upstream");
        found != object.end() && found->second.as_object()) {
      repository.upstream = upstream_in(*found->second.as_object());
    }
    if (repository.upstream.empty()) throw Failure(path + " names no repository");
    const auto publishes = object.find("publishes_new");
    repository.publishes_new =
        publishes != object.end() && publishes->second.as_bool() && *publishes->second.as_bool();
    if (const auto slugs = object.find("plugins");
        slugs != object.end() && slugs->second.as_array()) {
      for (const json::Value& slug : *slugs->second.as_array()) {
        if (slug.as_string()) repository.slugs.push_back(*slug.as_string());
      }
    }
    repository.commit = text_in(object, "commit");
    repository.time = domain::parse_timestamp(text_in(object, "time"));
    repository.stamp = text_in(object, "stamp");
    repository.questions_sha256 = text_in(object, "questions_sha256");
    repository.asked_at = domain::parse_timestamp(text_in(object, "asked_at"));
    repository.problem = text_in(object, "problem");
    return repository;
  } catch (const json::ParseError& problem) {
    throw Failure(path + ": " + problem.what() + "; correct it, or remove its folder");
  }
}

void FollowedRepositories::save(const FollowedRepository& repository) const {
  folder_.write(repository.name() + '/' + kUpstream,
                json::to_pretty_string(domain::told(repository)) + "\n");
}

bool FollowedRepositories::remove(const FollowedRepository& repository) const {
  if (!folder_.entry(repository.name())) return false;
  folder_.remove_all(repository.name());
  return true;
}

base::HeldFolder FollowedRepositories::folder_of(const std::string& name) const {
  return base::HeldFolder::make(folder_.path() / name);
}

}  // namespace goldsmith::cli
