#include "app/access/freshness.hpp"

#include "db/setting_store.hpp"

namespace goldsmith::access {
namespace {

constexpr std::chrono::seconds kRevisionAge{2};

}  // namespace

std::uint64_t Freshness::epoch() {
  const std::uint64_t generation = state_.generation();
  if (generation != generation_) {
    generation_ = generation;
    ++epoch_;
  }
  const auto now = clock_.now();
  if (now - checked_ >= kRevisionAge || now < checked_) {
    const db::Revisions current = db::read_revisions(database_);
    verdicts_ = current.verdicts;
    if (current.revision != revision_) {
      revision_ = current.revision;
      ++epoch_;
    }
    checked_ = now;
  }
  return epoch_;
}

}  // namespace goldsmith::access
