#include "app/compile/job.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

#include "app/domain/names.hpp"

namespace goldsmith::compile {
namespace fs = std::filesystem;

namespace {

// The compilers refuse a byte order mark (decision P4).
std::string_view without_mark(std::string_view content) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return content.substr(0, kMark.size()) == kMark ? content.substr(kMark.size()) : content;
}

void change_owner(const fs::path& path, uid_t user, gid_t group) {
  if (::chown(path.c_str(), user, group) != 0) {
    throw base::FileError(path, "can't change its owner", errno);
  }
}

void check_names(const domain::PluginFile& file) {
  if (domain::is_file_name(file.filename) && domain::is_relative_path(file.install_dir)) return;
  throw std::invalid_argument("illegal file name: " + file.install_dir + "/" + file.filename);
}

// Lets root and the group read what is in a folder of root, and nobody else.
void let_read(const fs::path& folder, gid_t group) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const bool is_executable =
        (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
    fs::permissions(entry.path(), fs::perms(is_executable ? 0755 : 0644));
  }
  change_owner(folder, ::geteuid(), group);
  fs::permissions(folder, fs::perms(0750));
}

}  // namespace

Job::Job(const fs::path& scratch, const domain::PluginVersion& version,
         const domain::PluginFile& entry)
    : scratch_(scratch, "compile") {
  for (const char* name : {"src", "tree", "more", "out", "work"}) {
    if (!fs::create_directory(folder() / name)) throw base::FileError(folder() / name, "exists", 0);
  }
  const auto has = [&](const std::string& name) {
    return std::any_of(version.files.begin(), version.files.end(),
                       [&](const domain::PluginFile& file) { return file.filename == name; });
  };
  while (entry.filename != source_ && has(source_)) source_.insert(0, "_");
  write(source_, entry.content);
  // `#include` means the one beside the entry point if two files have one name.
  for (const bool beside : {true, false}) {
    for (const domain::PluginFile& file : version.files) {
      if (&file != &entry && (file.install_dir == entry.install_dir) == beside) place(file, entry);
    }
  }
}

void Job::place(const domain::PluginFile& file, const domain::PluginFile& entry) {
  check_names(file);
  if (!pawn::is_placed(file)) return;
  write(fs::path("src") / file.filename, file.content);
  const auto below = pawn::folder_below(file, entry);
  if (below) write_below(fs::path("tree") / *below, file.filename, file.content);
}

// A file may be where the folder of another one would be. Of a plugin, `#include` then finds the
// flat copy.
void Job::write_below(const fs::path& place, const std::string& name,
                      std::string_view content) const {
  std::error_code error;
  fs::create_directories(folder() / place, error);
  if (!error) write(place / name, content);
}

void Job::add(const std::vector<ExtraInclude>& includes) const {
  for (const ExtraInclude& include : includes) {
    if (include.name.empty() || !domain::is_relative_path(include.name)) {
      throw std::invalid_argument("illegal name of an include: " + include.name);
    }
    const fs::path path = fs::path("more") / include.name;
    write_below(path.parent_path(), path.filename().native(), include.content);
  }
}

void Job::write(const fs::path& relative, std::string_view content) const {
  const fs::path path = folder() / relative;
  try {
    const base::UniqueFd fd = base::open_file(path, O_WRONLY | O_CREAT | O_EXCL);
    base::write_all(fd.get(), without_mark(content), path);
  } catch (const base::FileError& error) {
    // The first file of a name stays.
    if (error.error_number() != EEXIST) throw;
  }
}

void Job::create_output(const std::string& name) const { write(fs::path("out") / name, ""); }

void Job::give_to(const host::Account& account) {
  change_owner(folder() / "out", account.user, account.group);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder() / "out")) {
    change_owner(entry.path(), account.user, account.group);
  }
  let_read(folder(), account.group);
}

std::string Job::output(const std::string& name, std::uint64_t limit) const {
  const fs::path path = folder() / "out" / name;
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  const bool is_usable = fd && ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                         static_cast<std::uint64_t>(status.st_size) <= limit;
  return is_usable ? base::read_file(fd, path, limit) : std::string();
}

ToolchainCopies::ToolchainCopies(fs::path scratch, const host::Account& account)
    : scratch_(std::move(scratch)), account_(account) {}

Toolchain ToolchainCopies::copy_of(const Toolchain& toolchain) {
  const std::scoped_lock lock(mutex_);
  Toolchain copy = toolchain;
  copy.folder = copied(toolchain.folder);
  std::error_code error;
  if (fs::is_directory(toolchain.operator_includes, error)) {
    copy.operator_includes = copied(toolchain.operator_includes);
  }
  return copy;
}

fs::path ToolchainCopies::copied(const fs::path& folder) {
  const auto found = copies_.find(folder);
  if (found != copies_.end()) return found->second->path();
  auto copy = std::make_unique<base::TempDir>(scratch_, "goldsmith-toolchain");
  fs::copy(folder, copy->path(), fs::copy_options::recursive);
  let_read(copy->path(), account_.group);
  return copies_.emplace(folder, std::move(copy)).first->second->path();
}

}  // namespace goldsmith::compile
