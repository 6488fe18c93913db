#include <algorithm>
#include <unordered_set>

#include "app/archive/archive_cache.hpp"
#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"

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

// Opens all of them first: removing a version from the depot then does not stop a build halfway.
std::vector<ZipReader> open_depot_files(const Recipe& recipe) {
  std::vector<ZipReader> readers;
  readers.reserve(recipe.depot_files.size());
  for (const Recipe::DepotFile& file : recipe.depot_files) {
    readers.emplace_back(file.zip);
    check_digest(readers.back(), file);
  }
  return readers;
}

void add_inline_entries(ZipWriter& writer, const std::vector<InlineEntry>& entries) {
  std::vector<const InlineEntry*> sorted;
  sorted.reserve(entries.size());
  for (const InlineEntry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const InlineEntry* left, const InlineEntry* right) {
    return left->path < right->path;
  });
  for (const InlineEntry* entry : sorted) {
    writer.add(entry->path, entry->content, entry->executable, Method::stored);
  }
}

}  // namespace

std::string archive_comment(std::string_view build_hash) {
  return std::string("goldsmith build ").append(build_hash);
}

void write_archive(const Recipe& recipe, int fd, const std::filesystem::path& path_for_messages) {
  const std::vector<ZipReader> readers = open_depot_files(recipe);
  ZipWriter writer(fd, path_for_messages);
  for (std::size_t i = 0; i < readers.size(); ++i) {
    writer.copy(readers[i], pick(readers[i], recipe.depot_files[i]));
  }
  add_inline_entries(writer, recipe.inline_entries);
  writer.finish(archive_comment(recipe.build_hash));
}

}  // namespace goldsmith::archive
