#include "app/mirror/depot_copy.hpp"

#include <fcntl.h>

#include <set>

#include "app/archive/zip.hpp"
#include "app/domain/names.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::mirror {
namespace {

using Entries = std::vector<archive::ZipEntry>;

void require(bool holds, const char* otherwise) {
  if (!holds) throw InvalidOutput(otherwise);
}

void check_limits(const Entries& entries, const sys::MirrorConfig& limits) {
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

void check_paths(const Entries& entries) {
  std::set<std::string> folded;
  const std::string* previous = nullptr;
  for (const archive::ZipEntry& entry : entries) {
    require(domain::is_relative_path(entry.path), "a path is unsafe");
    require(previous == nullptr || *previous < entry.path, "its entries are not ordered by path");
    require(folded.insert(sys::fold_case(entry.path)).second, "paths differ in letter case alone");
    previous = &entry.path;
  }
  for (const std::string& path : folded) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      require(!folded.contains(path.substr(0, slash)), "a path is both a file and a folder");
    }
  }
}

}  // namespace

archive::VerifiedDepotFile copy_to_depot_file(sys::UniqueFd unpacked,
                                              const sys::MirrorConfig& limits,
                                              const std::filesystem::path& target) try {
  const archive::ZipReader source(std::move(unpacked), "the unpacked files");
  const Entries& entries = source.entries();
  check_limits(entries, limits);
  check_paths(entries);

  const sys::UniqueFd fd = sys::open_file(target, O_RDWR | O_CREAT | O_TRUNC);
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

}  // namespace goldsmith::mirror
