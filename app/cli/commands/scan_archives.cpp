#include <fcntl.h>

#include "app/archive/zip.hpp"
#include "app/cli/commands/plugin_scan.hpp"
#include "app/cli/context.hpp"
#include "app/compile/job.hpp"
#include "app/mirror/normalise.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

// The paths of a ZIP that was made from an archive are safe.
std::vector<scan::HeapFile> extract(const fs::path& zip, const fs::path& folder) {
  std::vector<scan::HeapFile> files;
  const archive::ZipReader reader(zip);
  for (const archive::ZipEntry& entry : reader.entries()) {
    scan::HeapFile file{.on_disk = folder / entry.path, .path = entry.path, .size = entry.size};
    if (entry.size <= compile::kLargestSource) {
      fs::create_directories(file.on_disk.parent_path());
      const sys::UniqueFd fd = sys::open_file(file.on_disk, O_WRONLY | O_CREAT | O_EXCL, 0600);
      sys::write_all(fd.get(), reader.read(entry, compile::kLargestSource), file.on_disk);
    }
    files.push_back(std::move(file));
  }
  return files;
}

// The reason alone, where it begins with the archive's path.
std::string reason_of(const std::string& what, const fs::path& archive) {
  const std::string path = archive.string() + ": ";
  return what.starts_with(path) ? what.substr(path.size()) : what;
}

}  // namespace

scan::Heap::Unpack unpack_archives(const sys::MirrorConfig& limits, const fs::path& folder,
                                   ProgressLine& progress) {
  return [&progress, limits, folder, number = 0](const fs::path& archive) mutable {
    progress.show("unpacking " + archive.filename().string());
    const fs::path target = folder / std::to_string(++number);
    const fs::path zip = target.string() + ".zip";
    try {
      mirror::normalise({archive}, {}, limits, zip);
      std::vector<scan::HeapFile> files = extract(zip, target);
      fs::remove(zip);
      return files;
    } catch (const mirror::RefusedArchive& refusal) {
      throw Failure("is refused: " + reason_of(refusal.what(), archive));
    }
  };
}

}  // namespace goldsmith::cli
