#include "app/domain/github_tag.hpp"

#include <algorithm>
#include <vector>

namespace goldsmith::domain {
namespace {

constexpr std::string_view kHost = "https://github.com/";
constexpr std::size_t kParts = 6;  // OWNER NAME releases download TAG FILE

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::optional<GithubTag> github_tag(std::string_view url) {
  if (!url.starts_with(kHost)) return std::nullopt;
  const auto parts = parts_of(url.substr(kHost.size()));
  if (parts.size() != kParts || parts[2] != "releases" || parts[3] != "download") {
    return std::nullopt;
  }
  for (const std::string_view part : parts) {
    if (part.empty()) return std::nullopt;
  }
  return GithubTag{std::string(parts[0]).append("/").append(parts[1]), std::string(parts[4])};
}

}  // namespace goldsmith::domain
