#include "app/archive/depot.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/archive/io.hpp"
#include "app/sys/digest.hpp"

namespace goldsmith::archive {
namespace {

constexpr std::string_view kCommentStart = "goldsmith depot ";

std::string digest_of_range(
    int fd, std::uint64_t end, const std::filesystem::path& path,
    const std::function<void(std::size_t)>& on_bytes = [](std::size_t) {}) {
  sys::Sha256 digest;
  std::vector<char> buffer(std::min<std::uint64_t>(256U << 10, end));
  for (std::uint64_t offset = 0; offset < end;) {
    const std::span<char> piece(buffer.data(),
                                std::min<std::uint64_t>(buffer.size(), end - offset));
    const std::size_t count = read_at({fd, offset, path}, piece);
    if (count == 0) throw ZipError(path.string() + ": ends early; the file is damaged");
    digest.update({piece.data(), count});
    on_bytes(count);
    offset += count;
  }
  return digest.finish_hex();
}

std::filesystem::path former_file_of(const std::filesystem::path& root, const domain::Slug& slug,
                                     const domain::Version& version) {
  return root / slug.view() / (version + ".zip");
}

bool is_regular(const std::filesystem::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// The comment is at the end of a ZIP.
bool ends_with_comment(const std::filesystem::path& file, const std::string& comment) {
  const sys::UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < comment.size()) return false;
  std::string end(comment.size(), '\0');
  return read_at({fd.get(), size - comment.size(), file}, end) == end.size() && end == comment;
}

bool unlink_if_there(const std::filesystem::path& file) {
  if (::unlink(file.c_str()) == 0) return true;
  if (errno != ENOENT) throw sys::FileError(file, "can't be removed", errno);
  return false;
}

}  // namespace

std::string depot_comment(std::string_view digest) {
  return std::string(kCommentStart).append(digest);
}

std::string finish_depot_file(ZipWriter& writer, int fd, const std::filesystem::path& path) {
  std::string digest;
  writer.finish([&](std::uint64_t end) {
    digest = digest_of_range(fd, end, path);
    return depot_comment(digest);
  });
  return digest;
}

VerifiedDepotFile verify_depot_file(const std::filesystem::path& path,
                                    const std::function<void(std::size_t)>& on_bytes) {
  const ZipReader reader(path);
  std::vector<std::string> digests = reader.verify_and_digest(on_bytes);
  VerifiedDepotFile verified;
  verified.digest = digest_of_range(reader.descriptor(), reader.directory_end(), path, on_bytes);
  if (reader.comment() != depot_comment(verified.digest)) {
    throw ZipError(path.string() + ": its digest is " + verified.digest +
                   ", but its comment says \"" + reader.comment() + "\"");
  }
  verified.files.reserve(digests.size());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const ZipEntry& entry = reader.entries()[i];
    verified.files.push_back({entry.path, entry.size, entry.executable, std::move(digests[i])});
  }
  return verified;
}

std::filesystem::path Depot::file_of(const domain::Slug& slug, const domain::Version& version,
                                     std::string_view digest) const {
  return root_ / slug.view() / (version + ".").append(digest).append(".zip");
}

std::optional<std::filesystem::path> Depot::find(const domain::Slug& slug,
                                                 const domain::Version& version,
                                                 std::string_view digest) const {
  std::filesystem::path file = file_of(slug, version, digest);
  if (is_regular(file)) return file;
  file = former_file_of(root_, slug, version);
  return ends_with_comment(file, depot_comment(digest)) ? std::optional(std::move(file))
                                                        : std::nullopt;
}

std::filesystem::path Depot::place_of(const domain::Slug& slug, const domain::Version& version,
                                      std::string_view digest) const {
  return find(slug, version, digest).value_or(file_of(slug, version, digest));
}

std::filesystem::path Depot::require(const domain::Slug& slug, const domain::Version& version,
                                     std::string_view digest) const {
  if (auto found = find(slug, version, digest)) return *std::move(found);
  throw MissingDepotFile(file_of(slug, version, digest));
}

void Depot::publish(const std::filesystem::path& temporary, const domain::Slug& slug,
                    const domain::Version& version, std::string_view digest) const {
  const std::filesystem::path target = file_of(slug, version, digest);
  const std::filesystem::path folder = target.parent_path();
  const sys::UniqueFd fd = sys::open_file(temporary, O_RDONLY);
  if (::fchmod(fd.get(), 0644) != 0) throw sys::FileError(temporary, "can't set its mode", errno);
  sys::sync_file(fd.get(), temporary);

  if (::mkdir(folder.c_str(), 0755) == 0) {
    sys::sync_directory(root_);
  } else if (errno != EEXIST) {
    throw sys::FileError(folder, "can't be created", errno);
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    throw sys::FileError(target, "can't rename " + temporary.string() + " to it", errno);
  }
  sys::sync_directory(folder);
}

bool Depot::remove(const domain::Slug& slug, const domain::Version& version,
                   std::string_view digest) const {
  bool removed = unlink_if_there(file_of(slug, version, digest));
  const std::filesystem::path former = former_file_of(root_, slug, version);
  if (ends_with_comment(former, depot_comment(digest))) {
    removed = unlink_if_there(former) || removed;
  }
  if (!removed) return false;
  // The last file takes its folder along; any other failure means that it is still needed.
  const std::filesystem::path folder = former.parent_path();
  if (::rmdir(folder.c_str()) == 0) {
    sys::sync_directory(root_);
  } else {
    sys::sync_directory(folder);
  }
  return true;
}

}  // namespace goldsmith::archive
