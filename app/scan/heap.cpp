#include "app/scan/heap.hpp"

#include <algorithm>
#include <system_error>
#include <tuple>

#include "app/domain/names.hpp"
#include "app/json/value.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
namespace {

namespace fs = std::filesystem;

std::string shown(const fs::path& path) {
  const std::string quoted = json::to_string(path.string());  // bytes that are no text replaced
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

void Heap::add(const fs::path& path) {
  const fs::path start = fs::absolute(path).lexically_normal();
  const fs::file_status status = fs::symlink_status(start);
  if (!fs::exists(status)) {
    throw fs::filesystem_error("cannot scan", path,
                               std::make_error_code(std::errc::no_such_file_or_directory));
  }
  if (!fs::is_directory(status)) return add_file(start);
  std::error_code error;
  fs::recursive_directory_iterator entry(start, fs::directory_options::skip_permission_denied);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (files_.size() >= kMostFiles) {
      refusals_.push_back({shown(start), "holds more than " + std::to_string(kMostFiles) +
                                             " files; the others are not scanned"});
      return;
    }
    if (entry->path().filename() == ".git") entry.disable_recursion_pending();
    if (!fs::is_directory(entry->symlink_status(error))) add_file(entry->path());
  }
  if (error) refusals_.push_back({shown(start), error.message()});
}

void Heap::add_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::is_regular_file(status)) {
    refusals_.push_back(
        {shown(path), fs::is_symlink(status) ? "is a link; links are refused" : "is not a file"});
    return;
  }
  const std::string extension = sys::to_lower_ascii(path.extension().string());
  if (extension == ".zip" || extension == ".rar" || extension == ".7z") {
    refusals_.push_back({shown(path), "is an archive; unpack it, and scan the folder"});
    return;
  }
  if (!domain::is_relative_path(path.relative_path().string())) {
    refusals_.push_back({shown(path), "has a name that a manifest can't have"});
    return;
  }
  const std::uint64_t size = fs::file_size(path, error);
  if (error) return refusals_.push_back({shown(path), error.message()});
  by_lower_name_.emplace(sys::to_lower_ascii(path.filename().string()), files_.size());
  files_.push_back({path, path.string(), size});
}

std::vector<const HeapFile*> Heap::find(std::string_view name, std::string_view folder) const {
  const std::string wanted = '/' + sys::to_lower_ascii(name);
  const auto [first, last] = by_lower_name_.equal_range(wanted.substr(wanted.rfind('/') + 1));
  std::vector<std::tuple<std::size_t, std::string_view, const HeapFile*>> found;
  for (auto each = first; each != last; ++each) {
    const HeapFile& file = files_[each->second];
    if (!sys::to_lower_ascii(file.path).ends_with(wanted)) continue;
    found.emplace_back(distance(folder, folder_of(file.path)), file.path, &file);
  }
  std::sort(found.begin(), found.end());
  std::vector<const HeapFile*> files;
  for (const auto& [steps, path, file] : found) files.push_back(file);
  return files;
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : path.substr(0, slash);
}

std::size_t distance(std::string_view from, std::string_view to) {
  const std::vector<std::string_view> left = sys::split(from, '/');
  const std::vector<std::string_view> right = sys::split(to, '/');
  const auto [a, b] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<std::size_t>((left.end() - a) + (right.end() - b));
}

}  // namespace goldsmith::scan
