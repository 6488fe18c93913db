#include "app/creator/archive_digests.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/base/log.hpp"
#include "app/base/text.hpp"

namespace goldsmith::creator {
namespace {

// A build may take that long before the caller that paid for it is redirected, and comes.
constexpr std::chrono::minutes kPaidFor{10};
constexpr std::size_t kMostKnown = 5'000;  // 2 MB, or 15 if all have the longest messages
constexpr std::string_view kUnavailable = "unavailable";

// Processes note again what was forgotten meanwhile (log.retention_days).
constexpr std::chrono::hours kNotedFor{24};
// Of those that were only asked for: no budget bounds how many there are.
constexpr std::chrono::minutes kAskedPeriod{1};
constexpr int kMostAsked = 10;

// 40 bits of the hash, so less than kStarterRow: two archives that share a row are read one after
// the other.
std::size_t row_of(const std::string& build_hash) {
  constexpr std::size_t kDigits = 10;
  return base::parse_number(std::string_view(build_hash).substr(0, kDigits), 16).value_or(0);
}

}  // namespace

std::string ArchiveDigests::find(const std::string& build_hash) {
  const auto known = known_.find(build_hash);
  const db::Build* const build = known != known_.end() ? &known->second : look_up(build_hash);
  return build != nullptr ? build->archive_sha256 : "";
}

ArchiveDigests::Archive ArchiveDigests::find_archive(const std::string& build_hash) {
  const auto was_tried = [](const db::Build& build) {
    return build.start && build.start->outcome != kUnavailable;
  };
  const auto known = known_.find(build_hash);
  const db::Build* build = known != known_.end() ? &known->second : nullptr;
  if (build == nullptr || !was_tried(*build)) {
    const db::Build* const found = look_up(build_hash);
    if (found != nullptr) build = found;
  }
  if (build == nullptr) return {};
  return {build->archive_sha256, was_tried(*build) ? build->start : std::nullopt};
}

const db::Build* ArchiveDigests::look_up(const std::string& build_hash) {
  try {
    auto build = dependencies_.builds.find(build_hash);
    if (!build) return nullptr;
    if (known_.size() >= kMostKnown) known_.clear();
    return &(known_[build_hash] = *std::move(build));
  } catch (const db::Error& error) {
    base::log(base::LogLevel::warning, "what is known of an archive can't be looked up",
              {{"cause", error.what()}});
    return nullptr;
  }
}

std::optional<ArchiveDigests::Known> ArchiveDigests::find_known(const std::string& build_hash) {
  const auto found = dependencies_.builds.find_selection(build_hash);
  if (!found) return std::nullopt;
  const domain::Timestamp now = dependencies_.clock.seconds();
  return Known{found->selection,
               found->built_at && *found->built_at <= now && now - *found->built_at < kPaidFor};
}

bool ArchiveDigests::is_known(const std::string& build_hash) {
  try {
    return is_noted(build_hash) || find_known(build_hash).has_value();
  } catch (const db::Error& error) {
    base::log(base::LogLevel::warning, "whether a build is known can't be looked up",
              {{"cause", error.what()}});
    return false;
  }
}

bool ArchiveDigests::is_noted(const std::string& name) const {
  const auto noted = noted_.find(name);
  return noted != noted_.end() && dependencies_.clock.seconds() - noted->second < kNotedFor;
}

void ArchiveDigests::set_noted(const std::string& name) {
  if (noted_.size() >= kMostKnown) noted_.clear();
  noted_[name] = dependencies_.clock.seconds();
}

void ArchiveDigests::publish(const Plan& plan, bool is_built) {
  if (!is_built && is_noted(plan.build_hash)) return;
  dependencies_.builds.note(plan.build_hash, archive_query(plan), dependencies_.clock.seconds(),
                            is_built);
  set_noted(plan.build_hash);
}

void ArchiveDigests::note_build(const Plan& plan) {
  const std::string& hash = plan.completes.empty() ? plan.build_hash : plan.completes;
  if (is_noted(hash)) return;
  try {
    // As of a time so long ago that nobody gets its archive as one that was paid for.
    const domain::Timestamp time = dependencies_.clock.seconds() - kPaidFor;
    dependencies_.builds.note(hash, plan.build_query, time, false);
    dependencies_.builds.keep(hash, time);
    set_noted(hash);
  } catch (const db::Error& error) {
    base::log(base::LogLevel::warning, "a build was not recorded: updates from it are whole",
              {{"build_hash", hash}, {"cause", error.what()}});
  }
}

bool ArchiveDigests::may_note() {
  const domain::Timestamp now = dependencies_.clock.seconds();
  if (now - asked_since_ >= kAskedPeriod || now < asked_since_) {
    asked_since_ = now;
    asked_ = 0;
  }
  if (asked_ >= kMostAsked) return false;
  ++asked_;
  return true;
}

void ArchiveDigests::note_asked(const Plan& plan) {
  if (!is_noted(plan.build_hash) && may_note()) note_build(plan);
}

void ArchiveDigests::note_address(const Plan& plan) {
  const std::string name = plan.selection_id + plan.build_hash;
  if (is_noted(name) || !may_note()) return;
  note_build(plan);
  try {
    dependencies_.builds.note_selection(plan.selection_id, plan.build_hash);
    set_noted(name);
  } catch (const db::Error& error) {
    base::log(base::LogLevel::warning, "the address of a selection was not recorded",
              {{"build_hash", plan.build_hash}, {"cause", error.what()}});
  }
}

void ArchiveDigests::schedule(const Plan& plan) {
  if (known_.contains(plan.build_hash)) return;
  pending_ = db::Build{plan.build_hash, "", 0, archive_query(plan)};
}

void ArchiveDigests::compute_pending() {
  if (!pending_) return;
  const db::Build pending = *std::exchange(pending_, std::nullopt);
  try {
    const auto reader = readers_.try_acquire(row_of(pending.build_hash), 1);
    if (reader && find(pending.build_hash).empty()) compute(pending);
  } catch (const std::exception& error) {
    base::log(base::LogLevel::warning,
              "the SHA-256 of an archive was not computed, or its start not requested",
              {{"build_hash", pending.build_hash}, {"cause", error.what()}});
  }
}

void ArchiveDigests::compute(db::Build build) {
  const std::filesystem::path file = dependencies_.cache.file_of(build.build_hash);
  build.archive_bytes = std::filesystem::file_size(file);
  build.archive_sha256 = base::sha256_of_file(file);
  dependencies_.builds.record(build, dependencies_.clock.seconds());
  if (!db::is_partial(build)) host::write_shared(start_request_, build.build_hash + "\n");
}

}  // namespace goldsmith::creator
