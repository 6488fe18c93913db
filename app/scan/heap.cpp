#include "app/scan/heap.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <tuple>

#include "app/compile/job.hpp"
#include "app/domain/names.hpp"
#include "app/json/value.hpp"
#include "app/sys/file.hpp"
#include "app/sys/interruption.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::scan {
namespace {

namespace fs = std::filesystem;

std::string shown(const fs::path& path) {
  const std::string quoted = json::to_string(path.string());  // bytes that are no text replaced
  return quoted.substr(1, quoted.size() - 2);
}

bool ends_with_any(std::string_view text, const auto& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return text.ends_with(ending); });
}

bool is_archive(std::string_view lower) {
  constexpr std::array<std::string_view, 6> kEndings{".zip", ".7z",     ".tar",
                                                     ".tgz", ".tar.gz", ".tar.xz"};
  return ends_with_any(lower, kEndings);
}

// "" if it may be scanned.
std::string defect_of(const fs::path& path, std::string_view lower) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (error) return error.message();
  if (fs::is_symlink(status)) return "is a link; links are refused";
  if (!fs::is_regular_file(status)) return "is not a file";
  if (!domain::is_relative_path(path.relative_path().string())) {
    return "has a name that a manifest can't have";
  }
  return lower.ends_with(".rar") ? "is a RAR archive; unpack it, and scan the folder" : "";
}

}  // namespace

std::string content_of(const HeapFile& file) {
  return sys::read_file(file.on_disk, compile::kLargestSource);
}

Heap::Heap(Unpack unpack, fs::path leave_out)
    : unpack_(std::move(unpack)), leave_out_(std::move(leave_out)) {}

void Heap::add(const fs::path& path) {
  fs::path start = fs::absolute(path).lexically_normal();
  if (!start.has_filename()) start = start.parent_path();
  const fs::file_status status = fs::symlink_status(start);
  if (!fs::exists(status)) {
    throw fs::filesystem_error("cannot scan", path,
                               std::make_error_code(std::errc::no_such_file_or_directory));
  }
  if (!fs::is_directory(status)) return add_file(start);
  add_folder(start, 0);
}

void Heap::add_folder(const fs::path& folder, int depth) {
  if (depth > kDeepest) return refuse(folder, "is too deep in other folders");
  std::error_code error;
  if (!leave_out_.empty() && fs::equivalent(folder, leave_out_, error)) return;
  std::vector<fs::path> entries;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  if (error) refuse(folder, error.message());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& each : entries) {
    sys::check_interruption();
    if (is_full(folder)) return;
    if (!fs::is_directory(fs::symlink_status(each, error))) {
      add_file(each);
    } else if (each.filename() != ".git") {
      add_folder(each, depth + 1);
    }
  }
}

void Heap::add_file(const fs::path& path) {
  const std::string lower = sys::to_lower_ascii(path.filename().string());
  if (std::string defect = defect_of(path, lower); !defect.empty()) {
    return refuse(path, std::move(defect));
  }
  if (is_archive(lower)) return add_archive(path);
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error) return refuse(path, error.message());
  keep({.on_disk = path, .path = path.string(), .size = size});
}

void Heap::add_archive(const fs::path& path) try {
  if (!by_path_.emplace(path.string(), nullptr).second) return;
  for (HeapFile& file : unpack_(path)) {
    const fs::path inner = path / file.path;
    if (is_full(path)) return;
    const std::string lower = sys::to_lower_ascii(inner.filename().string());
    if (is_archive(lower) || lower.ends_with(".rar")) {
      refuse(inner, "is an archive in an archive; unpack it, and scan the folder");
    } else if (domain::is_relative_path(inner.relative_path().string())) {
      file.path = inner.string();
      keep(std::move(file));
    } else {
      refuse(inner, "has a name that a manifest can't have");
    }
  }
} catch (const sys::Interrupted&) {
  throw;
} catch (const std::exception& failure) {
  refuse(path, failure.what());
}

void Heap::keep(HeapFile file) {
  const auto [place, is_new] = by_path_.emplace(file.path, nullptr);
  if (!is_new) return;
  const HeapFile& kept = files_.emplace_back(std::move(file));
  place->second = &kept;
  by_lower_name_.emplace(sys::to_lower_ascii(name_in(kept.path)), &kept);
}

// Says so once.
bool Heap::is_full(const fs::path& at) {
  if (files_.size() < kMostFiles) return false;
  if (!is_full_) {
    refuse(at,
           "and what follows is not scanned: at most " + std::to_string(kMostFiles) + " files are");
  }
  is_full_ = true;
  return true;
}

void Heap::refuse(const fs::path& path, std::string reason) {
  refusals_.push_back({shown(path), std::move(reason)});
}

std::vector<const HeapFile*> Heap::find(std::string_view name, std::string_view folder) const {
  const std::string wanted = '/' + sys::to_lower_ascii(name);
  const auto [first, last] = by_lower_name_.equal_range(name_in(wanted));
  std::vector<std::tuple<std::size_t, std::string_view, const HeapFile*>> found;
  for (auto each = first; each != last; ++each) {
    const HeapFile& file = *each->second;
    if (!sys::to_lower_ascii(file.path).ends_with(wanted)) continue;
    found.emplace_back(distance(folder, folder_of(file.path)), file.path, &file);
  }
  std::sort(found.begin(), found.end());
  std::vector<const HeapFile*> files;
  for (const auto& [steps, path, file] : found) files.push_back(file);
  return files;
}

std::vector<const HeapFile*> Heap::below(std::string_view folder) const {
  std::vector<const HeapFile*> files;
  const std::string start = std::string(folder) + '/';
  for (auto each = by_path_.lower_bound(start); each != by_path_.end(); ++each) {
    if (!each->first.starts_with(start)) break;
    if (each->second) files.push_back(each->second);
  }
  return files;
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : path.substr(0, slash);
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::size_t distance(std::string_view from, std::string_view to) {
  const std::vector<std::string_view> left = sys::split(from, '/');
  const std::vector<std::string_view> right = sys::split(to, '/');
  const auto [a, b] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<std::size_t>((left.end() - a) + (right.end() - b));
}

}  // namespace goldsmith::scan
