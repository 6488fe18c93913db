#include "app/service/archive_digests.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <utility>

#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "app/sys/log.hpp"

namespace goldsmith::service {
namespace {

// As long as a build may take: then the caller that paid for it has been redirected, and comes.
constexpr std::chrono::minutes kPaidFor{10};
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

std::optional<ArchiveDigests::Known> ArchiveDigests::find_known(const std::string& build_hash) {
  const auto found = dependencies_.builds.find_selection(build_hash);
  if (!found) return std::nullopt;
  const domain::Timestamp now = dependencies_.clock.seconds();
  return Known{found->selection,
               found->built_at && *found->built_at <= now && now - *found->built_at < kPaidFor};
}

void ArchiveDigests::make_known(const creator::Plan& plan, bool is_built) {
  const std::string& hash = plan.build_hash;
  if (!is_built && made_known_.contains(hash)) return;
  dependencies_.builds.note(hash, plan.download_query, dependencies_.clock.seconds(), is_built);
  if (made_known_.size() >= kMostKnown) made_known_.clear();
  made_known_.insert(hash);
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
