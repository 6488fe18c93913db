#include "app/mirror/normalise.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/mirror/depot_copy.hpp"
#include "app/sys/file.hpp"
#include "app/sys/held_folder.hpp"

namespace goldsmith::mirror {
namespace {

namespace fs = std::filesystem;

sys::UniqueFd for_child(const sys::UniqueFd& fd, const fs::path& path) {
  sys::UniqueFd copy = sys::above_standard(fd);
  if (!copy) throw sys::FileError(path, "can't be opened", errno);
  return copy;
}

// Adds its size to `bytes`.
sys::UniqueFd checked(const sys::UniqueFd& fd, const fs::path& path, std::uint64_t& bytes) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) throw sys::FileError(path, "can't be examined", errno);
  if (!S_ISREG(status.st_mode)) throw sys::FileError(path, "is not a regular file", EINVAL);
  bytes += static_cast<std::uint64_t>(status.st_size);
  return for_child(fd, path);
}

// Without a name as soon as it is open: nothing of it stays, whatever happens.
sys::UniqueFd unnamed_file(const fs::path& folder) {
  const fs::path path = folder / "unpacked";
  const sys::UniqueFd fd = sys::open_file(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (::unlink(path.c_str()) != 0) throw sys::FileError(path, "can't be removed", errno);
  return for_child(fd, path);
}

// `result.upstream_bytes` is that of the archives already.
Normalised normalise_open(std::vector<sys::UniqueFd> archives, const std::vector<fs::path>& names,
                          const domain::InstallRules& rules, const sys::MirrorConfig& limits,
                          const fs::path& target, const fs::path& program, Normalised result) {
  const fs::path parent = target.parent_path();
  const sys::TempDir folder(parent.empty() ? "." : parent);
  UnpackFiles files;
  files.archives = std::move(archives);
  for (std::size_t i = 0; i < names.size(); ++i) {
    files.spills.push_back(unnamed_file(folder.path()));
  }
  files.output = unnamed_file(folder.path());
  files.origins = unnamed_file(folder.path());

  result.dropped = run_unpacker(program, files, names, rules, limits);
  files.spills.clear();  // gives their space back
  try {
    archive::VerifiedDepotFile copy = copy_to_depot_file(std::move(files.output), limits, target);
    result.digest = std::move(copy.digest);
    result.files = std::move(copy.files);
    result.origins = read_origins(files.origins, result.files, names.size(), limits);
  } catch (const InvalidOutput& error) {
    throw UnpackError(std::string("goldsmith-unpack wrote an invalid result: ") + error.what());
  }
  return result;
}

}  // namespace

Normalised normalise(const std::vector<fs::path>& archives, const domain::InstallRules& rules,
                     const sys::MirrorConfig& limits, const fs::path& target,
                     const fs::path& program) {
  Normalised result;
  std::vector<sys::UniqueFd> opened;
  for (const fs::path& path : archives) {
    const sys::UniqueFd fd = sys::open_named(path, O_RDONLY | O_NONBLOCK);
    opened.push_back(checked(fd, path, result.upstream_bytes));
  }
  return normalise_open(std::move(opened), archives, rules, limits, target, program,
                        std::move(result));
}

Normalised normalise(const std::vector<OpenArchive>& archives, const domain::InstallRules& rules,
                     const sys::MirrorConfig& limits, const fs::path& target) {
  Normalised result;
  std::vector<sys::UniqueFd> opened;
  std::vector<fs::path> names;
  for (const OpenArchive& archive : archives) {
    opened.push_back(checked(archive.file, archive.path, result.upstream_bytes));
    names.push_back(archive.path);
  }
  return normalise_open(std::move(opened), names, rules, limits, target, unpack_program(),
                        std::move(result));
}

void add_natives(const fs::path& depot_file, const sys::MirrorConfig& limits,
                 std::vector<domain::ManifestFile>& files) {
  const sys::TempDir folder;
  for (domain::ManifestFile& read :
       normalise({depot_file}, {}, limits, folder.path() / "again.zip").files) {
    if (!read.natives) continue;
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const auto& each) { return each.path == read.path; });
    if (file != files.end()) file->natives = std::move(read.natives);
  }
}

}  // namespace goldsmith::mirror
