#include "app/owner/server_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "app/owner/sha256.hpp"

namespace goldsmith::owner {
namespace {

constexpr std::size_t kPiece = 256U << 10;

// Calls `use` with each piece; false if the file can't be read, or `use` says so.
bool read_pieces(int file, const std::function<bool(std::string_view)>& use) {
  std::string buffer(kPiece, '\0');
  while (true) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    if (!use(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)))) return false;
  }
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string_view above(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash);
}

std::optional<struct stat> status_of(const ServerFiles::Place& place) {
  struct stat status{};
  if (!place.folder ||
      ::fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  return status;
}

// In the folder of the target, where no file has it yet.
const char* const kCopy = ".goldsmith-copy";

bool copy_link(const ServerFiles::Place& from, const ServerFiles::Place& to) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size =
      ::readlinkat(from.folder.get(), from.name.c_str(), target.data(), target.size() - 1);
  return size >= 0 && ::symlinkat(target.data(), to.folder.get(), to.name.c_str()) == 0;
}

bool copy_content(const ServerFiles::Place& from, const ServerFiles::Place& to) {
  const Descriptor source = open_file_in(from.folder.get(), from.name);
  struct stat status{};
  if (!source || ::fstat(source.get(), &status) != 0) return false;
  ::unlinkat(to.folder.get(), kCopy, 0);
  const Descriptor copy(
      ::openat(to.folder.get(), kCopy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!copy) return false;
  const std::array times{status.st_atim, status.st_mtim};
  const bool is_copied =
      read_pieces(source.get(),
                  [&](std::string_view piece) { return write_all(copy.get(), piece); }) &&
      ::fchmod(copy.get(), status.st_mode & 07777U) == 0 &&
      ::futimens(copy.get(), times.data()) == 0 && ::fsync(copy.get()) == 0 &&
      ::renameat(to.folder.get(), kCopy, to.folder.get(), to.name.c_str()) == 0;
  if (!is_copied) {
    const int error = errno;
    ::unlinkat(to.folder.get(), kCopy, 0);
    errno = error;
  }
  return is_copied;
}

bool remove_below(int folder, const std::string& name) {
  struct stat status{};
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  if (!S_ISDIR(status.st_mode)) return ::unlinkat(folder, name.c_str(), 0) == 0;
  const Descriptor inner = open_folder_in(folder, name);
  if (!inner) return false;
  for (const std::string& each : ServerFiles(Descriptor(::dup(inner.get()))).names_in("")) {
    if (!remove_below(inner.get(), each)) return false;
  }
  return ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0;
}

}  // namespace

ServerFiles::Place ServerFiles::place(std::string_view path) const {
  const std::string_view folder = above(path);
  return {open_folder_in(root(), folder),
          std::string(path.substr(folder.empty() ? 0 : folder.size() + 1))};
}

std::optional<std::string> ServerFiles::look(std::string_view path) const {
  const Place at = place(path);
  const auto status = status_of(at);
  if (!status) return std::string(kNothing);
  if (S_ISDIR(status->st_mode)) return std::string(kIsFolder);
  if (S_ISLNK(status->st_mode)) {
    struct stat target{};
    const bool is_folder =
        ::fstatat(at.folder.get(), at.name.c_str(), &target, 0) == 0 && S_ISDIR(target.st_mode);
    return std::string(is_folder ? kIsFolder : kIsLink);
  }
  if (!S_ISREG(status->st_mode)) return std::string(kIsSpecial);
  const Descriptor file = open_file_in(at.folder.get(), at.name);
  Sha256 digest;
  const bool is_read = file && read_pieces(file.get(), [&](std::string_view piece) {
                         digest.update(piece);
                         return true;
                       });
  return is_read ? std::optional(digest.finish_hex()) : std::nullopt;
}

bool ServerFiles::is_file(std::string_view path) const {
  const auto status = status_of(place(path));
  return status && S_ISREG(status->st_mode);
}

bool ServerFiles::is_folder(std::string_view path) const {
  const auto status = status_of(place(path));
  return status && S_ISDIR(status->st_mode);
}

bool ServerFiles::exists(std::string_view path) const { return status_of(place(path)).has_value(); }

std::string ServerFiles::link_above(std::string_view path) const {
  const std::string_view folders = above(path);
  for (std::size_t end = 0; end < folders.size();) {
    end = std::min(folders.find('/', end + 1), folders.size());
    const auto status = status_of(place(folders.substr(0, end)));
    if (!status) break;
    if (S_ISLNK(status->st_mode)) return std::string(folders.substr(0, end));
  }
  return {};
}

