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
    const std::int64_t revision = db::read_revision(database_);
    if (revision != revision_) {
      revision_ = revision;
      ++epoch_;
    }
    checked_ = now;
  }
  return epoch_;
}

}  // namespace goldsmith::access
