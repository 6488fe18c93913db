#include "app/scan/source_tree.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/interruption.hpp"
#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/includes.hpp"
#include "app/pawn/prose.hpp"

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

bool is_legal(const fs::path& path) {
  const std::string relative = path.relative_path().string();
  return domain::is_relative_path(relative) && base::is_printable(relative);
}

// "" if it may be scanned.
std::string defect_of(const base::HeldFolder::Entry& entry, const fs::path& path) {
  if (entry.kind == base::HeldFolder::Kind::link) return kIsLink;
  if (entry.kind != base::HeldFolder::Kind::file) return "is not a file";
  if (!is_legal(path)) {
    return "has a name that a manifest can't have";
  }
  return "";
}

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + '/' + name;
}

// Thousands may have long names: each has its own once.
SourceFile file_in(const Folder& folder, std::string path, std::uint64_t size) {
  const auto content = [folder](const std::string& whole) {
    std::string_view name = std::string_view(whole).substr(folder->path().native().size());
    if (name.starts_with('/')) name.remove_prefix(1);
    return folder->read(std::string(name), pawn::kLargestSource);
  };
  return {content, std::move(path), size};
}

}  // namespace

bool is_archive(std::string_view lower) {
  constexpr std::array<std::string_view, 11> kEndings{".zip",    ".rar",     ".7z",     ".tar",
                                                      ".tgz",    ".tbz2",    ".txz",    ".tar.gz",
                                                      ".tar.xz", ".tar.bz2", ".tar.zst"};
  return ends_with_any(lower, kEndings);
}

SourceTree::SourceTree(Unpack unpack, const fs::path& leave_out, const Bounds& bounds)
    : unpack_(std::move(unpack)), bounds_(bounds) {
  std::error_code error;
  if (!leave_out.empty() && fs::exists(leave_out, error)) {
    leave_out_ = base::HeldFolder(leave_out).entry("");
  }
}

void SourceTree::add(const fs::path& path) {
  fs::path start = fs::absolute(path).lexically_normal();
  if (!start.has_filename()) start = start.parent_path();
  const fs::file_status status = fs::symlink_status(start);
  if (!fs::exists(status)) {
    throw fs::filesystem_error("cannot scan", path,
                               std::make_error_code(std::errc::no_such_file_or_directory));
  }
  above_.push_back(start.parent_path() == "/" ? "" : start.parent_path().string());
  if (fs::is_directory(status)) {
    const auto folder = std::make_shared<const base::HeldFolder>(start);
    return add_entry(folder, "", *folder->entry(""), 0);
  }
  const auto folder = std::make_shared<const base::HeldFolder>(start.parent_path());
  const std::string name = start.filename().string();
  if (const auto entry = folder->entry(name)) add_entry(folder, name, *entry, 0);
}

void SourceTree::add_repository(const base::UniqueFd& archive, const std::string& name,
                                const std::string& within) {
  const fs::path root = "/" + name;
  above_.push_back(root.parent_path() == "/" ? "" : root.parent_path().string());
  for (SourceFile& file : unpack_(archive, root)) {
    const std::size_t slash = file.path.find('/');
    const std::string inner = slash == file.path.npos ? "" : file.path.substr(slash + 1);
    if (inner.empty() || (!within.empty() && !is_below(inner, within))) continue;
    if (is_full(root)) return;
    file.path = inner;
    add_archived(std::move(file), root, 0);
  }
}

std::string_view SourceTree::scanned(std::string_view path) const {
  for (const std::string& above : above_) {
    if (is_below(path, above)) return path.substr(above.size());
  }
  return path;
}

void SourceTree::add_folder(const Folder& folder, const std::string& inner, int depth) try {
  const fs::path path = inner.empty() ? folder->path() : folder->path() / inner;
  ++seen_;
  if (depth > kDeepest) return refuse(path, "is too deep in other folders");
  if (is_full(path)) return;
  for (const Entry& each : folder->entries(inner, bounds_.files)) {
    base::check_interruption();
    if (is_full(path)) return;
    add_entry(folder, in_folder(inner, each.name), each, depth + 1);
  }
} catch (const base::FileError& failure) {
  refuse(inner.empty() ? folder->path() : folder->path() / inner, failure.reason());
}

void SourceTree::add_entry(const Folder& folder, const std::string& inner, const Entry& entry,
                           int depth) {
  if (entry.kind != base::HeldFolder::Kind::folder) return add_file(folder, inner, entry);
  const bool is_left_out = leave_out_ && entry.is_same(*leave_out_);
  if (entry.name != ".git" && !is_left_out) add_folder(folder, inner, depth);
}

void SourceTree::add_file(const Folder& folder, const std::string& inner, const Entry& entry) {
  const fs::path path = folder->path() / inner;
  const std::string lower = base::to_lower_ascii(entry.name);
  if (std::string defect = defect_of(entry, path); !defect.empty()) {
    return refuse(path, std::move(defect));
  }
  if (!takes(path, entry.size)) return;
  if (is_archive(lower)) {
    return add_archive(path, [&] { return unpack_(folder->open(inner), path); }, 0);
  }
  keep(file_in(folder, path.string(), entry.size));
}

