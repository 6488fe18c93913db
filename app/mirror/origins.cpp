#include <sys/stat.h>

#include <string>
#include <string_view>

#include "app/archive/io.hpp"
#include "app/domain/names.hpp"
#include "app/mirror/depot_copy.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::mirror {
namespace {

constexpr std::uint64_t kNumberBytes = 8;  // with the space and the line feed

domain::FileOrigin parse_line(std::string_view line, std::size_t archives,
                              const sys::MirrorConfig& limits) {
  const auto source = sys::take_number<std::size_t>(line);
  if (!source || *source >= archives) {
    throw InvalidOutput("the origin of a file names no archive");
  }
  domain::FileOrigin origin{*source, std::string(line)};
  if (origin.path.empty() || origin.path.size() > limits.path_bytes ||
      !domain::is_relative_path(origin.path)) {
    throw InvalidOutput("the origin of a file is no path");
  }
  return origin;
}

std::string read_text(const sys::UniqueFd& fd, std::uint64_t longest) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) {
    throw sys::FileError("the origins of the files", "can't be examined", errno);
  }
  if (static_cast<std::uint64_t>(status.st_size) > longest) {
    throw InvalidOutput("the origins of its files are longer than they can be");
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  text.resize(archive::read_at({fd.get(), 0, "the origins of the files"}, text));
  return text;
}

}  // namespace

std::vector<domain::FileOrigin> read_origins(const sys::UniqueFd& fd, std::size_t files,
                                             std::size_t archives,
                                             const sys::MirrorConfig& limits) {
  const std::string text = read_text(fd, files * (limits.path_bytes + kNumberBytes));
  std::string_view rest = text;
  std::vector<domain::FileOrigin> origins;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) throw InvalidOutput("the origins of its files end early");
    origins.push_back(parse_line(rest.substr(0, end), archives, limits));
    rest.remove_prefix(end + 1);
  }
  if (origins.size() != files) throw InvalidOutput("not every file has one origin");
  return origins;
}

}  // namespace goldsmith::mirror
