#include <array>
#include <string>

#include "app/domain/manifest_fields.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin_manifest.hpp"

namespace goldsmith::domain {

namespace {

std::string read_upstream_repository(const Node& node) {
  std::string repository = node.line(kUrlLimit);
  if (is_github_repository(repository)) return repository;
  if (repository.find("://") != repository.npos) {
    read_archive_address(node);
    const bool is_archive = repository.ends_with(".tar.gz") || repository.ends_with(".zip");
    if (is_archive && repository.find('{') == repository.npos) return repository;
  }
  node.refuse(
      "is not a repository that can be followed; allowed are OWNER/NAME of GitHub and, of others, "
      "the https:// address of the .tar.gz or .zip of a branch");
}

std::string read_releases(const Node& node) {
  std::string releases = node.text(kNameLimit);
  if (releases != "releases" && releases != "tags" && releases != "commits") {
    node.refuse("is nothing that can be followed; allowed are releases, tags or commits");
  }
  return releases;
}

std::string read_branch(const Node& node) {
  std::string branch = node.text(kNameLimit);
  if (!is_branch_name(branch)) {
    node.refuse("is not a valid branch; allowed are names as git has them, such as \"main\"");
  }
  return branch;
}

}  // namespace

PluginUpstream read_plugin_upstream(const Node& node, const PluginUpstream& stored) {
  PluginUpstream upstream;
  if (node.is_null()) return upstream;
  const Fields fields(node, {"repository", "folder", "releases", "branch"});
  upstream.repository = read_upstream_repository(fields.required("repository"));
  fields.read("folder", read_relative_folder, upstream.folder);
  upstream.releases = "commits";
  fields.read("releases", read_releases, upstream.releases);
  fields.read("branch", read_branch, upstream.branch);
  if (!is_github_repository(upstream.repository)) {
    for (const std::string_view name : {"releases", "branch"}) {
      if (!fields.optional(name)) continue;
      fields.location().member(name).fail(
          "is for repositories of GitHub alone; the address of an archive says which branch it is");
    }
  }
  // That it is gone was found there, and nowhere else.
  upstream.gone_since = stored.gone_since;
  upstream.problem = stored.problem;
  upstream.problem_since = stored.problem_since;
  if (upstream != stored) upstream.forget_findings();
  return upstream;
}

}  // namespace goldsmith::domain
