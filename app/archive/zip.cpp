#include "app/archive/zip.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <unordered_set>

#include <fmt/core.h>

#include "app/archive/io.hpp"
#include "app/archive/zip_format.hpp"
#include "app/base/digest.hpp"

namespace goldsmith::archive {

StreamedFile streamed(const MemoryFile& file) {
  return {file.path, file.content.size(), file.executable, [&file] { return file.content; },
          file.modified};
}

void add_sorted(ZipWriter& writer, const std::vector<StreamedFile>& files, Method method) {
  std::vector<const StreamedFile*> sorted;
  sorted.reserve(files.size());
  for (const StreamedFile& file : files) sorted.push_back(&file);
  std::sort(sorted.begin(), sorted.end(), [](const StreamedFile* left, const StreamedFile* right) {
    return left->path < right->path;
  });
  for (const StreamedFile* file : sorted) {
    const std::string content = file->read();
    if (content.size() != file->size) {
      throw ZipError(
          fmt::format("{}: has {} bytes instead of {}", file->path, content.size(), file->size));
    }
    writer.add(file->path, content, file->executable, method, file->modified);
  }
}

std::uint64_t write_zip(int fd, const std::filesystem::path& path_for_messages,
                        const std::vector<StreamedFile>& files) {
  ZipWriter writer(fd, path_for_messages);
  add_sorted(writer, files, Method::deflated);
  writer.finish();
  return writer.bytes_written();
}

std::string zip_in_memory(const std::vector<MemoryFile>& files) {
  const std::filesystem::path name = "archive in memory";
  const base::UniqueFd fd(::memfd_create("goldsmith-zip", MFD_CLOEXEC));
  if (!fd) throw base::FileError(name, "can't be created", errno);
  std::vector<StreamedFile> entries;
  for (const MemoryFile& file : files) entries.push_back(streamed(file));
  std::string bytes(write_zip(fd.get(), name, entries), '\0');
  read_at({fd.get(), 0, name}, bytes);
  return bytes;
}

namespace {

// Over a million entries; limits the memory that a damaged size can request.
constexpr std::uint64_t kLargestDirectory = 256U << 20;
constexpr std::uint64_t kSmallestCentralHeader = 46;

std::uint64_t size_of_regular(int fd, const std::filesystem::path& path) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) throw base::FileError(path, "can't be examined", errno);
  if (!S_ISREG(status.st_mode)) throw ZipError(path.string() + ": is not a regular file");
  return static_cast<std::uint64_t>(status.st_size);
}

std::string read_bytes(int fd, std::uint64_t offset, std::uint64_t size,
                       const std::filesystem::path& path) {
  std::string bytes(size, '\0');
  bytes.resize(read_at({fd, offset, path}, bytes));
  return bytes;
}

End read_end(int fd, std::uint64_t file_size, const std::filesystem::path& path) {
  const std::uint64_t longest = kEndRecordSize + kLongestComment + kZip64RecordsSize;
  const std::uint64_t size = std::min(file_size, longest);
  return parse_end(read_bytes(fd, file_size - size, size, path), file_size, path.string());
}

// Entries follow each other without gaps from the first byte of the file to its central directory,
// so that no range overlaps another and each is inside the file.
std::vector<ZipEntry> parse_directory(std::string_view bytes, const Directory& directory,
                                      const std::string& file) {
  FieldReader fields(bytes, file);
  std::vector<ZipEntry> entries;
  entries.reserve(std::min(directory.count, bytes.size() / kSmallestCentralHeader));
  std::uint64_t offset = 0;
  while (!fields.rest().empty()) {
    ZipEntry entry = parse_central_header(fields);
    const bool adjacent = entry.local_offset == offset &&
                          entry.compressed_size <= directory.offset &&
                          entry.local_size <= directory.offset - offset;
    if (!adjacent) fields.fail("the place of an entry is wrong: " + entry.path);
    offset += entry.local_size;
    entries.push_back(std::move(entry));
  }
  if (entries.size() != directory.count || offset != directory.offset) {
    fields.fail("its central directory does not cover the file");
  }
  return entries;
}

}  // namespace

ZipReader::ZipReader(const std::filesystem::path& path)
    : ZipReader(base::open_to_read(path), path) {}

ZipReader::ZipReader(base::UniqueFd fd, std::filesystem::path path_for_messages)
    : path_(std::move(path_for_messages)), fd_(std::move(fd)) {
  End end = read_end(fd_.get(), size_of_regular(fd_.get(), path_), path_);
  comment_ = std::move(end.comment);
  const Directory& directory = end.directory;
  directory_end_ = directory.offset + directory.size;
  if (directory.size > kLargestDirectory) {
    throw ZipError(path_.string() + ": its central directory is larger than 256 MiB");
  }
  entries_ = parse_directory(read_bytes(fd_.get(), directory.offset, directory.size, path_),
                             directory, path_.string());
}

std::string ZipReader::read(const ZipEntry& entry, std::uint64_t limit) const {
  if (entry.size > limit) {
    EntryStream(*this, entry).fail(fmt::format("is larger than the limit of {} bytes", limit));
  }
  std::string content;
  content.reserve(std::min<std::uint64_t>(entry.size, 1U << 20));  // a damaged size costs nothing
  read(entry, [&](std::string_view piece) { content.append(piece); });
  return content;
}

void ZipReader::read(const ZipEntry& entry,
                     const std::function<void(std::string_view)>& on_piece) const {
  EntryStream stream(*this, entry);
  for (std::string_view piece = stream.next(); !piece.empty(); piece = stream.next()) {
    on_piece(piece);
  }
  if (stream.crc32() != entry.crc32) stream.fail("its CRC is wrong");
}

std::string ZipReader::read_start(const ZipEntry& entry, std::size_t count) const {
  EntryStream stream(*this, entry);
  std::string content;
  while (content.size() < count) {
    const std::string_view piece = stream.next();
    if (piece.empty()) break;
    content.append(piece.substr(0, count - content.size()));
  }
  return content;
}

void ZipReader::verify_entries(const std::function<void(std::string_view)>& on_piece,
                               const std::function<void()>& on_end) const {
  std::unordered_set<std::string_view> paths;
  for (const ZipEntry& entry : entries_) {
    EntryStream stream(*this, entry);
    for (std::string_view piece = stream.next(); !piece.empty(); piece = stream.next()) {
      on_piece(piece);
    }
    if (stream.crc32() != entry.crc32) stream.fail("its CRC is wrong");
    if (!paths.insert(entry.path).second) stream.fail("has a duplicate path");
    on_end();
  }
}

const ZipEntry& ZipReader::entry(std::string_view path) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const ZipEntry& each) { return each.path == path; });
  if (found == entries_.end()) {
    throw ZipError(path_.string() + ": has no entry " + std::string(path));
  }
  return *found;
}

void ZipReader::verify() const {
  verify_entries([](std::string_view) {}, [] {});
}

std::vector<std::string> ZipReader::verify_and_digest(
    const std::function<void(std::size_t)>& on_bytes) const {
  std::vector<std::string> digests;
  base::Sha256 digest;
  verify_entries(
      [&](std::string_view piece) {
        digest.update(piece);
        on_bytes(piece.size());
      },
      [&] {
        digests.push_back(digest.finish_hex());
        digest = base::Sha256();
      });
  return digests;
}

}  // namespace goldsmith::archive
