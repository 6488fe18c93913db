#include "app/cli/backup_archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <set>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/held_folder.hpp"
#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/cli/command.hpp"
#include "app/domain/record.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest.json";
constexpr std::string_view kHost = "host";  // before the paths of the host
constexpr std::size_t kChunk = 256U << 10;

struct FreeArchive {
  void operator()(struct ::archive* archive) const { ::archive_free(archive); }
};
using Handle = std::unique_ptr<struct ::archive, FreeArchive>;
struct FreeEntry {
  void operator()(::archive_entry* entry) const { ::archive_entry_free(entry); }
};
using EntryHandle = std::unique_ptr<::archive_entry, FreeEntry>;

std::string member_name(const BackupEntry& entry) {
  return entry.is_database() ? entry.path : std::string(kHost) + entry.path;
}

std::uint64_t bytes_of(const BackupManifest& manifest) {
  std::uint64_t total = 0;
  for (const BackupEntry& entry : manifest.entries) {
    total += static_cast<std::uint64_t>(entry.bytes);
  }
  return total;
}

bool is_plain_path(const std::string& path) {
  if (path.size() < 2 || path.size() > kMaxBackupPath || !path.starts_with('/')) return false;
  if (!base::is_printable(path)) return false;
  for (const std::string_view part : base::split(std::string_view(path).substr(1), '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

bool is_well_formed(const BackupEntry& entry) {
  if (!entry.is_database() && !is_plain_path(entry.path)) return false;
  if (entry.mode < 0 || entry.mode > 07777 || entry.bytes < 0) return false;
  if (entry.kind == BackupEntry::kFile) return base::is_sha256_hex(entry.sha256);
  if (entry.bytes != 0 || entry.is_database()) return false;
  if (entry.kind == BackupEntry::kLink) {
    return !entry.target.empty() && entry.target.size() <= kMaxBackupPath &&
           base::is_printable(entry.target);
  }
  return entry.kind == BackupEntry::kFolder;
}

// The first reason why the entries can't be put back; "" if there is none.
std::string problem_of(const BackupManifest& manifest) {
  if (manifest.entries.size() > kMaxBackupEntries) {
    return fmt::format("it has {} entries, and may have {}", manifest.entries.size(),
                       kMaxBackupEntries);
  }
  std::set<std::string_view> paths;
  std::set<std::string_view> leaves;  // files and links, below which nothing can be
  std::int64_t total = 0;
  for (const BackupEntry& entry : manifest.entries) {
    if (!is_well_formed(entry) || __builtin_add_overflow(total, entry.bytes, &total)) {
      return "\"" + entry.path + "\" in its manifest is no entry of a backup";
    }
    if (!paths.insert(entry.path).second) return "\"" + entry.path + "\" is in it twice";
    if (entry.kind != BackupEntry::kFolder) leaves.insert(entry.path);
  }
  for (const std::string_view path : paths) {
    for (std::size_t end = path.rfind('/'); end != 0 && end != path.npos;
         end = path.rfind('/', end - 1)) {
      if (!leaves.contains(path.substr(0, end))) continue;
      return "\"" + std::string(path) + "\" in its manifest lies below a file or link";
    }
  }
  return "";
}

class ArchiveWriter {
 public:
  ArchiveWriter(int fd, const fs::path& path, std::int64_t time)
      : path_(path), time_(time), archive_(::archive_write_new()) {
    check(archive_ != nullptr && ::archive_write_set_format_pax_restricted(get()) == ARCHIVE_OK &&
          ::archive_write_add_filter_gzip(get()) == ARCHIVE_OK &&
          // A pipe gets no padding either.
          ::archive_write_set_bytes_in_last_block(get(), 1) == ARCHIVE_OK &&
          ::archive_write_open_fd(get(), fd) == ARCHIVE_OK);
  }

  void begin(const BackupEntry& file, const std::string& name) {
    const EntryHandle entry(::archive_entry_new());
    ::archive_entry_set_pathname(entry.get(), name.c_str());
    ::archive_entry_set_filetype(entry.get(), AE_IFREG);
    ::archive_entry_set_perm(entry.get(), static_cast<mode_t>(file.mode));
    ::archive_entry_set_uname(entry.get(), file.owner.c_str());
    ::archive_entry_set_gname(entry.get(), file.group.c_str());
    ::archive_entry_set_size(entry.get(), file.bytes);
    ::archive_entry_set_mtime(entry.get(), time_, 0);
    check(::archive_write_header(get(), entry.get()) == ARCHIVE_OK);
  }

  void write(std::string_view bytes) {
    check(::archive_write_data(get(), bytes.data(), bytes.size()) ==
          static_cast<la_ssize_t>(bytes.size()));
  }

  void end() { check(::archive_write_close(get()) == ARCHIVE_OK); }

 private:
  struct ::archive* get() { return archive_.get(); }
  void check(bool done) {
    if (done) return;
    const char* const reason = archive_ ? ::archive_error_string(get()) : nullptr;
    throw Failure(path_.string() + ": can't be written: " + (reason ? reason : "unknown error"));
  }

  const fs::path& path_;
  std::int64_t time_;
  Handle archive_;
};

// Counts what passes, and tells it.
class Counter {
 public:
  Counter(std::uint64_t total, const BackupProgress& progress)
      : total_(total), progress_(progress) {}
  void add(std::size_t bytes) {
    done_ += bytes;
    if (progress_) progress_(done_, total_);
  }

 private:
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  const BackupProgress& progress_;
};

// Compares what passes with an entry.
class ContentCheck {
 public:
  explicit ContentCheck(const BackupEntry& entry) : entry_(entry) {}
  void add(std::string_view bytes) {
    digest_.update(bytes);
    bytes_ += static_cast<std::int64_t>(bytes.size());
  }
  bool is_good() { return bytes_ == entry_.bytes && digest_.finish_hex() == entry_.sha256; }

 private:
  const BackupEntry& entry_;
  base::Sha256 digest_;
  std::int64_t bytes_ = 0;
};

void write_file(ArchiveWriter& archive, const BackupEntry& entry, const fs::path& content,
                Counter& counter) {
  const base::UniqueFd fd = base::open_named(content, O_RDONLY | O_NOFOLLOW);
  archive.begin(entry, member_name(entry));
  ContentCheck check(entry);
  std::string chunk(kChunk, '\0');
  for (;;) {
    const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw base::FileError(content, "can't be read", errno);
    if (got == 0) break;
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(got));
    check.add(bytes);
    archive.write(bytes);
    counter.add(bytes.size());
  }
  if (!check.is_good()) {
    throw Failure(entry.path +
                  ": it is not what its digest says: \"goldsmith depot verify\" finds "
                  "damaged files; if another command was changing it, try again");
  }
}

class ArchiveReader {
 public:
  ArchiveReader(const base::UniqueFd& fd, const fs::path& path)
      : path_(path), archive_(::archive_read_new()) {
    if (::lseek(fd.get(), 0, SEEK_SET) != 0) throw base::FileError(path, "can't be read", errno);
    if (!archive_ || ::archive_read_support_filter_gzip(get()) != ARCHIVE_OK ||
        ::archive_read_support_format_tar(get()) != ARCHIVE_OK ||
        ::archive_read_open_fd(get(), fd.get(), kChunk) != ARCHIVE_OK) {
      fail("it is no backup of goldsmith");
    }
  }

  // False at the end of the archive.
  bool next() {
    const int result = ::archive_read_next_header(get(), &entry_);
    if (result == ARCHIVE_EOF) return false;
    if (result != ARCHIVE_OK) fail("it is no backup of goldsmith, or is damaged");
    return true;
  }

  std::string name() const {
    const char* const name = ::archive_entry_pathname(entry_);
    return name ? name : "";
  }
  bool is_file_of(std::int64_t bytes) const {
    return ::archive_entry_filetype(entry_) == AE_IFREG && !::archive_entry_hardlink(entry_) &&
           ::archive_entry_size_is_set(entry_) && ::archive_entry_size(entry_) == bytes;
  }
  bool is_file() const { return ::archive_entry_filetype(entry_) == AE_IFREG; }
  std::int64_t size() const { return ::archive_entry_size(entry_); }

  // "" at the end of the member.
  std::string_view read(std::string& chunk) {
    const la_ssize_t got = ::archive_read_data(get(), chunk.data(), chunk.size());
    if (got < 0) fail("it is damaged");
    return std::string_view(chunk).substr(0, static_cast<std::size_t>(got));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    const char* const reason = archive_ ? ::archive_error_string(archive_.get()) : nullptr;
    throw Failure(path_.string() + ": " + problem + (reason ? std::string(": ") + reason : ""));
  }

 private:
  struct ::archive* get() { return archive_.get(); }

  const fs::path& path_;
  Handle archive_;
  ::archive_entry* entry_ = nullptr;
};

BackupManifest read_manifest(ArchiveReader& archive) {
  if (!archive.next() || archive.name() != kManifest || !archive.is_file() || archive.size() < 0 ||
      static_cast<std::uint64_t>(archive.size()) > kMaxBackupManifest) {
    archive.fail("it is no backup of goldsmith");
  }
  std::string text;
  std::string chunk(kChunk, '\0');
  for (std::string_view bytes; !(bytes = archive.read(chunk)).empty();) {
    text += bytes;
    if (text.size() > kMaxBackupManifest) archive.fail("its manifest is too large");
  }
  BackupManifest manifest;
  manifest.format = 0;
  try {
    domain::read_json(json::parse(text), manifest);
  } catch (const json::ParseError& error) {
    archive.fail(std::string(kManifest) + ": " + error.what());
  }
  if (manifest.format != BackupManifest::kFormat) {
    archive.fail(
        fmt::format("its format is {}, and this version of goldsmith reads {}; a newer one "
                    "may read it",
                    manifest.format, BackupManifest::kFormat));
  }
  if (const std::string problem = problem_of(manifest); !problem.empty()) archive.fail(problem);
  return manifest;
}

base::UniqueFd open_backup(const fs::path& file) {
  base::UniqueFd fd = base::open_named(file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) throw base::FileError(file, "can't be examined", errno);
  if (!S_ISREG(status.st_mode)) throw base::FileError(file, {"is not a regular file", EINVAL});
  return fd;
}

}  // namespace

void write_backup(int fd, const fs::path& path, const BackupManifest& manifest,
                  const std::vector<fs::path>& contents, const BackupProgress& progress) {
  if (const std::string problem = problem_of(manifest); !problem.empty()) {
    throw Failure("nobody could restore this backup: " + problem);
  }
  const std::string text = json::to_pretty_string(domain::told(manifest)) + '\n';
  if (text.size() > kMaxBackupManifest) {
    throw Failure(fmt::format(
        "nobody could restore this backup: its list of {} files, and of {} that are not in it, has "
        "{}, and may have {}",
        manifest.entries.size(), manifest.left_out.size(), base::readable_size(text.size()),
        base::readable_size(kMaxBackupManifest)));
  }
  const std::int64_t time =
      manifest.created_at ? manifest.created_at->time_since_epoch().count() : 0;
  ArchiveWriter archive(fd, path, time);
  BackupEntry described;
  described.bytes = static_cast<std::int64_t>(text.size());
  described.mode = 0600;
  archive.begin(described, kManifest);
  archive.write(text);
  Counter counter(bytes_of(manifest), progress);
  auto content = contents.begin();
  for (const BackupEntry& entry : manifest.entries) {
    if (entry.kind == BackupEntry::kFile) write_file(archive, entry, *content++, counter);
  }
  archive.end();
}

BackupReader::BackupReader(const fs::path& file) : path_(file), fd_(open_backup(file)) {
  ArchiveReader archive(fd_, path_);
  manifest_ = read_manifest(archive);
}

void BackupReader::read(const std::function<void(const BackupEntry&, const Content&)>& each,
                        const BackupProgress& progress) const {
  ArchiveReader archive(fd_, path_);
  archive.next();  // the manifest
  Counter counter(bytes_of(manifest_), progress);
  std::string chunk(kChunk, '\0');
  for (const BackupEntry& entry : manifest_.entries) {
    if (entry.kind != BackupEntry::kFile) continue;
    if (!archive.next() || archive.name() != member_name(entry) ||
        !archive.is_file_of(entry.bytes)) {
      archive.fail("it is damaged: " + entry.path + " is not where its manifest says");
    }
    bool is_read = false;
    const Content content = [&](const Sink& sink) {
      is_read = true;
      ContentCheck check(entry);
      for (std::string_view bytes; !(bytes = archive.read(chunk)).empty();) {
        check.add(bytes);
        counter.add(bytes.size());
        sink(bytes);
      }
      if (!check.is_good()) archive.fail("it is damaged: " + entry.path + " is not what it was");
    };
    each(entry, content);
    if (!is_read) content([](std::string_view) {});
  }
  if (archive.next()) archive.fail("it has more than its manifest says: " + archive.name());
}

}  // namespace goldsmith::cli