std::optional<std::string> ServerFiles::read(std::string_view path, std::size_t most) const {
  const Descriptor file = open_file_in(root(), path);
  auto content = file ? read_beginning(file.get(), most + 1) : std::nullopt;
  if (content && content->size() > most) return std::nullopt;
  return content;
}

std::vector<std::string> ServerFiles::names_in(std::string_view folder) const {
  std::vector<std::string> names;
  const Descriptor opened = open_folder_in(root(), folder);
  const int copy = opened ? ::openat(opened.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  DIR* const list = copy < 0 ? nullptr : ::fdopendir(copy);
  if (list == nullptr) return names;
  while (const dirent* const each = ::readdir(list)) names.emplace_back(each->d_name);
  ::closedir(list);
  std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
  std::ranges::sort(names);
  return names;
}

void ServerFiles::each_below(const std::string& folder,
                             const std::function<void(const std::string&)>& use) const {
  for (const std::string& name : names_in(folder)) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    if (is_folder(path)) {
      each_below(path, use);
    } else {
      use(path);
    }
  }
}

bool ServerFiles::make_parents(std::string_view path, std::vector<std::string>* made) const {
  const std::string_view folders = above(path);
  for (std::size_t end = 0; end < folders.size();) {
    end = std::min(folders.find('/', end + 1), folders.size());
    const std::string_view folder = folders.substr(0, end);
    if (is_folder(folder)) continue;
    if (!make_folder(folder)) return false;
    if (made != nullptr) made->emplace_back(folder);
  }
  return true;
}

bool ServerFiles::make_folder(std::string_view path) const {
  const Place at = place(path);
  return at.folder && ::mkdirat(at.folder.get(), at.name.c_str(), 0777) == 0;
}

bool ServerFiles::write(std::string_view path, std::string_view content, unsigned mode) const {
  if (!make_parents(path)) return false;
  const Place at = place(path);
  if (!at.folder) return false;
  ::unlinkat(at.folder.get(), kCopy, 0);
  const Descriptor file(
      ::openat(at.folder.get(), kCopy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return false;
  if (write_all(file.get(), content) &&
      ::renameat(at.folder.get(), kCopy, at.folder.get(), at.name.c_str()) == 0) {
    return true;
  }
  const int error = errno;
  ::unlinkat(at.folder.get(), kCopy, 0);
  errno = error;
  return false;
}

bool ServerFiles::move(std::string_view from, std::string_view to) const {
  const Place source = place(from);
  const Place target = place(to);
  if (!source.folder || !target.folder) return false;
  if (::renameat(source.folder.get(), source.name.c_str(), target.folder.get(),
                 target.name.c_str()) == 0) {
    return true;
  }
  if (errno != EXDEV || !copy_content(source, target)) return false;
  return ::unlinkat(source.folder.get(), source.name.c_str(), 0) == 0;
}

bool ServerFiles::keep(std::string_view from, std::string_view to) const {
  if (!make_parents(to)) return false;
  const Place source = place(from);
  const Place target = place(to);
  if (!source.folder || !target.folder) return false;
  if (::linkat(source.folder.get(), source.name.c_str(), target.folder.get(), target.name.c_str(),
               0) == 0) {
    return true;
  }
  const auto status = status_of(source);
  if (!status) return false;
  return S_ISLNK(status->st_mode) ? copy_link(source, target) : copy_content(source, target);
}

bool ServerFiles::remove(std::string_view path) const {
  const Place at = place(path);
  return at.folder && ::unlinkat(at.folder.get(), at.name.c_str(), 0) == 0;
}

void ServerFiles::remove_empty_above(std::string_view path) const {
  for (std::string_view folder = above(path); !folder.empty(); folder = above(folder)) {
    const Place at = place(folder);
    if (!at.folder || ::unlinkat(at.folder.get(), at.name.c_str(), AT_REMOVEDIR) != 0) return;
  }
}

void ServerFiles::remove_folder(std::string_view path) const {
  const Place at = place(path);
  if (at.folder) ::unlinkat(at.folder.get(), at.name.c_str(), AT_REMOVEDIR);
}

bool ServerFiles::remove_all(std::string_view path) const {
  const Place at = place(path);
  return at.folder ? remove_below(at.folder.get(), at.name) : errno == ENOENT;
}

}  // namespace goldsmith::owner
