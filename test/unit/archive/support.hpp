// What the archive tests share: scratch files, small ZIPs, and readers that are not ours.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/base/file.hpp"

namespace goldsmith::archive::test {

// A fresh file for a ZipWriter.
base::UniqueFd create(const std::filesystem::path& path);

// Writes `files` deflated, in order, as a ZIP.
void write_zip(const std::filesystem::path& path, const std::vector<MemoryFile>& files,
               std::string_view comment = "");
// Writes `files` as a depot file; returns its digest.
std::string write_depot_zip(const std::filesystem::path& path,
                            const std::vector<MemoryFile>& files);

const ZipEntry& entry_of(const ZipReader& reader, std::string_view path);

// Bytes that deflate shrinks, and bytes that it does not; the same for the same arguments.
std::string compressible(std::size_t size, unsigned seed = 1);
std::string incompressible(std::size_t size, unsigned seed = 1);

// Runs a program to its end; its output. Fails the test unless it exits with 0.
std::string run(std::vector<std::string> arguments,
                const std::filesystem::path& folder = std::filesystem::temp_directory_path());

// Runs `work` in a child process that exits with its result, without the parent's test harness.
pid_t in_child(const std::function<int()>& work);
// Waits for the child; 128 + the signal that ended it.
int exit_code(pid_t child);

// Info-ZIP, 7-Zip, libarchive and Python's zipfile all find the archive whole, without a warning.
void check_with_other_readers(const std::filesystem::path& zip);

// The message of the exception of type E that `action` throws; fails the test when it throws none.
template <class E, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  throw std::logic_error("nothing was thrown");
}

// How an archive came to be in the cache.
inline bool is_built(const Acquired& acquired) { return acquired.is_built; }
inline bool is_cached(const Acquired& acquired) { return !acquired.is_built; }
// Why there is no archive.
inline domain::Failure failure_of(const std::function<Acquired()>& build) try {
  build();
  throw std::logic_error("there is an archive");
} catch (const domain::Failure& failure) {
  return failure;
}
inline bool is_refused(const std::function<Acquired()>& build, const domain::RateLimited& refusal) {
  return failure_of(build).refusal == refusal;
}

// As if the file, or the link itself, had last been used so long ago.
void set_last_use(const std::filesystem::path& file, std::chrono::seconds ago);

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace goldsmith::archive::test
