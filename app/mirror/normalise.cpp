#include "app/mirror/normalise.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "app/mirror/depot_copy.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::mirror {
namespace {

namespace fs = std::filesystem;

sys::UniqueFd for_child(const sys::UniqueFd& fd, const fs::path& path) {
  sys::UniqueFd copy = sys::above_standard(fd);
  if (!copy) throw sys::FileError(path, "can't be opened", errno);
  return copy;
}

// Adds its size to `bytes`.
sys::UniqueFd open_archive(const fs::path& path, std::uint64_t& bytes) {
  const sys::UniqueFd fd = sys::open_file(path, O_RDONLY | O_NONBLOCK);
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

}  // namespace

Normalised normalise(const std::vector<fs::path>& archives, const domain::InstallRules& rules,
                     const sys::MirrorConfig& limits, const fs::path& target,
                     const fs::path& program) {
  Normalised result;
  const fs::path parent = target.parent_path();
  const sys::TempDir folder(parent.empty() ? "." : parent);
  UnpackFiles files;
  for (const fs::path& path : archives) {
    files.archives.push_back(open_archive(path, result.upstream_bytes));
    files.spills.push_back(unnamed_file(folder.path()));
  }
  files.output = unnamed_file(folder.path());
  files.origins = unnamed_file(folder.path());

  result.dropped = run_unpacker(program, files, archives, rules, limits);
  files.spills.clear();  // gives their space back
  try {
    archive::VerifiedDepotFile copy = copy_to_depot_file(std::move(files.output), limits, target);
    result.digest = std::move(copy.digest);
    result.files = std::move(copy.files);
    result.origins = read_origins(files.origins, result.files.size(), archives.size(), limits);
  } catch (const InvalidOutput& error) {
    throw UnpackError(std::string("goldsmith-unpack wrote an invalid result: ") + error.what());
  }
  return result;
}

}  // namespace goldsmith::mirror