void SourceTree::add_archive(const fs::path& path,
                             const std::function<std::vector<SourceFile>()>& unpack,
                             int depth) try {
  if (by_path_.contains(path.native())) return;
  by_path_.emplace(archives_.emplace_back(path.string()), nullptr);
  ++seen_;
  for (SourceFile& file : unpack()) {
    if (is_full(path)) return;
    add_archived(std::move(file), path, depth);
  }
} catch (const base::Interrupted&) {
  throw;
} catch (const base::FileError& failure) {
  refuse(path, failure.reason());
} catch (const std::exception& failure) {
  refuse(path, failure.what());
}

void SourceTree::add_archived(SourceFile file, const fs::path& path, int depth) {
  const fs::path inner = path / file.path;
  if (!is_legal(inner)) return refuse(inner, "has a name that a manifest can't have");
  if (!file.refused.empty()) return refuse(inner, std::move(file.refused));
  if (!is_archive(base::to_lower_ascii(inner.filename().string()))) {
    file.path = inner.string();
    return takes(inner, file.size) ? keep(std::move(file)) : void();
  }
  if (file.unpack && depth + 1 < kDeepestArchive) return add_archive(inner, file.unpack, depth + 1);
  refuse(inner, file.unpack ? "is too deep in other archives; unpack it, and scan the folder"
                            : "is an archive in an archive; unpack it, and scan the folder");
}

void SourceTree::keep(SourceFile file) {
  if (by_path_.contains(file.path)) return;
  ++seen_;
  name_bytes_ += file.path.size();
  const SourceFile& kept = files_.emplace_back(std::move(file));
  by_path_.emplace(kept.path, &kept);
  index_.add(kept);
}

// Says so once.
bool SourceTree::is_full(const fs::path& at) {
  const bool has_files = seen_ < bounds_.files;
  if (has_files && name_bytes_ < bounds_.name_bytes) return false;
  if (!is_full_) {
    is_full_ = true;
    refuse(at, has_files ? fmt::format("and what follows is not scanned: at most {} of names are",
                                       base::binary_size(bounds_.name_bytes))
                         : fmt::format("and what follows is not scanned: at most {} files are",
                                       bounds_.files));
  }
  return true;
}

bool SourceTree::takes(const fs::path& path, std::uint64_t bytes) {
  if (bytes > bounds_.bytes - bytes_) {
    refuse(path, fmt::format("is not scanned: with it the files would have more than {}",
                             base::binary_size(bounds_.bytes)));
    return false;
  }
  bytes_ += bytes;
  return true;
}

void SourceTree::refuse(const fs::path& path, std::string reason) {
  ++seen_;
  name_bytes_ += path.native().size();
  refusals_.push_back({shown(path), std::move(reason)});
  refused_index_.add(refused_.emplace_back(SourceFile{{}, path.string(), refused_.size(), {}, {}}));
}

const Refusal* SourceTree::find_refused(std::string_view name, const PathIndex::From& from) const {
  const Refusal* found = nullptr;
  refused_index_.visit(name, from, [&](const SourceFile& file, std::size_t) {
    found = &refusals_[file.size];  // its number
    return false;
  });
  return found;
}

std::vector<const SourceFile*> SourceTree::find(std::string_view name,
                                                std::string_view folder) const {
  constexpr std::size_t kMostFound = 100;
  std::vector<const SourceFile*> files;
  visit(name, {folder}, [&](const SourceFile& file, std::size_t) {
    files.push_back(&file);
    return files.size() < kMostFound;
  });
  return files;
}

std::vector<const SourceFile*> SourceTree::below(std::string_view folder) const {
  std::vector<const SourceFile*> files;
  const std::string start = std::string(folder) + '/';
  for (auto each = by_path_.lower_bound(start); each != by_path_.end(); ++each) {
    if (!each->first.starts_with(start)) break;
    if (each->second) files.push_back(each->second);
  }
  return files;
}

std::string SourceTree::read(const SourceFile& file) const {
  std::string content = file.read();
  std::string digest = base::sha1_hex(content);
  const std::lock_guard lock(digests_mutex_);
  const auto [known, is_new] = digests_.try_emplace(&file, std::move(digest));
  if (!is_new && known->second != digest) {
    throw base::FileError(file.path, {"has changed since it was read first", 0});
  }
  return content;
}

const std::string& SourceTree::digest(const SourceFile& file) const {
  static const std::string none;
  {
    const std::lock_guard lock(digests_mutex_);
    if (const auto known = digests_.find(&file); known != digests_.end()) return known->second;
  }
  if (file.size > pawn::kLargestSource) return none;
  try {
    read(file);
  } catch (const base::FileError&) {
    return none;
  }
  const std::lock_guard lock(digests_mutex_);
  return digests_.at(&file);
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
  const std::vector<std::string_view> left = base::split(from, '/');
  const std::vector<std::string_view> right = base::split(to, '/');
  const auto [a, b] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<std::size_t>((left.end() - a) + (right.end() - b));
}

}  // namespace goldsmith::scan
