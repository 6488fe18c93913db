#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/archive/io.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "app/mirror/depot_copy.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::mirror {
namespace {

constexpr std::uint64_t kNumberBytes = 8;           // with the space and the line feed
constexpr std::uint64_t kNativesBytes = 16U << 20;  // of all files

domain::FileOrigin parse_line(std::string_view line, std::size_t archives,
                              const sys::MirrorConfig& limits) {
  const auto source = sys::take_number<std::size_t>(line);
  line = line.substr(0, line.find('\t'));
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

// The names in a list; an empty text means that none was found.
std::vector<std::string> parse_natives(std::string_view text) {
  std::vector<std::string> natives;
  if (text.empty()) return natives;
  for (const std::string_view name : sys::split(text, ' ')) natives.emplace_back(name);
  const bool is_legal = std::all_of(natives.begin(), natives.end(), domain::is_native_name) &&
                        std::is_sorted(natives.begin(), natives.end());
  if (!is_legal) throw InvalidOutput("the natives of a file are no sorted names");
  return natives;
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

std::vector<domain::FileOrigin> read_origins(const sys::UniqueFd& fd,
                                             std::vector<domain::ManifestFile>& files,
                                             std::size_t archives,
                                             const sys::MirrorConfig& limits) {
  const std::string text =
      read_text(fd, files.size() * (limits.path_bytes + kNumberBytes) + kNativesBytes);
  std::string_view rest = text;
  std::vector<domain::FileOrigin> origins;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) throw InvalidOutput("the origins of its files end early");
    if (origins.size() == files.size()) throw InvalidOutput("a file has two origins");
    const std::string_view line = rest.substr(0, end);
    domain::ManifestFile& file = files[origins.size()];
    origins.push_back(parse_line(line, archives, limits));
    const std::size_t tab = line.find('\t');
    if ((tab != std::string_view::npos) != domain::has_natives(file.path)) {
      throw InvalidOutput("natives are said of another file than AMX Mod X and its modules");
    }
    if (tab != std::string_view::npos) file.natives = parse_natives(line.substr(tab + 1));
    rest.remove_prefix(end + 1);
  }
  if (origins.size() != files.size()) throw InvalidOutput("not every file has one origin");
  return origins;
}

}  // namespace goldsmith::mirror
