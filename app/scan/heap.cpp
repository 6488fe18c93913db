#include "app/scan/heap.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include "app/compile/job.hpp"
#include "app/domain/names.hpp"
#include "app/json/value.hpp"
#include "app/sys/digest.hpp"
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

bool is_legal(const fs::path& path) {
  const std::string relative = path.relative_path().string();
  return domain::is_relative_path(relative) && sys::is_printable(relative);
}

// "" if it may be scanned.
std::string defect_of(const sys::HeldFolder::Entry& entry, const fs::path& path,
                      std::string_view lower) {
  using Kind = sys::HeldFolder::Kind;
  if (entry.kind == Kind::link) return "is a link; links are refused";
  if (entry.kind != Kind::file) return "is not a file";
  if (!is_legal(path)) {
    return "has a name that a manifest can't have";
  }
  return lower.ends_with(".rar") ? "is a RAR archive; unpack it, and scan the folder" : "";
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + '/' + name;
}

}  // namespace

HeapFile file_in(const Folder& folder, const std::string& name, std::string path,
                 std::uint64_t size) {
  return {[folder, name] { return folder->read(name, compile::kLargestSource); }, std::move(path),
          size};
}

Heap::Heap(Unpack unpack, const fs::path& leave_out) : unpack_(std::move(unpack)) {
  std::error_code error;
  if (!leave_out.empty() && fs::exists(leave_out, error)) {
    leave_out_ = sys::HeldFolder(leave_out).entry("");
  }
}

void Heap::add(const fs::path& path) {
  fs::path start = fs::absolute(path).lexically_normal();
  if (!start.has_filename()) start = start.parent_path();
  const fs::file_status status = fs::symlink_status(start);
  if (!fs::exists(status)) {
    throw fs::filesystem_error("cannot scan", path,
                               std::make_error_code(std::errc::no_such_file_or_directory));
  }
  if (fs::is_directory(status)) {
    const auto folder = std::make_shared<const sys::HeldFolder>(start);
    return add_entry(folder, "", *folder->entry(""), 0);
  }
  const auto folder = std::make_shared<const sys::HeldFolder>(start.parent_path());
  const std::string name = start.filename().string();
  if (const auto entry = folder->entry(name)) add_entry(folder, name, *entry, 0);
}

void Heap::add_folder(const Folder& folder, const std::string& inner, int depth) try {
  const fs::path path = inner.empty() ? folder->path() : folder->path() / inner;
  if (depth > kDeepest) return refuse(path, "is too deep in other folders");
  for (const Entry& each : folder->entries(inner)) {
    sys::check_interruption();
    if (is_full(path)) return;
    add_entry(folder, in_folder(inner, each.name), each, depth + 1);
  }
} catch (const sys::FileError& failure) {
  refuse(inner.empty() ? folder->path() : folder->path() / inner, failure.reason());
}

void Heap::add_entry(const Folder& folder, const std::string& inner, const Entry& entry,
                     int depth) {
  if (entry.kind != sys::HeldFolder::Kind::folder) return add_file(folder, inner, entry);
  const bool is_left_out = leave_out_ && entry.is_same(*leave_out_);
  if (entry.name != ".git" && !is_left_out) add_folder(folder, inner, depth);
}

void Heap::add_file(const Folder& folder, const std::string& inner, const Entry& entry) {
  const fs::path path = folder->path() / inner;
  const std::string lower = sys::to_lower_ascii(entry.name);
  if (std::string defect = defect_of(entry, path, lower); !defect.empty()) {
    return refuse(path, std::move(defect));
  }
  if (is_archive(lower)) return add_archive(folder, inner);
  keep(file_in(folder, inner, path.string(), entry.size));
}

void Heap::add_archive(const Folder& folder, const std::string& name) try {
  const fs::path path = folder->path() / name;
  if (!by_path_.emplace(path.string(), nullptr).second) return;
  for (HeapFile& file : unpack_(folder->open(name), path)) {
    const fs::path inner = path / file.path;
    if (is_full(path)) return;
    const std::string lower = sys::to_lower_ascii(inner.filename().string());
    if (is_archive(lower) || lower.ends_with(".rar")) {
      refuse(inner, "is an archive in an archive; unpack it, and scan the folder");
    } else if (is_legal(inner)) {
      file.path = inner.string();
      keep(std::move(file));
    } else {
      refuse(inner, "has a name that a manifest can't have");
    }
  }
} catch (const sys::Interrupted&) {
  throw;
} catch (const sys::FileError& failure) {
  refuse(folder->path() / name, failure.reason());
} catch (const std::exception& failure) {
  refuse(folder->path() / name, failure.what());
}

void Heap::keep(HeapFile file) {
  const auto [place, is_new] = by_path_.emplace(file.path, nullptr);
  if (!is_new) return;
  const HeapFile& kept = files_.emplace_back(std::move(file));
  place->second = &kept;
  index_.add(kept);
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
  constexpr std::size_t kMostFound = 100;
  std::vector<const HeapFile*> files;
  visit(name, {folder}, [&](const HeapFile& file, std::size_t) {
    files.push_back(&file);
    return files.size() < kMostFound;
  });
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

const std::string& Heap::digest(const HeapFile& file) const {
  const auto [known, is_new] = digests_.try_emplace(&file);
  if (is_new && file.size <= compile::kLargestSource) {
    try {
      known->second = sys::sha1_hex(file.read());
    } catch (const sys::FileError&) {  // stays without
    }
  }
  return known->second;
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
