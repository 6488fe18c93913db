#include "app/service/archive_digests.hpp"

#include <charconv>
#include <cstdint>
#include <exception>
#include <utility>

#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/log.hpp"

namespace goldsmith::service {
namespace {

constexpr std::size_t kMostKnown = 10'000;  // about 2 MB

// 40 bits of the hash: two archives that share a row are read one after the other.
std::size_t row_of(const std::string& build_hash) {
  constexpr std::size_t kDigits = 10;
  std::uint64_t row = 0;
  std::from_chars(build_hash.data(), build_hash.data() + kDigits, row, 16);
  return row;
}

}  // namespace

std::string ArchiveDigests::find(const std::string& build_hash) {
  if (const auto known = known_.find(build_hash); known != known_.end()) return known->second;
  try {
    const auto build = dependencies_.builds.find(build_hash);
    if (!build) return "";
    if (known_.size() >= kMostKnown) known_.clear();
    known_.emplace(build_hash, build->archive_sha256);
    return build->archive_sha256;
  } catch (const db::Error& error) {
    sys::log(sys::LogLevel::warning, "the SHA-256 of an archive can't be looked up",
             {{"cause", error.what()}});
    return "";
  }
}

void ArchiveDigests::want(const creator::Plan& plan) {
  if (known_.contains(plan.build_hash)) return;
  wanted_ = db::Build{plan.build_hash, "", 0, plan.download_query};
}

void ArchiveDigests::take_wanted() {
  if (!wanted_) return;
  const db::Build wanted = *std::exchange(wanted_, std::nullopt);
  try {
    const auto seat = readers_.take(row_of(wanted.build_hash), 1);
    if (seat && find(wanted.build_hash).empty()) take(wanted);
  } catch (const std::exception& error) {
    sys::log(sys::LogLevel::warning, "the SHA-256 of an archive was not taken",
             {{"build_hash", wanted.build_hash}, {"cause", error.what()}});
  }
}

void ArchiveDigests::take(const db::Build& wanted) {
  const std::filesystem::path file = dependencies_.cache.file_of(wanted.build_hash);
  db::Build build = wanted;
  build.archive_bytes = std::filesystem::file_size(file);
  build.archive_sha256 = sys::sha256_of_file(file);
  dependencies_.builds.record(build, dependencies_.clock.seconds());
}

}  // namespace goldsmith::service
