#include <algorithm>
#include <unordered_set>

#include "app/archive/archive_cache.hpp"
#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"

namespace goldsmith::archive {
namespace {

void check_digest(const ZipReader& reader, const Recipe::Part& part) {
  if (part.digest.empty() || reader.comment() == depot_comment(part.digest)) return;
  throw ZipError(part.zip.string() + ": is not the mirrored content that the build was planned " +
                 "with (digest " + part.digest + ", but its comment is \"" + reader.comment() +
                 "\"); mirror the version again if this lasts");
}

// The wanted entries in file order, so that neighbours are copied together.
std::vector<const ZipEntry*> pick(const ZipReader& reader, const Recipe::Part& part) {
  std::unordered_set<std::string_view> wanted(part.paths.begin(), part.paths.end());
  if (wanted.size() != part.paths.size()) {
    throw ZipError(part.zip.string() + ": the build names one of its paths twice");
  }
  std::vector<const ZipEntry*> picked;
  picked.reserve(wanted.size());
  for (const ZipEntry& entry : reader.entries()) {
    if (wanted.erase(entry.path) > 0) picked.push_back(&entry);
  }
  if (!wanted.empty()) {
    throw ZipError(part.zip.string() + ": no entry " +
                   std::string(*std::min_element(wanted.begin(), wanted.end())) +
                   ", which the build needs");
  }
  return picked;
}

// All at once, so that a version that is removed from the depot meanwhile does not end a build
// halfway.
std::vector<ZipReader> open_parts(const Recipe& recipe) {
  std::vector<ZipReader> readers;
  readers.reserve(recipe.parts.size());
  for (const Recipe::Part& part : recipe.parts) {
    readers.emplace_back(part.zip);
    check_digest(readers.back(), part);
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
  const std::vector<ZipReader> readers = open_parts(recipe);
  ZipWriter writer(fd, path_for_messages);
  for (std::size_t i = 0; i < readers.size(); ++i) {
    writer.copy(readers[i], pick(readers[i], recipe.parts[i]));
  }
  add_inline_entries(writer, recipe.inline_entries);
  writer.finish(archive_comment(recipe.build_hash));
}

}  // namespace goldsmith::archive
