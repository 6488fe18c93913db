#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "app/owner/folder.hpp"
#include "app/owner/server_place.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

bool has_folder(int folder, std::string_view path) {
  return static_cast<bool>(open_folder_in(folder, path));
}

bool has_engine(int folder) {
  return has_folder(folder, "valve") || open_file_in(folder, "hlds_linux") ||
         open_file_in(folder, "engine_i486.so");
}

std::vector<std::string> folders_in(int folder) {
  std::vector<std::string> names = names_in(folder).value_or(std::vector<std::string>());
  std::erase_if(names, [&](const std::string& name) { return !has_folder(folder, name); });
  return names;
}

// Of a folder that is open.
class OpenFolder : public FolderNames {
 public:
  explicit OpenFolder(int folder) : folder_(folder) {}

  bool has_folder(std::string_view path) const override {
    return static_cast<bool>(open_folder_in(folder_, path));
  }
  bool has_file(std::string_view path) const override {
    return static_cast<bool>(open_file_in(folder_, path));
  }
  std::vector<std::string> folders_in(std::string_view path) const override {
    const Descriptor opened = open_folder_in(folder_, path);
    return opened ? owner::folders_in(opened.get()) : std::vector<std::string>();
  }

 private:
  int folder_;
};

std::string real_path(const std::string& path) {
  char* const resolved = ::realpath(path.c_str(), nullptr);
  std::string result = resolved == nullptr ? path : resolved;
  std::free(resolved);
  return result;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Descriptor open_folder_in(int folder, std::string_view path) {
  Descriptor at(::openat(folder, ".", kFolderFlags));
  while (!path.empty() && at) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    at = Descriptor(::openat(at.get(), std::string(path.substr(0, slash)).c_str(), kFolderFlags));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return at;
}

std::optional<std::vector<std::string>> names_in(int folder) {
  const int copy = ::openat(folder, ".", kFolderFlags);
  DIR* const opened = copy < 0 ? nullptr : ::fdopendir(copy);
  if (opened == nullptr) {
    if (copy >= 0) ::close(copy);
    return std::nullopt;
  }
  std::vector<std::string> names;
  while (const dirent* const each = ::readdir(opened)) {
    const std::string_view name = each->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(opened);
  std::ranges::sort(names);
  return names;
}

Descriptor open_file_in(int folder, std::string_view path) {
  constexpr int kFileFlags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const std::size_t slash = path.rfind('/');
  const std::string name(path.substr(slash + 1));
  Descriptor above;
  if (slash != path.npos) {
    above = open_folder_in(folder, path.substr(0, slash));
    if (!above) return Descriptor();
    folder = above.get();
  }
  Descriptor file(::openat(folder, name.c_str(), kFileFlags | O_NOATIME));
  if (!file && errno == EPERM) {  // another's file
    file = Descriptor(::openat(folder, name.c_str(), kFileFlags));
  }
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Descriptor();
  return file;
}

std::optional<std::string> read_beginning(int file, std::size_t most) {
  std::string content(std::min<std::size_t>(most, 64U << 10), '\0');
  std::size_t size = 0;
  while (size < most) {
    if (size == content.size()) content.resize(std::min(most, 2 * size));
    const ssize_t count =
        ::pread(file, content.data() + size, content.size() - size, static_cast<off_t>(size));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  content.resize(size);
  return content;
}

std::optional<ServerFolder> find_server(const std::string& folder, Message& problem) {
  const Message::Value named{"folder", folder};
  const auto opened_by_name = [](const std::string& path) {
    return Descriptor(::open(path.c_str(), kFolderFlags & ~O_NOFOLLOW));
  };
  Descriptor root = opened_by_name(folder);
  if (!root) {
    problem = errno == ENOENT || errno == ENOTDIR ? Message("there is no folder {folder}", {named})
                                                  : Message("cannot enter {folder}", {named});
    return std::nullopt;
  }
  const std::string given = real_path(folder);
  const auto place = place_of_server(OpenFolder(root.get()), folder, problem);
  if (!place) return std::nullopt;
  if (place->is_game) {
    const std::string above = parent_of(given);
    Descriptor server = opened_by_name(above);
    if (given.ends_with("/cstrike") && server && has_engine(server.get())) {
      return ServerFolder{std::move(server), above, "", given};
    }
    return ServerFolder{std::move(root), given, "cstrike/", given};
  }
  if (place->path.empty()) return ServerFolder{std::move(root), given, "", given};
  Descriptor server = open_folder_in(root.get(), place->path);
  return ServerFolder{std::move(server), given + (given == "/" ? "" : "/") + place->path, "",
                      given};
}

}  // namespace goldsmith::owner
