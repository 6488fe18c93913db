#include "app/compile/toolchain.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <system_error>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::compile {

namespace fs = std::filesystem;

namespace {

struct PrintedFile {
  std::string name;  // what the fingerprint calls it
  std::string path;
  struct stat status{};
};

// std::nullopt if it is not a regular file. One call, because each request looks at some hundred
// files.
std::optional<PrintedFile> printed_file(std::string name, std::string path) {
  PrintedFile file{std::move(name), std::move(path)};
  if (::stat(file.path.c_str(), &file.status) != 0 || !S_ISREG(file.status.st_mode)) {
    return std::nullopt;
  }
  return file;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// What is missing or unusable; "" if the toolchain is complete.
std::string defect_of(const fs::path& folder) {
  for (const char* file : {"amxxpc", "amxxpc32.so"}) {
    if (!is_file(folder / file)) return (folder / file).string() + ": there is no such file";
  }
  if (::access((folder / "amxxpc").c_str(), X_OK) != 0) {
    return (folder / "amxxpc").string() + ": can't be executed";
  }
  if (!is_folder(folder / "include")) {
    return (folder / "include").string() + ": there is no such folder";
  }
  return "";
}

void add_includes(const fs::path& folder, const std::string& prefix,
                  std::vector<PrintedFile>& files) {
  if (!is_folder(folder)) return;
  const std::size_t below = folder.native().size() + 1;
  std::error_code error;
  fs::recursive_directory_iterator each(folder, error);
  for (const fs::recursive_directory_iterator end; !error && each != end; each.increment(error)) {
    const std::string& path = each->path().native();
    if (auto file = printed_file(prefix + path.substr(below), path)) {
      files.push_back(std::move(*file));
    }
  }
  if (error) throw base::FileError(folder, "can't be listed", error.value());
}

// Everything that a compile's result depends on, by name.
std::vector<PrintedFile> printed_files(const Toolchain& toolchain) {
  std::vector<PrintedFile> files;
  for (const char* name : {"amxxpc", "amxxpc32.so"}) {
    auto file = printed_file(name, toolchain.folder / name);
    if (!file) throw base::FileError(toolchain.folder / name, "can't be examined", ENOENT);
    files.push_back(std::move(*file));
  }
  add_includes(toolchain.folder / "include", "include/", files);
  add_includes(toolchain.operator_includes, "operator/", files);
  std::sort(files.begin(), files.end(), [](const PrintedFile& left, const PrintedFile& right) {
    return left.name < right.name;
  });
  return files;
}

// Changes whenever a file is added, removed, resized or written.
std::string stamp_of(const std::vector<PrintedFile>& files) {
  std::string stamp;
  for (const PrintedFile& file : files) {
    const timespec& time = file.status.st_mtim;
    stamp += file.name + '\0';
    for (const auto number : {file.status.st_size, time.tv_sec, time.tv_nsec}) {
      stamp.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
  }
  return stamp;
}

// Returns the digest of all, and adds the includes to `includes`, in the order of their folders.
std::string read_all(const std::vector<PrintedFile>& files, InstalledIncludes& includes) {
  base::Sha256 digest;
  for (const PrintedFile& file : files) {
    const std::string content = base::read_file(file.path);
    // With the lengths, the end of one file can't pass for the start of another.
    digest.update(file.name + '\0' + std::to_string(content.size()) + '\0').update(content);
    const std::size_t folder_end = file.name.find('/');
    if (folder_end == std::string::npos) continue;
    includes.add(file.name.substr(folder_end + 1), {file.path, pawn::included_names(content)});
  }
  return digest.finish_hex();
}

// The fingerprint of every installed line whose files can be read.
std::map<std::string, std::string> fingerprints_of(const Toolchains& toolchains) {
  std::map<std::string, std::string> all;
  for (const Toolchain& toolchain : toolchains.installed()) {
    try {
      all.emplace(toolchain.line, toolchains.fingerprint(toolchain));
    } catch (const base::FileError&) {
      continue;
    }
  }
  return all;
}

}  // namespace

Toolchains::Toolchains(fs::path root, fs::path operator_includes)
    : root_(std::move(root)), operator_includes_(std::move(operator_includes)) {}

std::vector<IncludeFolder> include_folders(const Toolchain& toolchain) {
  std::vector<IncludeFolder> folders;
  for (const fs::path& folder : {toolchain.folder / "include", toolchain.operator_includes}) {
    std::vector<PrintedFile> files;
    add_includes(folder, "", files);
    folders.push_back({folder, is_folder(folder), files.size()});
  }
  return folders;
}

std::map<std::string, fs::path> includes(const Toolchain& toolchain) {
  std::map<std::string, fs::path> found;  // the folder that is searched first wins
  for (const fs::path& folder : {toolchain.folder / "include", toolchain.operator_includes}) {
    std::vector<PrintedFile> files;
    add_includes(folder, "", files);
    for (PrintedFile& file : files) found.emplace(std::move(file.name), std::move(file.path));
  }
  return found;
}

bool has_include(const Toolchain& toolchain, std::string_view name) {
  const std::string text(name);
  for (const fs::path& folder : {toolchain.folder / "include", toolchain.operator_includes}) {
    for (const char* extension : {"", ".inc", ".p", ".pawn"}) {
      if (is_file(folder / (text + extension))) return true;
    }
  }
  return false;
}

std::vector<Toolchain> Toolchains::installed() const {
  std::vector<Toolchain> found;
  for (const std::string& line : domain::toolchain_lines()) {
    if (auto toolchain = find(line)) found.push_back(std::move(*toolchain));
  }
  return found;
}

std::optional<Toolchain> Toolchains::find(std::string_view line) const {
  const auto& lines = domain::toolchain_lines();
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) return std::nullopt;
  Toolchain toolchain = place_of(line);
  if (!defect_of(toolchain.folder).empty()) return std::nullopt;
  return toolchain;
}

Toolchain Toolchains::place_of(std::string_view line) const {
  return {std::string(line), fs::absolute(root_ / line), operator_includes_ / line};
}

std::string Toolchains::defect(std::string_view line) const {
  return defect_of(place_of(line).folder);
}

std::string Toolchains::fingerprint(const Toolchain& toolchain) const {
  const auto files = printed_files(toolchain);
  std::string stamp = stamp_of(files);
  Known& kept = known_[toolchain.folder];
  if (kept.stamp != stamp) {
    InstalledIncludes includes;
    std::string fingerprint = read_all(files, includes);
    kept = {std::move(stamp), std::move(fingerprint), std::move(includes)};
  }
  return kept.fingerprint;
}

const InstalledIncludes& Toolchains::include_index(const Toolchain& toolchain) const {
  if (!known_.contains(toolchain.folder)) fingerprint(toolchain);
  return known_.at(toolchain.folder).includes;
}

std::uint64_t ToolchainWatch::generation() {
  auto current = fingerprints_of(toolchains_);
  if (current != seen_) {
    seen_ = std::move(current);
    ++generation_;
  }
  return generation_;
}

std::uint64_t ToolchainWatch::recent_generation(std::int64_t now) {
  if (now == looked_at_) return generation_;
  looked_at_ = now;
  return generation();
}

std::string ToolchainWatch::fingerprint(const Toolchain& toolchain) const {
  const auto seen = seen_.find(toolchain.line);
  return seen != seen_.end() ? seen->second : toolchains_.fingerprint(toolchain);
}

}  // namespace goldsmith::compile
