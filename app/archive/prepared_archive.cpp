#include <algorithm>
#include <unordered_set>

#include "app/archive/depot.hpp"
#include "app/archive/prepared_archive.hpp"
#include "app/archive/zip.hpp"
#include "app/archive/zip_format.hpp"

namespace goldsmith::archive {
namespace {

void check_digest(const ZipReader& reader, const Recipe::DepotFile& file) {
  if (file.digest.empty() || reader.comment() == depot_comment(file.digest)) return;
  throw ZipError(file.zip.string() + ": its content is not what the build was planned with " +
                 "(digest " + file.digest + ", but its comment is \"" + reader.comment() +
                 "\"); mirror the version again if this persists");
}

// The wanted entries in file order, so that neighbours are copied together.
std::vector<const ZipEntry*> pick(const ZipReader& reader, const Recipe::DepotFile& file) {
  std::unordered_set<std::string_view> wanted(file.paths.begin(), file.paths.end());
  if (wanted.size() != file.paths.size()) {
    throw ZipError(file.zip.string() + ": the build names one of its paths more than once");
  }
  std::vector<const ZipEntry*> picked;
  picked.reserve(wanted.size());
  for (const ZipEntry& entry : reader.entries()) {
    if (wanted.erase(entry.path) > 0) picked.push_back(&entry);
  }
  if (!wanted.empty()) {
    throw ZipError(file.zip.string() + ": no entry " +
                   std::string(*std::min_element(wanted.begin(), wanted.end())) +
                   ", which the build needs");
  }
  return picked;
}

// The most that an entry takes in the central directory and the end records: with all ZIP64 fields.
constexpr std::uint64_t kCentralHeader = 46 + 32;
constexpr std::uint64_t kEnd = kZip64RecordsSize + kEndRecordSize + 128;

std::uint64_t size_of(const StreamedFile& entry) {
  ZipEntry stored;
  stored.path = entry.path;
  stored.size = stored.compressed_size = entry.size;
  return local_header_size(stored) + entry.size + kCentralHeader + entry.path.size();
}

}  // namespace

std::string archive_comment(std::string_view build_hash) {
  return std::string("goldsmith build ").append(build_hash);
}

PreparedArchive::PreparedArchive(const Recipe& recipe) : recipe_(recipe), size_(kEnd) {
  readers_.reserve(recipe.depot_files.size());
  for (const Recipe::DepotFile& file : recipe.depot_files) {
    readers_.emplace_back(file.zip);
    check_digest(readers_.back(), file);
  }
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    picked_.push_back(pick(readers_[i], recipe.depot_files[i]));
    for (const ZipEntry* entry : picked_.back()) {
      size_ += entry->local_size + kCentralHeader + entry->path.size();
    }
  }
  for (const MemoryFile& entry : recipe.inline_entries) size_ += size_of(streamed(entry));
  for (const StreamedFile& entry : recipe.streamed_entries) size_ += size_of(entry);
}

void PreparedArchive::write(int fd, const std::filesystem::path& path_for_messages) const {
  ZipWriter writer(fd, path_for_messages);
  for (std::size_t i = 0; i < readers_.size(); ++i) writer.copy(readers_[i], picked_[i]);
  std::vector<StreamedFile> entries = recipe_.streamed_entries;
  for (const MemoryFile& entry : recipe_.inline_entries) entries.push_back(streamed(entry));
  add_sorted(writer, entries, Method::stored);
  writer.finish(archive_comment(recipe_.build_hash));
}

}  // namespace goldsmith::archive
