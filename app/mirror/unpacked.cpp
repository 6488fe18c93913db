// What came out of the sandbox is checked (unpacker.hpp).
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/archive/io.hpp"
#include "app/archive/zip.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/plugin.hpp"
#include "app/mirror/unpacker.hpp"

namespace goldsmith::mirror {

namespace {

using Entries = std::vector<archive::ZipEntry>;

void require(bool holds, const char* otherwise) {
  if (!holds) throw InvalidOutput(otherwise);
}

void check_limits(const Entries& entries, const base::MirrorConfig& limits) {
  require(!entries.empty(), "it has no file");
  require(entries.size() <= limits.entries, "it has more entries than mirror.entries allows");
  std::uint64_t left = limits.unpacked_bytes;
  for (const archive::ZipEntry& entry : entries) {
    require(entry.path.size() <= limits.path_bytes, "a path exceeds mirror.path_bytes");
    require(entry.size <= left && entry.compressed_size <= entry.size,
            "its files exceed mirror.unpacked_mb");
    left -= entry.size;
  }
}

void check_paths(const Entries& entries, bool any_names) {
  std::set<std::string> folded;
  const std::string* previous = nullptr;
  for (const archive::ZipEntry& entry : entries) {
    require(domain::is_relative_path(entry.path), "a path is unsafe");
    require(previous == nullptr || *previous < entry.path, "its entries are not ordered by path");
    require(folded.insert(any_names ? entry.path : base::fold_case(entry.path)).second,
            "paths differ in letter case alone");
    previous = &entry.path;
  }
  for (const std::string& path : folded) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      require(!folded.contains(path.substr(0, slash)), "a path is both a file and a folder");
    }
  }
}

constexpr std::uint64_t kNumberBytes = 8;           // with the space and the line feed
constexpr std::uint64_t kNativesBytes = 32U << 20;  // of all files
constexpr std::uint64_t kLinkBytes = 16U << 20;     // likewise
constexpr std::string_view kLink = "- ";

domain::FileOrigin parse_line(std::string_view line, std::size_t archives,
                              const base::MirrorConfig& limits) {
  const auto source = base::take_number<std::size_t>(line);
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

// The names that are recorded of the file with that path; an empty text means that none was found.
std::vector<std::string> parse_natives(std::string_view text, std::string_view path) {
  std::vector<std::string> natives;
  if (text.empty()) return natives;
  for (const std::string_view name : base::split(text, ' ')) natives.emplace_back(name);
  const auto is_name = domain::has_natives(path) ? domain::is_native_name
                       : domain::is_map(path)    ? domain::is_wad_name
                                                 : domain::is_declared_name;
  if (!std::all_of(natives.begin(), natives.end(), is_name) ||
      !std::is_sorted(natives.begin(), natives.end())) {
    throw InvalidOutput("the natives of a file are no sorted names");
  }
  return natives;
}

std::string link_in(std::string_view line, const base::MirrorConfig& limits) {
  line.remove_prefix(kLink.size());
  if (line.empty() || line.size() > limits.path_bytes || !domain::is_relative_path(line) ||
      !base::is_printable(line)) {
    throw InvalidOutput("a link has no path");
  }
  return std::string(line);
}

std::string read_text(const base::UniqueFd& fd, std::uint64_t longest) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) {
    throw base::FileError("the origins of the files", "can't be examined", errno);
  }
  if (static_cast<std::uint64_t>(status.st_size) > longest) {
    throw InvalidOutput("the origins of its files are longer than they can be");
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  text.resize(archive::read_at({fd.get(), 0, "the origins of the files"}, text));
  return text;
}

}  // namespace

archive::VerifiedDepotFile copy_to_depot_file(base::UniqueFd unpacked,
                                              const base::MirrorConfig& limits,
                                              const std::filesystem::path& target,
                                              bool any_names) try {
  const archive::ZipReader source(std::move(unpacked), "the unpacked files");
  const Entries& entries = source.entries();
  check_limits(entries, limits);
  check_paths(entries, any_names);

  const base::UniqueFd fd = base::open_file(target, O_RDWR | O_CREAT | O_TRUNC);
  archive::ZipWriter writer(fd.get(), target);
  std::vector<const archive::ZipEntry*> all;
  all.reserve(entries.size());
  for (const archive::ZipEntry& entry : entries) all.push_back(&entry);
  writer.copy(source, all);
  const std::string digest = archive::finish_depot_file(writer, fd.get(), target);
  archive::VerifiedDepotFile copy = archive::verify_depot_file(target);
  require(copy.digest == digest, "it changed while it was copied");
  return copy;
} catch (const archive::ZipError& error) {
  throw InvalidOutput(error.what());
}

std::vector<domain::FileOrigin> read_origins(const base::UniqueFd& fd,
                                             std::vector<domain::ManifestFile>& files,
                                             std::size_t archives, const base::MirrorConfig& limits,
                                             std::vector<std::string>* links) {
  const std::string text =
      read_text(fd, files.size() * (limits.path_bytes + kNumberBytes) + kNativesBytes + kLinkBytes);
  std::string_view rest = text;
  std::vector<domain::FileOrigin> origins;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) throw InvalidOutput("the origins of its files end early");
    const std::string_view line = rest.substr(0, end);
    if (links && line.starts_with(kLink)) {
      links->push_back(link_in(line, limits));
      rest.remove_prefix(end + 1);
      continue;
    }
    if (origins.size() == files.size()) throw InvalidOutput("a file has two origins");
    domain::ManifestFile& file = files[origins.size()];
    origins.push_back(parse_line(line, archives, limits));
    const std::size_t tab = line.find('\t');
    if ((tab != std::string_view::npos) != domain::has_names(file.path)) {
      throw InvalidOutput(
          "names are said of another file than AMX Mod X, its modules, includes and maps");
    }
    if (tab != std::string_view::npos) {
      file.natives = parse_natives(line.substr(tab + 1), file.path);
    }
    rest.remove_prefix(end + 1);
  }
  if (origins.size() != files.size()) throw InvalidOutput("not every file has one origin");
  return origins;
}

}  // namespace goldsmith::mirror
